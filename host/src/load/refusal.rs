//! A refusal: why a dropped file is not live, said so that its author can mend it.

use std::fmt;
use std::path::{Path, PathBuf};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde::{Deserialize, Serialize};

use crate::telemetry::paths::as_text;

/// The steps from a file to a live scorer, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Step {
    /// Waiting until nobody writes to it.
    Settle,
    /// Looking at it without running it.
    Check,
    /// Taking a private copy.
    Copy,
    /// Opening it in a child process.
    Probe,
    /// Opening it in this process.
    Open,
    /// Giving its scorers their names.
    Publish,
}

/// What a step found wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// What is there.
    pub found: String,
    /// What should be there.
    pub expected: String,
    /// What to do next.
    pub help: String,
}

/// Why a file is not live.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The file that was refused.
    #[serde(serialize_with = "as_text")]
    pub file: PathBuf,
    /// How far it came.
    pub step: Step,
    /// What was wrong there.
    #[serde(flatten)]
    pub finding: Box<Finding>,
    /// The scorers it claims to have, as far as that is known.
    pub claims: Vec<String>,
}

impl Finding {
    /// A finding from its three sentences.
    pub fn new(found: impl Into<String>, expected: impl Into<String>, help: impl Into<String>) -> Self {
        Self { found: found.into(), expected: expected.into(), help: help.into() }
    }

    /// That a file did not stay as it was.
    pub fn changed() -> Self {
        Self::new(
            "a file that changed while it was copied",
            "a file that nobody writes to",
            "nothing: it is tried again by itself when it is quiet",
        )
    }

    /// The refusal of a file at a step.
    pub fn at(self, step: Step, file: &Path) -> Refusal {
        Refusal { file: file.to_owned(), step, finding: Box::new(self), claims: Vec::new() }
    }
}

impl Refusal {
    /// Adds what the file's metadata claims.
    #[must_use]
    pub fn claiming(mut self, scorers: impl IntoIterator<Item = String>) -> Self {
        self.claims = scorers.into_iter().collect();
        self
    }

    /// Whether trying again may help although the file has not changed: a missing dependency may have been installed, a
    /// slow machine may have become faster.
    pub fn may_pass_later(&self) -> bool {
        matches!(self.step, Step::Settle | Step::Copy | Step::Probe | Step::Open)
    }

    /// The refusal as the error of a job that needs the file.
    pub fn as_error(&self) -> ScoreError {
        ScoreError::new(ErrorCode::LoadError, format!("{} was refused at {}", self.file.display(), self.step))
            .file(self.file.display().to_string())
            .found(&self.finding.found)
            .expected(&self.finding.expected)
            .hint(&self.finding.help)
            .at_stage("load")
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding { found, expected, help } = &*self.finding;
        let (file, step) = (self.file.display(), self.step);
        write!(f, "{file} refused at {step}\n  found:    {found}\n  expected: {expected}\n  help:     {help}")
    }
}

impl std::error::Error for Refusal {}
