//! The writer: the one thread that changes the file. What waits is done together and committed once, so that being
//! durable costs one write to the disk for all who wait for it.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::{oneshot, watch};

use super::super::store::{Answer, QueueError};
use super::events;
use super::trouble::Trouble;

/// So many requests share a commit at most.
const MOST: usize = 512;

/// Told what became of the commit, it answers the one who asked.
type Reply = Box<dyn FnOnce(Result<(), QueueError>)>;

/// Done with the connection, or, if there is none to be had, without.
type Request = Box<dyn FnOnce(Result<&Connection, QueueError>) -> Reply + Send>;

/// The way to the thread.
#[derive(Clone)]
pub struct Asking(Sender<Request>);

impl Asking {
    /// Has something done. The answer comes after the commit; what is refused changes nothing.
    pub fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, QueueError> + Send + 'static,
    ) -> Answer<'static, T> {
        let (reply, answer) = oneshot::channel();
        let request: Request = Box::new(move |db| {
            let outcome = db.and_then(|db| apart(db, work));
            Box::new(move |committed| {
                // Whoever asked may have gone: what was done stays done.
                let _ = reply.send(committed.and(outcome));
            })
        });
        // If the thread is gone, the request is dropped with its reply, and the answer says so.
        let _ = self.0.send(request);
        Box::pin(async move { answer.await.unwrap_or_else(|_| Err(stopped())) })
    }
}

/// The thread, and the way to it.
pub struct Writer {
    asking: Option<Asking>,
    thread: Option<JoinHandle<()>>,
}

impl Writer {
    /// Starts the thread. It tells the number of the last event after each commit, and keeps so many of them; and it
    /// tells when a commit has failed.
    pub fn start(
        db: Connection,
        last: watch::Sender<i64>,
        trouble: Trouble,
        keep_events: i64,
    ) -> Result<Self, QueueError> {
        let (requests, waiting) = mpsc::channel();
        let gone = events::first(&db)? - 1;
        let work = Work { db, waiting, last, trouble, keep_events: keep_events.max(0), gone };
        let thread = std::thread::Builder::new()
            .name("queue-writer".to_owned())
            .spawn(move || work.run())
            .map_err(|error| QueueError::Failed(format!("no thread for the queue: {error}")))?;
        Ok(Self { asking: Some(Asking(requests)), thread: Some(thread) })
    }

    /// The way to the thread. The thread ends when nobody has one any more.
    pub fn asking(&self) -> Result<Asking, QueueError> {
        self.asking.clone().ok_or_else(stopped)
    }

    /// Has something done; see [`Asking::ask`].
    pub fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, QueueError> + Send + 'static,
    ) -> Answer<'static, T> {
        match self.asking() {
            Ok(asking) => asking.ask(work),
            Err(error) => Box::pin(async { Err(error) }),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.asking = None;
        // What was asked before is still done.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// What the answer is when there is no thread any more.
pub fn stopped() -> QueueError {
    QueueError::Failed("its thread has stopped; restart the daemon".to_owned())
}

/// The thread's own.
struct Work {
    db: Connection,
    waiting: Receiver<Request>,
    last: watch::Sender<i64>,
    trouble: Trouble,
    keep_events: i64,
    /// The events up to this number have been trimmed.
    gone: i64,
}

impl Work {
    fn run(mut self) {
        while let Ok(first) = self.waiting.recv() {
            let mut batch = vec![first];
            batch.extend(self.waiting.try_iter().take(MOST - 1));
            self.commit(batch);
        }
    }

    fn commit(&mut self, batch: Vec<Request>) {
        let mut replies = Vec::with_capacity(batch.len());
        let outcome = self.transact(batch, &mut replies);
        if outcome.is_err() && !self.db.is_autocommit() {
            // If even this fails, the next BEGIN does, and says why.
            let _ = self.db.execute_batch("ROLLBACK");
        }
        match &outcome {
            Ok((last, gone)) => {
                self.gone = *gone;
                self.last.send_if_modified(|known| std::mem::replace(known, *last) != *last);
            }
            Err(error) => self.trouble.note(Some(error)),
        }
        let told = outcome.map(|_| ());
        replies.into_iter().for_each(|reply| reply(told.clone()));
    }

    /// All requests and their commit. Gives the number of the last event, and up to which one they are gone.
    fn transact(&self, batch: Vec<Request>, replies: &mut Vec<Reply>) -> Result<(i64, i64), QueueError> {
        let mut alive = self.db.execute_batch("BEGIN IMMEDIATE").map_err(QueueError::from);
        for request in batch {
            replies.push(request(alive.clone().map(|()| &self.db)));
            // A full disk ends the whole transaction, with what the requests before this one did.
            if alive.is_ok() && self.db.is_autocommit() {
                alive = Err(QueueError::Failed("the disk failed or is full; nothing was changed".to_owned()));
            }
        }
        alive?;
        let last = events::last(&self.db)?;
        let gone = events::trim(&self.db, self.gone, last.saturating_sub(self.keep_events))?;
        self.db.execute_batch("COMMIT")?;
        Ok((last, gone))
    }
}

/// Runs one request so that, if it is refused, it leaves nothing behind.
fn apart<T>(db: &Connection, work: impl FnOnce(&Connection) -> Result<T, QueueError>) -> Result<T, QueueError> {
    let run = |sql: &str| db.prepare_cached(sql)?.execute([]).map_err(QueueError::from);
    run("SAVEPOINT request")?;
    let outcome = work(db);
    if outcome.is_err() && !db.is_autocommit() {
        run("ROLLBACK TO request")?;
    }
    if !db.is_autocommit() {
        run("RELEASE request")?;
    }
    outcome
}
