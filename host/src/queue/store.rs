//! The store: what the host asks of whatever keeps its jobs. Nothing here knows how it is kept.

use std::collections::HashSet;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;

use super::delivery::{Attempt, Delivered, Delivery};
use super::event::{Event, EventFilter};
use super::job::{Claim, Ending, Job, JobId, NewJob, State};
use super::moment::Moment;

/// An answer that comes later. Once it has come, what it says is on disk.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, QueueError>> + Send + 'a>>;

/// Everything that is kept.
pub trait Store: Queue + Journal + Outbox {}

impl<S: Queue + Journal + Outbox> Store for S {}

/// Jobs.
pub trait Queue: Send + Sync + 'static {
    /// Accepts jobs, all or none. A job whose key is known already is not accepted again; the answer names the one there is.
    fn submit(&self, jobs: Vec<NewJob>) -> Answer<'_, Vec<Submitted>>;

    /// Those of a submitter's keys under which something was accepted.
    fn used_keys(&self, submitter: &str, keys: Vec<String>) -> Answer<'_, HashSet<String>>;

    /// Takes the next job: the highest priority first, submitters in turn, then in the order of arrival. One whose
    /// workspace is being worked in lets those behind it go first. The lease ends after a while unless it is renewed. If
    /// the answer is dropped before it came, the job goes back.
    fn claim(&self, lease: Duration) -> Answer<'_, Option<Claim>>;

    /// Renews a lease.
    fn renew(&self, claim: &Claim, lease: Duration) -> Answer<'_, Beat>;

    /// Records how a job ended, if the lease is still the worker's own. `false`: it is not, and nothing was recorded.
    fn finish(&self, claim: &Claim, ending: Ending) -> Answer<'_, bool>;

    /// Puts a job back to where it was, as if it had not been taken. `false`: the lease is lost, and nothing was changed.
    fn give_back(&self, claim: &Claim) -> Answer<'_, bool>;

    /// Puts jobs whose lease has run out back into the queue; those that have been taken too often fail. Gives their
    /// number. The holds in `alive` are left alone, however late they are: whoever asks knows that their workers live,
    /// and after a pause of the whole machine every lease looks as if it had run out.
    fn recover(&self, alive: Vec<i64>) -> Answer<'_, usize>;

    /// Stops a job: at once if it waits; if it runs, its worker is told at the next renewal.
    fn cancel(&self, id: &JobId) -> Answer<'_, Changed>;

    /// Puts a job that has ended into the queue again, as if it were new. A callback that is still owed for that end is
    /// not made any more; the next end owes its own.
    fn requeue(&self, id: &JobId) -> Answer<'_, Changed>;

    /// A job.
    fn job(&self, id: &JobId) -> Answer<'_, Option<Job>>;

    /// The recorded result of a job that has ended.
    fn result(&self, id: &JobId) -> Answer<'_, Option<String>>;

    /// Jobs, the latest first, without their parameters.
    fn list(&self, filter: ListFilter) -> Answer<'_, Page>;

    /// How many jobs there are in each state.
    fn counts(&self) -> Answer<'_, Counts>;

    /// Writes a little, to see whether that can be done.
    fn check(&self) -> Answer<'_, ()>;

    /// Why nothing can be written, as far as is known: from the last check, or from a change that failed since.
    fn trouble(&self) -> Option<String>;

    /// Forgets jobs that ended before a moment, up to so many at a time, and gives their names. A job whose callback is
    /// still owed is kept.
    fn forget(&self, ended_before: Moment, most: usize) -> Answer<'_, Vec<JobId>>;
}

/// Events.
pub trait Journal: Send + Sync + 'static {
    /// Adds an event about scorers; those of jobs are added with the change they tell of.
    fn note(&self, kind: String, data: Value) -> Answer<'_, i64>;

    /// The events after a number, in order, up to so many. Very old ones are gone.
    fn events(&self, filter: EventFilter, most: usize) -> Answer<'_, Vec<Event>>;

    /// The number of the last event, as it changes. Whoever waits for jobs, events or deliveries waits for this. It is
    /// closed when the store can do nothing any more.
    fn last_event(&self) -> watch::Receiver<i64>;
}

/// Callbacks that are owed: one for each job with a callback that has ended, since the moment it did.
pub trait Outbox: Send + Sync + 'static {
    /// The deliveries that are due, the longest due first, up to so many behind the first `skip`; and when the next one
    /// will be. They stay due until an attempt is recorded.
    fn due(&self, skip: usize, most: usize) -> Answer<'_, (Vec<Delivery>, Option<Moment>)>;

    /// Records an attempt.
    fn attempted(&self, number: i64, attempt: Attempt) -> Answer<'_, ()>;

    /// All attempts for a job.
    fn deliveries(&self, id: &JobId) -> Answer<'_, Vec<Delivered>>;
}

/// What became of a job that was handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submitted {
    /// The job's name.
    pub id: JobId,
    /// Whether it is new; if not, it had been accepted under the same key.
    pub created: bool,
}

/// What a worker learns when it renews its lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beat {
    /// Go on.
    Go,
    /// Somebody wants the job to stop.
    Cancel,
    /// The job is no longer this worker's.
    Lost,
}

/// What became of a wish to change a job.
#[derive(Debug, Clone)]
pub enum Changed {
    /// There is no such job.
    Unknown,
    /// It cannot be done in this state, and nothing was changed.
    Refused(State),
    /// The job after the change.
    Changed(Box<Job>),
}

/// Which jobs are wanted.
#[derive(Debug, Clone, Default)]
pub struct ListFilter {
    /// Only those in this state.
    pub state: Option<State>,
    /// Only those of this submitter.
    pub submitter: Option<String>,
    /// Only those that this scorer ran (an id, without its version).
    pub scorer: Option<String>,
    /// Only those accepted before this one: the last one of the page before.
    pub before: Option<JobId>,
    /// At most so many.
    pub most: usize,
}

/// Some jobs.
#[derive(Debug, Clone)]
pub struct Page {
    /// The jobs, the latest first.
    pub jobs: Vec<Job>,
    /// Whether there are more.
    pub more: bool,
}

/// How many jobs there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// By state, in the order of [`State::ALL`].
    pub by_state: [u64; 5],
    /// Since when the first in the queue has been waiting.
    pub oldest_queued: Option<Moment>,
    /// Callbacks that are owed.
    pub owed: u64,
}

impl Counts {
    /// How many are in a state.
    pub fn of(&self, state: State) -> u64 {
        State::ALL.iter().zip(self.by_state).find(|(one, _)| **one == state).map_or(0, |(_, count)| count)
    }
}

/// Why a store could not do what it was asked.
#[derive(Debug, Clone)]
pub enum QueueError {
    /// So many jobs wait already.
    Full {
        /// The bound.
        limit: u64,
    },
    /// The key was used for another request.
    KeyReused {
        /// The key.
        key: String,
    },
    /// What keeps the jobs failed; nothing was changed.
    Failed(String),
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full { limit } => write!(f, "the queue is full: {limit} jobs wait"),
            Self::KeyReused { key } => write!(f, "the idempotency key '{key}' was used for another request"),
            Self::Failed(reason) => write!(f, "the store of jobs failed: {reason}"),
        }
    }
}

impl std::error::Error for QueueError {}
