//! What runs in this process now: how far it is, and the way to stop it.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::queue::{Claim, JobId};
use crate::run::Cancel;

/// How far a job is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// So much is done.
    pub done: u64,
    /// Of so much.
    pub total: u64,
}

/// The jobs that run in this process.
#[derive(Default)]
pub struct Running {
    jobs: Mutex<HashMap<JobId, Run>>,
    taking: RwLock<()>,
}

/// One hold on a job.
struct Run {
    token: i64,
    cancel: Cancel,
    progress: Progress,
}

impl Running {
    /// To be held from before a job is claimed until it has begun: in between, nobody knows that its worker lives.
    pub async fn taking(&self) -> RwLockReadGuard<'_, ()> {
        self.taking.read().await
    }

    /// As long as this is held, no job is on its way from the queue to its worker, and [`Running::holds`] has them all.
    pub async fn settled(&self) -> RwLockWriteGuard<'_, ()> {
        self.taking.write().await
    }

    /// A job begins; the word to stop it is the answer.
    pub fn begin(&self, claim: &Claim) -> Cancel {
        let run = Run { token: claim.token, cancel: Cancel::default(), progress: Progress::default() };
        let cancel = run.cancel.clone();
        self.jobs.lock().insert(claim.job.id.clone(), run);
        cancel
    }

    /// A job has ended. It may have been queued and begun again meanwhile; that run stays.
    pub fn end(&self, claim: &Claim) {
        let mut jobs = self.jobs.lock();
        if jobs.get(&claim.job.id).is_some_and(|run| run.token == claim.token) {
            jobs.remove(&claim.job.id);
        }
    }

    /// The tokens of all holds whose workers live.
    pub fn holds(&self) -> Vec<i64> {
        self.jobs.lock().values().map(|run| run.token).collect()
    }

    /// A job is so far.
    pub fn note(&self, id: &JobId, progress: Progress) {
        if let Some(run) = self.jobs.lock().get_mut(id) {
            run.progress = progress;
        }
    }

    /// How far a job is, if it runs here and has said so.
    pub fn progress(&self, id: &JobId) -> Option<Progress> {
        self.jobs.lock().get(id).map(|run| run.progress).filter(|progress| progress.total > 0)
    }

    /// Asks a job to stop, if it runs here.
    pub fn cancel(&self, id: &JobId) {
        if let Some(run) = self.jobs.lock().get(id) {
            run.cancel.request();
        }
    }

    /// How many run.
    pub fn count(&self) -> usize {
        self.jobs.lock().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Job, Moment, Order, Place, State};

    fn claim(id: &JobId, token: i64) -> Claim {
        let order = Order::of(Place::Uploaded);
        let job = Job {
            id: id.clone(),
            submitter: "ann".to_owned(),
            priority: 0,
            order,
            callback: None,
            state: State::Running,
            attempts: 1,
            cancelling: false,
            created: Moment(0),
            started: None,
            finished: None,
            score: None,
            scored_by: None,
            error: None,
        };
        Claim { job, token }
    }

    #[test]
    fn the_end_of_a_run_does_not_end_the_next_one() {
        let (running, id) = (Running::default(), JobId::new());
        let (first, second) = (claim(&id, 1), claim(&id, 2));
        running.begin(&first);
        let cancel = running.begin(&second);
        running.end(&first);
        assert_eq!(running.holds(), [2]);
        running.cancel(&id);
        assert!(cancel.requested());
        running.end(&second);
        assert_eq!(running.count(), 0);
    }
}
