//! A delivery: a callback that is owed since its job ended, and every attempt to make it.

use super::job::Job;
use super::moment::Moment;

/// A callback that is due now.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// Its number; the receiver can tell repetitions by it.
    pub number: i64,
    /// Where to.
    pub url: String,
    /// About which job, as it is now.
    pub job: Job,
    /// How many attempts there have been.
    pub attempts: u32,
}

/// What came of an attempt.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// The answer's status, if there was one.
    pub status: Option<u16>,
    /// Why it failed.
    pub error: Option<String>,
    /// When to try again; never if it was delivered or given up.
    pub again: Option<Moment>,
    /// Whether it was delivered.
    pub delivered: bool,
}

/// An attempt, as the log has it.
#[derive(Debug, Clone)]
pub struct Delivered {
    /// The delivery's number.
    pub number: i64,
    /// Counts from 1.
    pub attempt: u32,
    /// When.
    pub at: Moment,
    /// The answer's status, if there was one.
    pub status: Option<u16>,
    /// Why it failed.
    pub error: Option<String>,
    /// Whether it was delivered.
    pub delivered: bool,
}
