//! The sweep: what is looked after every few seconds, as long as the daemon runs.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::interval;

use super::folders::Folders;
use super::running::Running;
use super::tally::Tally;
use crate::queue::{JobId, Moment, Store};

const EVERY: Duration = Duration::from_secs(5);

/// So many old jobs are forgotten at a time.
const FORGOTTEN: usize = 500;

/// What is looked after: leases that have run out, jobs that are too old, and whether the store can write.
pub struct Sweep {
    /// What keeps the jobs.
    pub store: Arc<dyn Store>,
    /// What runs here.
    pub running: Arc<Running>,
    /// Where uploads and logs are.
    pub folders: Folders,
    /// What counts ended jobs.
    pub tally: Arc<Tally>,
    /// How long ended jobs are kept.
    pub keep: Duration,
}

impl Sweep {
    /// Goes on for ever.
    pub async fn run(self) {
        let mut ticks = interval(EVERY);
        loop {
            ticks.tick().await;
            // What comes of it is the store's to tell.
            _ = self.store.check().await;
            self.recover().await;
            self.forget().await;
            if let Err(error) = self.tally.catch_up().await {
                tracing::error!(%error, "ended jobs cannot be counted");
            }
        }
    }

    async fn recover(&self) {
        let _settled = self.running.settled().await;
        match self.store.recover(self.running.holds()).await {
            Ok(0) => {}
            Ok(count) => tracing::warn!(count, "jobs whose worker has let them go"),
            Err(error) => tracing::error!(%error, "leases cannot be looked at"),
        }
    }

    async fn forget(&self) {
        match self.store.forget(Moment::now().minus(self.keep), FORGOTTEN).await {
            Ok(forgotten) if forgotten.is_empty() => {}
            Ok(forgotten) => self.remove(forgotten).await,
            Err(error) => tracing::error!(%error, "old jobs cannot be forgotten"),
        }
    }

    /// What cannot be removed now is removed at the next start, since no job has its name.
    async fn remove(&self, forgotten: Vec<JobId>) {
        let folders = self.folders.clone();
        let removing = tokio::task::spawn_blocking(move || {
            for id in forgotten {
                if let Err(error) = folders.remove(&id) {
                    tracing::warn!(job = %id, %error, "the folder of an old job cannot be removed");
                }
            }
        });
        if let Err(error) = removing.await {
            tracing::error!(%error, "the folders of old jobs were not removed");
        }
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::queue::{Claim, Ending, NewJob, Order, Place, Sqlite, SqliteOptions, State};
    use crate::telemetry::metrics::Metrics;

    struct Fixture {
        sweep: Sweep,
        metrics: Arc<Metrics>,
        _folder: TempDir,
    }

    impl Fixture {
        fn new() -> Self {
            let folder = TempDir::new().unwrap();
            let folders = Folders::open(folder.path()).unwrap();
            let options = SqliteOptions { queue_limit: 100, max_attempts: 1, keep_events: 1000 };
            let store: Arc<dyn Store> = Arc::new(Sqlite::open(&folders.queue(), options).unwrap());
            let metrics = Arc::new(Metrics::default());
            let tally = Arc::new(Tally::new(store.clone(), metrics.clone()));
            let keep = Duration::from_secs(3600);
            let sweep = Sweep { store, running: Arc::default(), folders, tally, keep };
            Self { sweep, metrics, _folder: folder }
        }

        async fn submit(&self) -> JobId {
            let order = Order::of(Place::Uploaded);
            let id = JobId::new();
            let job = NewJob {
                id: id.clone(),
                submitter: "ann".to_owned(),
                priority: 0,
                order,
                callback: None,
                key: None,
                fingerprint: String::new(),
            };
            self.sweep.store.submit(vec![job]).await.unwrap();
            id
        }

        async fn claim(&self, lease: Duration) -> Claim {
            self.sweep.store.claim(lease).await.unwrap().unwrap()
        }

        async fn state(&self, id: &JobId) -> State {
            self.sweep.store.job(id).await.unwrap().unwrap().state
        }
    }

    #[tokio::test]
    async fn a_job_that_runs_here_is_never_taken_for_dead_however_late_its_lease_is() {
        let fixture = Fixture::new();
        let running = fixture.sweep.running.clone();
        let id = fixture.submit().await;
        // As after a pause of the whole machine, or a step of the clock.
        let claim = fixture.claim(Duration::ZERO).await;
        running.begin(&claim);
        fixture.sweep.recover().await;
        assert_eq!(fixture.state(&id).await, State::Running);
        running.end(&claim);
        fixture.sweep.recover().await;
        assert_eq!(fixture.state(&id).await, State::Failed, "nobody has it any more, and it was tried often enough");
    }

    #[tokio::test]
    async fn a_job_on_its_way_to_its_worker_is_not_taken_for_dead() {
        let fixture = Fixture::new();
        let id = fixture.submit().await;
        let taking = fixture.sweep.running.taking().await;
        let claim = fixture.claim(Duration::ZERO).await;
        let sweep = fixture.sweep.recover();
        let begins = async {
            tokio::task::yield_now().await;
            fixture.sweep.running.begin(&claim);
            drop(taking);
        };
        tokio::join!(sweep, begins);
        assert_eq!(fixture.state(&id).await, State::Running);
    }

    #[tokio::test]
    async fn every_end_is_counted_once_wherever_it_was_made() {
        let fixture = Fixture::new();
        for _ in 0..4 {
            fixture.submit().await;
        }
        let done = Ending::Done { result: "{}".to_owned(), score: None, scored_by: None };
        let claim = fixture.claim(fixture.sweep.keep).await;
        assert!(fixture.sweep.store.finish(&claim, done.clone()).await.unwrap());
        assert!(!fixture.sweep.store.finish(&claim, done).await.unwrap());
        fixture.claim(Duration::ZERO).await;
        fixture.sweep.recover().await;
        let waits = fixture.submit().await;
        fixture.sweep.store.cancel(&waits).await.unwrap();
        for _ in 0..2 {
            fixture.sweep.tally.catch_up().await.unwrap();
        }
        let text = fixture.metrics.text(&fixture.sweep.store.counts().await.unwrap(), 0, 0);
        for state in ["done", "failed", "cancelled"] {
            let line = format!("autoscorer_jobs_ended_total{{state=\"{state}\"}} 1\n");
            assert!(text.contains(&line), "{state}: {text}");
        }
    }
}
