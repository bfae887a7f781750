//! What the host does for a scorer during a call: its log, its progress, and the word to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use autoscorer_plugin_api::abi::HostServices;
use autoscorer_plugin_api::context::Level;

use crate::telemetry::narrate;

/// The word to stop, for all jobs of a command.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// The flag itself, for a signal to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }

    /// Whether it was said.
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The services for one job.
pub struct JobServices {
    job: String,
    cancel: Cancel,
}

impl JobServices {
    /// Services for a job of this name.
    pub fn new(job: &str, cancel: &Cancel) -> Self {
        Self { job: job.to_owned(), cancel: cancel.clone() }
    }
}

impl HostServices for JobServices {
    fn log(&self, level: Level, message: &str) {
        narrate::line(level, format_args!("{}: {message}", self.job));
    }

    fn progress(&self, done: u64, total: u64) {
        narrate::line(Level::Debug, format_args!("{}: {done} of {total}", self.job));
    }

    fn cancelled(&self) -> bool {
        self.cancel.requested()
    }
}
