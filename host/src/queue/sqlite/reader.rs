//! The readers: threads that only look, each at a state of the file between two commits. A long list never delays a
//! commit.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;

use parking_lot::Mutex;
use rusqlite::{Connection, OpenFlags};
use tokio::sync::oneshot;

use super::super::store::{Answer, QueueError};
use super::writer::stopped;

/// One may be busy with a long list while the other answers the rest.
const THREADS: usize = 2;

type Question = Box<dyn FnOnce(&Connection) + Send>;

/// The way to the threads.
pub struct Readers {
    questions: Option<Sender<Question>>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    /// Opens the file once for each thread. The writer must have it open already.
    pub fn start(path: &Path) -> Result<Self, QueueError> {
        let (questions, waiting) = mpsc::channel::<Question>();
        let waiting = Arc::new(Mutex::new(waiting));
        let mut readers = Self { questions: Some(questions), threads: Vec::new() };
        for _ in 0..THREADS {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let db = Connection::open_with_flags(path, flags)?;
            super::configure(&db)?;
            let waiting = waiting.clone();
            let thread = std::thread::Builder::new()
                .name("queue-reader".to_owned())
                .spawn(move || answer_all(&db, &waiting))
                .map_err(|error| QueueError::Failed(format!("no thread for the queue: {error}")))?;
            readers.threads.push(thread);
        }
        Ok(readers)
    }

    /// Has something looked up. Nobody looks for one who has gone.
    pub fn ask<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Connection) -> Result<T, QueueError> + Send + 'static,
    ) -> Answer<'static, T> {
        let (reply, answer) = oneshot::channel();
        let question: Question = Box::new(move |db| {
            if !reply.is_closed() {
                let _ = reply.send(in_one_state(db, look));
            }
        });
        let _ = self.questions.as_ref().map(|questions| questions.send(question));
        Box::pin(async move { answer.await.unwrap_or_else(|_| Err(stopped())) })
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.questions = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn answer_all(db: &Connection, waiting: &Mutex<Receiver<Question>>) {
    loop {
        // Only the waiting is done under the lock.
        let question = waiting.lock().recv();
        let Ok(question) = question else { return };
        question(db);
    }
}

/// Several looks in one question see the same state.
fn in_one_state<T>(db: &Connection, look: impl FnOnce(&Connection) -> Result<T, QueueError>) -> Result<T, QueueError> {
    let transaction = db.unchecked_transaction()?;
    let found = look(&transaction)?;
    transaction.commit()?;
    Ok(found)
}
