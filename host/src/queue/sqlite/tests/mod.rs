//! The embedded store, asked through the traits that the rest of the host knows.

mod changes;
mod files;
mod journal;
mod model;
mod outbox;
mod submit;
mod troubles;
mod turns;

use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::Map;
use tempfile::TempDir;

use super::*;
use crate::queue::job::{Order, Place, State};

const LONG: Duration = Duration::from_secs(3600);
const OPTIONS: Options = Options { queue_limit: 100, max_attempts: 3, keep_events: 10_000 };

/// A store in a folder of its own.
struct Fixture {
    folder: TempDir,
    store: Sqlite,
}

impl std::ops::Deref for Fixture {
    type Target = Sqlite;

    fn deref(&self) -> &Sqlite {
        &self.store
    }
}

impl Fixture {
    fn new() -> Self {
        Self::with(OPTIONS)
    }

    fn with(options: Options) -> Self {
        let folder = TempDir::new().unwrap();
        let store = Sqlite::open(&folder.path().join("queue.db"), options).unwrap();
        Self { folder, store }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("queue.db")
    }

    /// As after a restart.
    fn reopened(self) -> Self {
        let (folder, options) = (self.folder, self.store.options);
        drop(self.store);
        let store = Sqlite::open(&folder.path().join("queue.db"), options).unwrap();
        Self { folder, store }
    }

    async fn add(&self, job: NewJob) -> JobId {
        let submitted = self.submit(vec![job]).await.unwrap();
        assert!(submitted[0].created);
        submitted[0].id.clone()
    }

    async fn take(&self) -> Claim {
        self.claim(LONG).await.unwrap().unwrap()
    }

    async fn get(&self, id: &JobId) -> Job {
        self.job(id).await.unwrap().unwrap()
    }

    async fn first_due(&self) -> (Option<Delivery>, Option<Moment>) {
        let (due, next) = self.due(0, 1).await.unwrap();
        (due.into_iter().next(), next)
    }

    async fn kinds(&self) -> Vec<String> {
        let events = self.events(EventFilter::default(), 1000).await.unwrap();
        events.into_iter().map(|event| event.kind).collect()
    }
}

/// A job in a workspace of its own.
fn job(submitter: &str, priority: i32) -> NewJob {
    job_in(&format!("some/where/{}", JobId::new()), submitter, priority)
}

fn job_in(workspace: &str, submitter: &str, priority: i32) -> NewJob {
    NewJob {
        id: JobId::new(),
        submitter: submitter.to_owned(),
        priority,
        order: Order {
            workspace: Place::Path(workspace.to_owned()),
            scorer: Some("mean".to_owned()),
            params: Map::from_iter([("k".to_owned(), 5.into())]),
            artifacts: true,
            time_limit: Some(1.5),
            memory_limit: Some(1 << 40),
        },
        callback: None,
        key: None,
        fingerprint: "f".to_owned(),
    }
}

fn with_key(submitter: &str, key: &str, fingerprint: &str) -> NewJob {
    NewJob { key: Some(key.to_owned()), fingerprint: fingerprint.to_owned(), ..job(submitter, 0) }
}

fn with_callback() -> NewJob {
    NewJob { callback: Some("http://there/hook".to_owned()), ..job("ann", 0) }
}

fn done() -> Ending {
    Ending::Done {
        result: "{\"score\": 0.1}".to_owned(),
        score: Some(0.1 + 0.2),
        scored_by: Some("mean@1.2.0".to_owned()),
    }
}

fn failed() -> Ending {
    let error = ScoreError::new(ErrorCode::BadFormat, "a cell is empty").file("gt.csv").line(7).detail("n", 3);
    Ending::Failed { result: Some("{}".to_owned()), error, scored_by: None }
}

/// Keeps the writer busy until it is told to go on, so that what is asked meanwhile shares a commit.
fn hold_up(store: &Sqlite) -> mpsc::Sender<()> {
    let (go, wait) = mpsc::channel::<()>();
    let (busy, is_busy) = mpsc::channel::<()>();
    drop(store.writer.ask(move |_| Ok((busy.send(()).ok(), wait.recv().ok()))));
    // From here on nothing more is taken into the commit that is held up.
    is_busy.recv().unwrap();
    go
}
