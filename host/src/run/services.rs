//! What the host does for a scorer during a call: its log, its progress, and the word to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use autoscorer_plugin_api::abi::HostServices;
use autoscorer_plugin_api::context::Level;
use parking_lot::Mutex;

use crate::isolate::protocol::Used;
use crate::job::{Job, Observer};
use crate::telemetry::narrate;

/// The word to stop, for all jobs of a command.
#[derive(Debug, Clone, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// The flag itself, for a signal to set.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }

    /// Says it.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
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
    observer: Observer,
    used: Mutex<Option<Used>>,
}

impl JobServices {
    /// Services for a job.
    pub fn new(job: &Job, cancel: &Cancel) -> Self {
        let (name, observer) = (job.workspace.given().to_owned(), job.observer.clone());
        Self { job: name, cancel: cancel.clone(), observer, used: Mutex::default() }
    }

    /// Notes what a worker has used for the job.
    pub fn note_used(&self, used: Used) {
        *self.used.lock() = Some(used);
    }

    /// What a worker has used, if there was one.
    pub fn used(&self) -> Option<Used> {
        *self.used.lock()
    }
}

impl HostServices for JobServices {
    fn log(&self, level: Level, message: &str) {
        match self.observer.get() {
            Some(observer) => observer.log(level, message),
            None => narrate::line(level, format_args!("{}: {message}", self.job)),
        }
    }

    fn progress(&self, done: u64, total: u64) {
        match self.observer.get() {
            Some(observer) => observer.progress(done, total),
            None => narrate::line(Level::Debug, format_args!("{}: {done} of {total}", self.job)),
        }
    }

    fn cancelled(&self) -> bool {
        self.cancel.requested()
    }
}
