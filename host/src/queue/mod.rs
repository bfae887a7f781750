//! The queue: jobs that outlive the process. Accepted means on disk; a result is recorded exactly once.
//!
//! [`Store`] is all that the rest of the host knows of it, so that an external engine can take the place of the
//! embedded one. A job goes `queued -> running -> done | failed | cancelled`; who runs it holds a lease, and a job whose
//! lease has run out is run again, up to a cap.

mod delivery;
mod event;
mod job;
mod moment;
mod sqlite;
mod store;

pub use delivery::{Attempt, Delivered, Delivery};
pub use event::{Event, EventFilter};
pub use job::{Claim, Ending, Job, JobId, NewJob, Order, Place, State};
pub use moment::Moment;
pub use sqlite::{Options as SqliteOptions, Sqlite, examine};
pub use store::{
    Answer, Beat, Changed, Counts, Journal, ListFilter, Outbox, Page, Queue, QueueError, Store, Submitted,
};
