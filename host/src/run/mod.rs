//! One job on one generation of its scorer.

mod in_process;
mod services;

pub use in_process::{Run, score, validate};
pub use services::{Cancel, JobServices};
