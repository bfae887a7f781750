//! The embedded store: one SQLite file beside the daemon. What was answered is on disk, whatever happens next.
//!
//! One thread writes and commits for all who wait; two only read. A second process is kept out by a lock, so whatever
//! was running when the file is opened belongs to nobody any more, and is put back at once.

mod claim;
mod end;
mod events;
mod examine;
mod handover;
mod line;
mod lock;
mod look;
mod outbox;
mod reader;
mod rows;
mod schema;
mod submit;
#[cfg(test)]
mod tests;
mod writer;

use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use serde_json::Value;
use tokio::sync::watch;

use super::delivery::{Attempt, Delivered, Delivery};
use super::event::{Event, EventFilter};
use super::job::{Claim, Ending, Job, JobId, NewJob};
use super::moment::Moment;
use super::store::{Answer, Beat, Changed, Counts, Journal, ListFilter, Outbox, Page, Queue, QueueError, Submitted};
pub use examine::examine;
use handover::Handover;
use lock::FileLock;
use reader::Readers;
use writer::Writer;

/// How long to wait for another program that has the file open, such as one that makes a backup.
const PATIENCE: Duration = Duration::from_secs(10);

/// A file up to this size is checked when it is opened; a larger one would keep the daemon from starting for too long.
const CHECKED: u64 = 64 << 20;

/// How the store behaves.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// So many jobs may wait.
    pub queue_limit: u64,
    /// A job whose worker died is run so often.
    pub max_attempts: u32,
    /// So many events are kept.
    pub keep_events: i64,
}

/// The open store. Dropping it ends what was asked for before, and closes the file.
// The order is the order of closing: who closes last tidies the file up, which only the writer may; then comes the lock.
pub struct Sqlite {
    readers: Readers,
    writer: Writer,
    last_event: watch::Receiver<i64>,
    options: Options,
    _lock: FileLock,
}

impl Sqlite {
    /// Opens the file, or makes it. A file that is not ours, is damaged or too new is refused, and left as it is.
    pub fn open(path: &Path, options: Options) -> Result<Self, QueueError> {
        open(path, options).map_err(|error| match error {
            QueueError::Failed(reason) => QueueError::Failed(format!("{}: {reason}", path.display())),
            other => other,
        })
    }
}

fn open(path: &Path, options: Options) -> Result<Sqlite, QueueError> {
    let failed = |error: std::io::Error| QueueError::Failed(error.to_string());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    let lock = FileLock::take(path)?;
    let size = private(path).map_err(failed)?;
    let db = Connection::open(path)?;
    db.busy_timeout(PATIENCE)?;
    // Before anything is set that would be written into somebody else's file.
    let empty = schema::is_empty(&db)?;
    configure(&db)?;
    if empty {
        schema::create(&db)?;
    }
    if size <= CHECKED {
        check(&db)?;
    }
    orphans(&db, options.max_attempts)?;
    let (told, last_event) = watch::channel(events::last(&db)?);
    let writer = Writer::start(db, told, options.keep_events)?;
    let readers = Readers::start(path)?;
    Ok(Sqlite { readers, writer, last_event, options, _lock: lock })
}

/// Makes the file for its owner only, if there is none: callbacks and parameters may hold secrets. Gives its size.
fn private(path: &Path) -> std::io::Result<u64> {
    Ok(OpenOptions::new().create(true).append(true).mode(0o600).open(path)?.metadata()?.len())
}

/// What every connection needs. With `synchronous = FULL`, a commit returns when it is on disk.
fn configure(db: &Connection) -> Result<(), QueueError> {
    db.busy_timeout(PATIENCE)?;
    db.set_prepared_statement_cache_capacity(64);
    db.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
         PRAGMA journal_size_limit = 67108864; PRAGMA temp_store = MEMORY;",
    )?;
    Ok(())
}

fn check(db: &Connection) -> Result<(), QueueError> {
    let found: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found == "ok" {
        return Ok(());
    }
    Err(QueueError::Failed(format!(
        "the file is damaged, and was left as it is ({found}); restore it from a backup, or move it away"
    )))
}

