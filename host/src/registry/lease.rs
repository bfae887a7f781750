//! A lease: a job's hold on one scorer of one generation, which does not end before the job.

use std::path::Path;
use std::sync::Arc;

use autoscorer_plugin_api::error::ScoreError;
use autoscorer_plugin_api::metadata::{Description, Metadata};

use super::generation::Generation;
use super::registry::Registry;
use crate::isolate::StartError;
use crate::load::{Body, Refusal};

/// A job's hold on one scorer of one generation.
pub struct Lease {
    generation: Arc<Generation>,
    index: usize,
    registry: Arc<Registry>,
}

impl Lease {
    /// Only the registry gives leases, under the lock that guards its table.
    pub(super) fn new(generation: Arc<Generation>, index: usize, registry: Arc<Registry>) -> Self {
        generation.begin_job();
        Self { generation, index, registry }
    }

    /// The library, ready to be called.
    pub fn body(&self) -> Result<&Body, Refusal> {
        self.generation.body()
    }

    /// The sha256 of the library, as far as it has been read.
    pub fn sha256(&self) -> Option<&str> {
        self.generation.sha256()
    }

    /// Tells the registry how the job ended, so that a scorer that keeps crashing is taken out.
    /// A job that brought limits of its own tells nothing about the scorer by reaching them.
    pub fn report(&self, error: Option<&ScoreError>, own_limits: bool) {
        self.registry.judge(&self.generation, error, own_limits);
    }

    /// Why there is no worker for a call.
    pub fn no_worker(&self, error: StartError) -> Refusal {
        self.registry.loader().no_worker(&self.generation.source, error)
    }

    /// The scorer's number in its library.
    pub fn index(&self) -> u32 {
        self.index as u32
    }

    /// What the scorer says about itself.
    pub fn scorer(&self) -> &Description {
        &self.generation.metadata.scorers[self.index]
    }

    /// The library's metadata.
    pub fn metadata(&self) -> &Metadata {
        &self.generation.metadata
    }

    /// The file as its author knows it.
    pub fn source(&self) -> &Path {
        &self.generation.source
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.generation.end_job() {
            self.registry.idle(&self.generation);
        }
    }
}
