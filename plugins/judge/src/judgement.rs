//! A judgement: what came of one pair, and what it cost.

use std::time::Duration;

/// What a judge says of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Both comments raise the same concern.
    Same,
    /// They do not.
    Different,
    /// The judge answered, and was asked again, but its answers say neither.
    Undecided,
    /// No answer came, after all retries.
    Failed,
}

impl Verdict {
    /// Whether the judge said yes or no.
    pub fn is_decided(self) -> bool {
        matches!(self, Self::Same | Self::Different)
    }
}

/// What came of one pair.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// What the judge says.
    pub verdict: Verdict,
    /// How sure the judge is, from 0 to 1, where it says so.
    pub confidence: Option<f64>,
    /// The judge's reason; of an undecided pair its last answer, of a failed one the error.
    pub reason: Option<String>,
    /// The answer that decided it as the judge wrote it, up to a bearable length. Not every verdict that is remembered has it.
    pub raw: Option<String>,
    /// Tokens that this pair cost in this run.
    pub tokens: u64,
    /// How long the server took, over all calls for this pair.
    pub latency: Duration,
    /// Whether the verdict was known already, from the disk or from an equal pair of this run.
    pub cached: bool,
    /// Calls made for this pair, also those that failed.
    pub calls: u32,
}

impl Judgement {
    /// A judgement that cost nothing.
    pub(crate) fn new(verdict: Verdict, confidence: Option<f64>, reason: Option<String>) -> Self {
        Self { verdict, confidence, reason, raw: None, tokens: 0, latency: Duration::ZERO, cached: false, calls: 0 }
    }

    /// The same for a pair of equal texts, which costs nothing.
    pub(crate) fn shared(&self) -> Self {
        Self { tokens: 0, latency: Duration::ZERO, cached: true, calls: 0, ..self.clone() }
    }
}