/// Whoever ran these is gone: no lease need run out.
fn orphans(db: &Connection, max_attempts: u32) -> Result<(), QueueError> {
    let transaction = db.unchecked_transaction()?;
    claim::recover(&transaction, Moment(i64::MAX), max_attempts)?;
    Ok(transaction.commit()?)
}

impl Queue for Sqlite {
    fn submit(&self, jobs: Vec<NewJob>) -> Answer<'_, Vec<Submitted>> {
        let limit = self.options.queue_limit;
        self.writer.ask(move |db| submit::submit(db, &jobs, limit))
    }

    fn claim(&self, lease: Duration) -> Answer<'_, Option<Claim>> {
        Box::pin(async move {
            let back = self.writer.asking()?;
            let asked = self.writer.ask(move |db| Ok(claim::claim(db, lease)?.map(|claim| Handover::new(claim, back))));
            Ok(asked.await?.and_then(Handover::take))
        })
    }

    fn renew(&self, claim: &Claim, lease: Duration) -> Answer<'_, Beat> {
        let (id, token) = hold(claim);
        self.writer.ask(move |db| claim::renew(db, &id, token, lease))
    }

    fn finish(&self, claim: &Claim, ending: Ending) -> Answer<'_, bool> {
        let (id, token) = hold(claim);
        self.writer.ask(move |db| end::finish(db, &id, token, &ending))
    }

    fn give_back(&self, claim: &Claim) -> Answer<'_, bool> {
        let (id, token) = hold(claim);
        self.writer.ask(move |db| claim::give_back(db, &id, token))
    }

    fn recover(&self) -> Answer<'_, usize> {
        let most = self.options.max_attempts;
        self.writer.ask(move |db| claim::recover(db, Moment::now(), most))
    }

    fn cancel(&self, id: &JobId) -> Answer<'_, Changed> {
        let id = id.clone();
        self.writer.ask(move |db| end::cancel(db, &id))
    }

    fn requeue(&self, id: &JobId) -> Answer<'_, Changed> {
        let (id, limit) = (id.clone(), self.options.queue_limit);
        self.writer.ask(move |db| end::requeue(db, &id, limit))
    }

    fn job(&self, id: &JobId) -> Answer<'_, Option<Job>> {
        let id = id.clone();
        self.readers.ask(move |db| rows::find(db, &id))
    }

    fn result(&self, id: &JobId) -> Answer<'_, Option<String>> {
        let id = id.clone();
        self.readers.ask(move |db| look::result(db, &id))
    }

    fn list(&self, filter: ListFilter) -> Answer<'_, Page> {
        self.readers.ask(move |db| look::list(db, &filter))
    }

    fn counts(&self) -> Answer<'_, Counts> {
        self.readers.ask(look::counts)
    }

    fn forget(&self, ended_before: Moment, most: usize) -> Answer<'_, Vec<JobId>> {
        self.writer.ask(move |db| end::forget(db, ended_before, most))
    }
}

fn hold(claim: &Claim) -> (JobId, i64) {
    (claim.job.id.clone(), claim.token)
}

impl Journal for Sqlite {
    fn note(&self, kind: String, data: Value) -> Answer<'_, i64> {
        self.writer.ask(move |db| events::add(db, &kind, None, &data))
    }

    fn events(&self, filter: EventFilter, most: usize) -> Answer<'_, Vec<Event>> {
        self.readers.ask(move |db| events::after(db, &filter, most))
    }

    fn last_event(&self) -> watch::Receiver<i64> {
        self.last_event.clone()
    }
}

impl Outbox for Sqlite {
    fn due(&self, most: usize) -> Answer<'_, (Vec<Delivery>, Option<Moment>)> {
        self.readers.ask(move |db| outbox::due(db, Moment::now(), most))
    }

    fn attempted(&self, number: i64, attempt: Attempt) -> Answer<'_, ()> {
        self.writer.ask(move |db| outbox::attempted(db, number, &attempt))
    }

    fn deliveries(&self, id: &JobId) -> Answer<'_, Vec<Delivered>> {
        let id = id.clone();
        self.readers.ask(move |db| outbox::deliveries(db, &id))
    }
}
