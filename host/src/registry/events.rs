//! The stream of lifecycle events: one for the log, the command line and the daemon.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::SystemTime;

use parking_lot::Mutex;
use serde::Serialize;

use crate::load::Refusal;
use crate::telemetry::paths::as_text;
use crate::telemetry::time::iso8601;

/// Something happened to a file or a generation.
#[derive(Debug, Clone, Serialize)]
pub struct Event {
    /// Counts from 1 without gaps.
    pub number: u64,
    /// When it happened.
    #[serde(serialize_with = "as_iso8601")]
    pub timestamp: SystemTime,
    /// What happened.
    #[serde(flatten)]
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum What {
    /// A file has come or has changed; it is waited for until it is quiet.
    Found {
        /// The file.
        #[serde(serialize_with = "as_text")]
        file: PathBuf,
    },
    /// A file is not live, and why; what was live before still is.
    Refused(Refusal),
    /// A generation's scorers can be used.
    Live(Subject),
    /// Two custom files have a scorer of the same name: the newer one has it.
    Shadowed {
        /// The scorer.
        scorer: String,
        /// The file that has the name.
        #[serde(serialize_with = "as_text")]
        winner: PathBuf,
        /// The file that had it, and has it again once the other is gone.
        #[serde(serialize_with = "as_text")]
        loser: PathBuf,
    },
    /// A generation takes no more jobs; some still run on it.
    Draining(Subject),
    /// A generation is gone, and its last job has ended.
    Retired(Subject),
    /// A generation has crashed or timed out too often and gets no more jobs.
    Quarantined {
        /// The generation.
        #[serde(flatten)]
        subject: Subject,
        /// What happened last.
        reason: String,
        /// The scorers of the earlier generation that has its place again.
        restored: Option<Vec<String>>,
    },
    /// Following the folder has a problem of its own.
    Trouble {
        /// For people.
        message: String,
    },
}

/// A generation, as events name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Subject {
    /// The file it came from.
    #[serde(serialize_with = "as_text")]
    pub file: PathBuf,
    /// Its number.
    pub generation: u64,
    /// Of the library's content; none where it has not been read yet, as that of a built-in one before it is used.
    pub sha256: Option<String>,
    /// Its scorers as `id@version`.
    pub scorers: Vec<String>,
    /// How many jobs run on it.
    pub jobs: usize,
}

/// Where events go out and subscribers come in.
#[derive(Default)]
pub struct Events {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    last: u64,
    subscribers: Vec<Sender<Arc<Event>>>,
}

impl Events {
    /// Everything that happens from now on, in order.
    pub fn subscribe(&self) -> Receiver<Arc<Event>> {
        let (sender, receiver) = channel();
        self.inner.lock().subscribers.push(sender);
        receiver
    }

    /// Tells all subscribers; one that has gone away is forgotten.
    pub fn publish(&self, what: What) {
        let mut inner = self.inner.lock();
        inner.last += 1;
        let event = Arc::new(Event { number: inner.last, timestamp: SystemTime::now(), what });
        inner.subscribers.retain(|subscriber| subscriber.send(event.clone()).is_ok());
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Found { file } => write!(f, "found     {}", file.display()),
            What::Refused(refusal) => write!(f, "refused   {refusal}"),
            What::Live(subject) => write!(f, "live      {subject}"),
            What::Shadowed { scorer, winner, loser } => {
                let (winner, loser) = (winner.display(), loser.display());
                write!(
                    f,
                    "shadowed  two files have the scorer '{scorer}': {winner}, the newer one, is used, not {loser}"
                )
            }
            What::Draining(subject) => write!(f, "draining  {subject}, {} jobs", subject.jobs),
            What::Retired(subject) => write!(f, "retired   {subject}"),
            What::Quarantined { subject, reason, restored } => {
                let restored = restored.as_ref().map_or("nothing takes its place".to_owned(), |scorers| {
                    format!("{} takes its place again", scorers.join(", "))
                });
                write!(f, "quarantined  {subject}: {reason}; {restored}")
            }
            What::Trouble { message } => write!(f, "trouble   {message}"),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = self.sha256.as_deref().and_then(|sha256| sha256.get(..12)).unwrap_or("not read yet");
        write!(
            f,
            "{} from {} (sha256 {short}, generation {})",
            self.scorers.join(", "),
            self.file.display(),
            self.generation
        )
    }
}

fn as_iso8601<S: serde::Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&iso8601(*time))
}
