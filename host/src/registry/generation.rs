//! A generation: one loaded version of a library file, alive until its last job ends.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use autoscorer_plugin_api::metadata::Metadata;
use parking_lot::Mutex;
use serde::Serialize;

use super::events::Subject;
use crate::load::{Body, Finding, Loader, Origin, Refusal, Step, Vetted};

/// One loaded version of a library file.
pub struct Generation {
    /// Counts up over the life of the registry.
    pub number: u64,
    /// Where it comes from.
    pub origin: Origin,
    /// The file as its author knows it.
    pub source: PathBuf,
    arrived: Mutex<SystemTime>,
    /// What it says about itself.
    pub metadata: Metadata,
    loader: Arc<Loader>,
    vetted: Mutex<Option<Vetted>>,
    recipe: OnceLock<Vetted>,
    failures: AtomicU32,
    body: OnceLock<Body>,
    jobs: AtomicUsize,
}

/// What a generation is to the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It has at least one name.
    Live,
    /// Newer files have all its names.
    Shadowed,
    /// It takes no more jobs; some still run on it.
    Draining,
}

impl Generation {
    /// A built-in library, which is opened when it is first used.
    pub fn built_in(number: u64, source: PathBuf, metadata: Metadata, loader: Arc<Loader>) -> Self {
        Self {
            number,
            origin: Origin::BuiltIn,
            source,
            arrived: Mutex::new(SystemTime::UNIX_EPOCH),
            metadata,
            loader,
            vetted: Mutex::default(),
            recipe: OnceLock::new(),
            failures: AtomicU32::new(0),
            body: OnceLock::new(),
            jobs: AtomicUsize::new(0),
        }
    }

    /// A custom library that has been vetted; `arrived` says since when its content has been in the folder.
    pub fn custom(number: u64, vetted: Vetted, arrived: SystemTime, loader: Arc<Loader>) -> Self {
        Self {
            number,
            origin: Origin::Custom,
            source: vetted.source.clone(),
            arrived: Mutex::new(arrived),
            metadata: vetted.metadata.clone(),
            loader,
            recipe: OnceLock::from(vetted.again()),
            vetted: Mutex::new(Some(vetted)),
            failures: AtomicU32::new(0),
            body: OnceLock::new(),
            jobs: AtomicUsize::new(0),
        }
    }

    /// The library, ready to be called; the first to ask opens it. A failure is not remembered: it may pass.
    pub fn body(&self) -> Result<&Body, Refusal> {
        if let Some(body) = self.body.get() {
            return Ok(body);
        }
        let body = self.embody()?;
        Ok(self.body.get_or_init(|| body))
    }

    fn embody(&self) -> Result<Body, Refusal> {
        let known = self.vetted.lock().take().or_else(|| self.recipe());
        let mut vetted = match known {
            Some(vetted) => vetted,
            None => self.loader.vet(&self.source, self.origin)?,
        };
        if vetted.metadata != self.metadata {
            let finding = Finding::new(
                "a plugin that changed since the host started",
                "the plugin that was there",
                "restart the host",
            );
            return Err(finding.at(Step::Open, &self.source));
        }
        let body = self.loader.embody(&mut vetted, self.origin)?;
        self.loader.note_live(&vetted, self.origin);
        self.recipe.get_or_init(|| vetted.again());
        Ok(body)
    }

    /// The sha256 of the content, as far as it has been read.
    pub fn sha256(&self) -> Option<&str> {
        self.recipe.get().map(|recipe| recipe.sha256.as_str())
    }

    /// What it takes to load the same library again.
    pub(super) fn recipe(&self) -> Option<Vetted> {
        self.recipe.get().map(Vetted::again)
    }

    /// Whether its last job failed by its own fault.
    pub(super) fn is_failing(&self) -> bool {
        self.failures.load(Ordering::Acquire) > 0
    }

    /// Counts a failure and gives how many there were in a row; a success begins anew.
    pub(super) fn count(&self, failed: bool) -> u32 {
        if failed {
            return self.failures.fetch_add(1, Ordering::AcqRel) + 1;
        }
        self.failures.store(0, Ordering::Release);
        0
    }

    /// When the file came: of two with the same scorer, the later one counts.
    pub(super) fn arrived(&self) -> SystemTime {
        *self.arrived.lock()
    }

    /// The same content has come again.
    pub(super) fn arrive_again(&self, arrived: SystemTime) {
        *self.arrived.lock() = arrived;
    }

    /// One more job runs on it.
    pub(super) fn begin_job(&self) {
        self.jobs.fetch_add(1, Ordering::AcqRel);
    }

    /// One job less; true if it was the last one.
    pub(super) fn end_job(&self) -> bool {
        self.jobs.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// How many jobs run on it.
    pub fn jobs(&self) -> usize {
        self.jobs.load(Ordering::Acquire)
    }

    /// Whether it has a scorer of this name.
    pub fn has(&self, id: &str) -> bool {
        self.metadata.scorers.iter().any(|scorer| scorer.id == id)
    }

    /// How events name it.
    pub fn subject(&self) -> Subject {
        let scorers = self.metadata.scorers.iter().map(|scorer| format!("{}@{}", scorer.id, scorer.version));
        Subject {
            file: self.source.clone(),
            generation: self.number,
            sha256: self.sha256().map(str::to_owned),
            scorers: scorers.collect(),
            jobs: self.jobs(),
        }
    }
}
