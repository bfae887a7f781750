//! An event: something that happened to a job or a scorer, numbered without end, kept for those who come back.

use serde_json::Value;

use super::moment::Moment;

/// Something that happened.
#[derive(Debug, Clone)]
pub struct Event {
    /// Counts up for ever, also over restarts.
    pub number: i64,
    /// When it happened.
    pub at: Moment,
    /// `job.queued`, `job.running`, `scorer.live`, …
    pub kind: String,
    /// The job it is about.
    pub job: Option<String>,
    /// What there is to say.
    pub data: Value,
}

/// Which events are wanted.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// Those after this number.
    pub after: i64,
    /// Those of this job only.
    pub job: Option<String>,
    /// Those whose kind begins like this only: `job.` or `scorer.`.
    pub kind: Option<String>,
}
