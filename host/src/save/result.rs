//! `output/result.json`: the standard result, written whole or not at all.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::outcome::{Artifact, Outcome, Summary, Warning};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::artifacts::RESULT_PREFIX;
use crate::isolate::Limits;
use crate::run::Place;

const NAME: &str = "output/result.json";

/// The standard result. On an error `summary` and `metrics` are empty: a failure is never a score.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ResultFile {
    /// The one number, and how to read it.
    pub summary: Map<String, Value>,
    /// Flat name -> number.
    pub metrics: IndexMap<String, f64>,
    /// Files beside the result.
    pub artifacts: IndexMap<String, Artifact>,
    /// In seconds.
    pub timing: Timing,
    /// What it took.
    pub resources: Resources,
    /// What made it.
    pub versioning: Versioning,
    /// What the reader should know.
    pub warnings: Vec<Warning>,
    /// Structured values, such as a table per class.
    pub details: Map<String, Value>,
    /// Why there is no score.
    pub error: Option<ScoreError>,
}

/// Seconds.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Timing {
    /// Opening the library; next to nothing when it was open already.
    pub load_time: f64,
    /// The scorer itself.
    pub compute_time: f64,
    /// Putting artifacts in place.
    pub save_time: f64,
    /// All, up to the writing of this file.
    pub total_time: f64,
}

/// What a job has used.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Resources {
    /// The most memory that the scorer's process had resident, in MiB: of a worker during this job, of the host so far.
    pub memory_peak_mb: Option<f64>,
    /// CPU seconds: of a worker with all its threads, in the host of the scorer's thread.
    pub cpu_time: f64,
}

/// What made a result.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Versioning {
    /// The scorer's id.
    pub scorer: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The name of its method.
    pub algorithm: Option<String>,
    /// When, in UTC.
    pub timestamp: String,
    /// The sha256 of the library.
    pub plugin_sha256: Option<String>,
    /// The API version the library was built against.
    pub api_version: Option<String>,
    /// The version of this program.
    pub host_version: String,
    /// Whether the scorer ran in the host's process or apart.
    pub isolation: Option<Place>,
    /// The limits in force.
    pub limits: Option<Limits>,
    /// The parameters the scorer was given.
    pub params: Map<String, Value>,
    /// The sha256 of each input file.
    pub inputs: BTreeMap<String, String>,
    /// The job's own name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
}

impl ResultFile {
    /// The result of an outcome or an error.
    pub fn new(outcome: Result<Outcome, ScoreError>, versioning: Versioning) -> Self {
        let (outcome, error) = match outcome {
            Ok(outcome) => (Some(outcome), None),
            Err(error) => (None, Some(error)),
        };
        let empty = || (Map::new(), IndexMap::new(), IndexMap::new(), Vec::new(), Map::new());
        let (summary, metrics, artifacts, warnings, details) =
            outcome.map_or_else(empty, |o| (summary(&o.summary), o.metrics, o.artifacts, o.warnings, o.details));
        let (timing, resources) = (Timing::default(), Resources::default());
        Self { summary, metrics, artifacts, timing, resources, versioning, warnings, details, error }
    }

    /// Turns it into the result of a failure.
    pub fn fail(&mut self, error: ScoreError) {
        let versioning = std::mem::take(&mut self.versioning);
        let (timing, resources) = (self.timing.clone(), self.resources.clone());
        *self = Self { timing, resources, ..Self::new(Err(error), versioning) };
    }
}

/// The summary with the primary metric under its own name as well.
fn summary(summary: &Summary) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("score".to_owned(), summary.score.into());
    fields.insert(summary.primary_metric.clone(), summary.score.into());
    fields.insert("rank".to_owned(), summary.rank.clone().into());
    fields.insert("pass".to_owned(), summary.pass.into());
    fields.insert("primary_metric".to_owned(), summary.primary_metric.clone().into());
    fields.insert("direction".to_owned(), serde_json::to_value(summary.direction).unwrap_or_default());
    fields
}

/// Removes an older result: from here on there is none until a new one is written.
pub fn forget(workspace: &Path) -> Result<(), ScoreError> {
    match fs::remove_file(workspace.join(NAME)) {
        Err(error) if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Err(unwritable(&error))
        }
        _ => Ok(()),
    }
}

/// Writes the result under its name at once.
pub fn write(workspace: &Path, result: &ResultFile) -> Result<(), ScoreError> {
    try_write(workspace, result).map_err(|error| unwritable(&error))
}

fn try_write(workspace: &Path, result: &ResultFile) -> io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let aside = workspace.join(format!("output/{RESULT_PREFIX}{}-{number}", std::process::id()));
    let written = create(&aside).and_then(|file| {
        let mut file = BufWriter::new(file);
        serde_json::to_writer_pretty(&mut file, result)?;
        file.write_all(b"\n")?;
        file.flush()?;
        fs::rename(&aside, workspace.join(NAME))
    });
    if written.is_err() {
        _ = fs::remove_file(&aside);
    }
    written
}

/// A new file, whatever stands in its place: nothing, not even a folder; or what a killed process has left, or a link that
/// leads elsewhere.
fn create(path: &Path) -> io::Result<File> {
    File::create_new(path).or_else(|error| {
        match error.kind() {
            io::ErrorKind::NotFound => fs::create_dir_all(path.parent().unwrap_or(path))?,
            io::ErrorKind::AlreadyExists => fs::remove_file(path)?,
            _ => return Err(error),
        }
        File::create_new(path)
    })
}

fn unwritable(error: &io::Error) -> ScoreError {
    ScoreError::new(ErrorCode::WorkspaceNotFound, format!("{NAME} cannot be written: {error}"))
        .file(NAME)
        .expected("a workspace whose output/ folder can be written to")
        .hint("see with ls -ld who may write to output/, and with df whether its disk is full")
        .at_stage("save")
}
