//! A vetted library: checked, copied and tried out, and ready to be put to use.

use std::path::PathBuf;

use autoscorer_plugin_api::metadata::Metadata;

use super::file::Signature;
use crate::isolate::Worker;

/// A file that has passed every step but being put to use.
#[derive(Debug)]
pub struct Vetted {
    /// The file as its author knows it.
    pub source: PathBuf,
    /// What the file was when it was read.
    pub signature: Signature,
    /// The private copy.
    pub copy: PathBuf,
    /// Of the content.
    pub sha256: String,
    /// What it says about itself.
    pub metadata: Metadata,
    /// The worker that has tried it out.
    pub worker: Option<Worker>,
}

impl Vetted {
    /// The same library to be loaded again.
    pub fn again(&self) -> Self {
        Self {
            source: self.source.clone(),
            signature: self.signature.clone(),
            copy: self.copy.clone(),
            sha256: self.sha256.clone(),
            metadata: self.metadata.clone(),
            worker: None,
        }
    }

    /// The ids of its scorers.
    pub fn scorer_ids(&self) -> Vec<String> {
        ids(&self.metadata)
    }
}

/// The ids of a library's scorers.
pub(super) fn ids(metadata: &Metadata) -> Vec<String> {
    metadata.scorers.iter().map(|scorer| scorer.id.clone()).collect()
}
