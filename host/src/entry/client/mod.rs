//! The client: what the commands know of a daemon.
//!
//! A [`Server`] carries calls and says what a refusal means; [`Submission`] hands work in; [`JobSeen`] is what comes
//! back; [`Events`] follows what happens.

mod events;
mod job;
mod pack;
mod refusal;
mod server;
mod submission;

pub use events::{Events, Told};
pub use job::JobSeen;
pub use refusal::is_unreachable;
pub use server::Server;
pub use submission::{Accepted, Submission};
