//! Usage: what a run has cost, told while it goes on and at its end.

use std::time::{Duration, Instant};

use crate::judgement::{Judgement, Verdict};

/// What a run has cost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// Pairs (or texts) that got an answer, an undecided one, or a failure.
    pub done: u64,
    /// Calls made, also those that failed.
    pub calls: u64,
    /// Pairs whose verdict was on disk.
    pub cached: u64,
    /// Pairs whose texts equal those of another pair of this run.
    pub shared: u64,
    /// Calls made once more after a failure.
    pub retries: u64,
    /// Tokens, as the server counts them; estimated where it does not.
    pub tokens: u64,
    /// Pairs to which the judge said neither yes nor no.
    pub undecided: u64,
    /// Pairs without an answer.
    pub failed: u64,
    /// Whether the run was stopped before all was asked.
    pub stopped: bool,
    /// Why verdicts could not be kept on disk, if they could not.
    pub cache_error: Option<String>,
}

impl Usage {
    /// Counts the outcome of a pair.
    pub(crate) fn count(&mut self, judgement: &Judgement) {
        self.done += 1;
        self.tokens += judgement.tokens;
        match judgement.verdict {
            Verdict::Undecided => self.undecided += 1,
            Verdict::Failed => self.failed += 1,
            Verdict::Same | Verdict::Different => {}
        }
    }
}

/// How far a run is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// Pairs (or texts) that are done.
    pub done: u64,
    /// Pairs that are known so far: done, in flight, or waiting for a slot. The plan may still add to it.
    pub total: u64,
    /// Calls made, also those that failed.
    pub calls: u64,
    /// Pairs that needed no call.
    pub cached: u64,
    /// Pairs without an answer.
    pub failed: u64,
    /// Pairs to which the judge said neither yes nor no.
    pub undecided: u64,
    /// Tokens so far.
    pub tokens: u64,
    /// Pairs done by calls, each second, since the run began.
    pub rate: f64,
}

/// Tells how far a run is, not more often than anybody can read.
pub(crate) struct Reporter<'r> {
    progress: &'r (dyn Fn(&Progress) + Sync),
    begin: Instant,
    told: Option<Instant>,
    /// What is known so far.
    pub total: u64,
}

impl<'r> Reporter<'r> {
    pub(crate) fn new(progress: &'r (dyn Fn(&Progress) + Sync)) -> Self {
        Self { progress, begin: Instant::now(), told: None, total: 0 }
    }

    /// Tells it if it is time, or at the end.
    pub(crate) fn tell(&mut self, usage: &Usage, end: bool) {
        const BETWEEN: Duration = Duration::from_millis(50);
        if !end && self.told.is_some_and(|told| told.elapsed() < BETWEEN) {
            return;
        }
        self.told = Some(Instant::now());
        let cached = usage.cached + usage.shared;
        let seconds = self.begin.elapsed().as_secs_f64().max(1e-3);
        (self.progress)(&Progress {
            done: usage.done,
            total: self.total,
            calls: usage.calls,
            cached,
            failed: usage.failed,
            undecided: usage.undecided,
            tokens: usage.tokens,
            rate: (usage.done - cached) as f64 / seconds,
        });
    }
}
