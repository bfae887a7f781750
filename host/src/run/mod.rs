//! One job on one generation of its scorer.

mod call;
mod services;
pub mod worker;

pub use call::{Place, Run, score, validate};
pub use services::{Cancel, JobServices};
