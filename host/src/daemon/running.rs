//! What runs in this process now: how far it is, and the way to stop it.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde::Serialize;

use crate::queue::JobId;
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
    jobs: Mutex<HashMap<JobId, (Cancel, Progress)>>,
}

impl Running {
    /// A job begins; the word to stop it is the answer.
    pub fn begin(&self, id: &JobId) -> Cancel {
        let cancel = Cancel::default();
        self.jobs.lock().insert(id.clone(), (cancel.clone(), Progress::default()));
        cancel
    }

    /// A job has ended.
    pub fn end(&self, id: &JobId) {
        self.jobs.lock().remove(id);
    }

    /// A job is so far.
    pub fn note(&self, id: &JobId, progress: Progress) {
        if let Some((_, known)) = self.jobs.lock().get_mut(id) {
            *known = progress;
        }
    }

    /// How far a job is, if it runs here and has said so.
    pub fn progress(&self, id: &JobId) -> Option<Progress> {
        self.jobs.lock().get(id).map(|(_, progress)| *progress).filter(|progress| progress.total > 0)
    }

    /// Asks a job to stop, if it runs here.
    pub fn cancel(&self, id: &JobId) {
        if let Some((cancel, _)) = self.jobs.lock().get(id) {
            cancel.request();
        }
    }

    /// Asks all jobs to stop.
    pub fn cancel_all(&self) {
        for (cancel, _) in self.jobs.lock().values() {
            cancel.request();
        }
    }

    /// How many run.
    pub fn count(&self) -> usize {
        self.jobs.lock().len()
    }
}
