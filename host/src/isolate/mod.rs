//! A process apart: how a worker is started, confined, spoken to, limited and ended. Knows nothing of libraries.
//!
//! Invariants: a worker never outlives its host; what it may use is bound in every phase; whatever it does ends one call.

pub mod confine;
mod ending;
mod limits;
mod output;
mod pool;
pub mod protocol;
mod worker;

pub use ending::{Ending, GRACE, KILLED, signal_name};
pub use limits::Limits;
pub use pool::{Pool, PoolError};
pub use worker::{Call, Setup, StartError, Worker};
