//! A job in the queue: what was asked for, how far it is, and what came of it.

use std::fmt;

use autoscorer_plugin_api::error::ScoreError;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::moment::Moment;

/// A job's name. Later ones sort after earlier ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct JobId(String);

impl JobId {
    /// A name that no other job has.
    pub fn new() -> Self {
        Self(Uuid::now_v7().to_string())
    }

    /// A name as a client writes it. Anything else is no job's name, and is never part of a path.
    pub fn parse(text: &str) -> Option<Self> {
        let uuid = Uuid::try_parse(text).ok()?;
        (uuid.to_string() == text).then(|| Self(text.to_owned()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for JobId {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// How far a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits for its turn.
    Queued,
    /// A worker has it.
    Running,
    /// It has a result.
    Done,
    /// It has an error instead.
    Failed,
    /// Somebody stopped it.
    Cancelled,
}

impl State {
    /// All of them, in the order a job takes them.
    pub const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Done, Self::Failed, Self::Cancelled];

    /// Whether nothing more happens by itself.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Where a job's workspace is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// Below the configured root.
    Path(String),
    /// It came with the request, and lies in the job's own folder.
    Uploaded,
}

/// What is to be done. A store keeps it as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// Where.
    pub workspace: Place,
    /// By which scorer, if not by the one in `meta.json`.
    pub scorer: Option<String>,
    /// Parameters that override those of `meta.json`.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// Whether artifacts are wanted.
    pub artifacts: bool,
    /// A time limit in seconds.
    pub time_limit: Option<f64>,
    /// A memory limit in bytes.
    pub memory_limit: Option<u64>,
}

impl Order {
    /// To score what is there as its `meta.json` says, and to leave no artifacts.
    pub fn of(workspace: Place) -> Self {
        Self { workspace, scorer: None, params: Map::new(), artifacts: false, time_limit: None, memory_limit: None }
    }
}

/// A job that is to be accepted.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// Its name.
    pub id: JobId,
    /// Who asks; jobs of different submitters take turns.
    pub submitter: String,
    /// Higher ones go first.
    pub priority: i32,
    /// What is to be done.
    pub order: Order,
    /// Where the end is told.
    pub callback: Option<String>,
    /// With the same key of the same submitter, a request is accepted once.
    pub key: Option<String>,
    /// What the request was, so that another request under the same key is found out.
    pub fingerprint: String,
}

/// A job.
#[derive(Debug, Clone)]
pub struct Job {
    /// Its name.
    pub id: JobId,
    /// Who asked.
    pub submitter: String,
    /// Higher ones go first.
    pub priority: i32,
    /// What is to be done.
    pub order: Order,
    /// Where the end is told.
    pub callback: Option<String>,
    /// How far it is.
    pub state: State,
    /// How often a worker has taken it, since it was last queued by somebody.
    pub attempts: u32,
    /// Whether it was asked to stop while it ran.
    pub cancelling: bool,
    /// When it was accepted.
    pub created: Moment,
    /// When the worker that has it, or had it last, took it.
    pub started: Option<Moment>,
    /// When it ended.
    pub finished: Option<Moment>,
    /// The score, the scorer and its version, if it is done.
    pub score: Option<f64>,
    /// `id@version` of the scorer that ran, if one was found.
    pub scored_by: Option<String>,
    /// Why it failed.
    pub error: Option<ScoreError>,
}

/// A worker's hold on a job. What it records counts only as long as the lease is its own.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The job, as it was when it was taken.
    pub job: Job,
    /// Tells this hold from every other one.
    pub token: i64,
}

/// How a job ends.
#[derive(Debug, Clone)]
pub enum Ending {
    /// With a score.
    Done {
        /// `result.json`, as it was written.
        result: String,
        /// The one number.
        score: Option<f64>,
        /// `id@version` of the scorer.
        scored_by: Option<String>,
    },
    /// With an error.
    Failed {
        /// `result.json`, as it was written, if there is one.
        result: Option<String>,
        /// Why.
        error: ScoreError,
        /// `id@version` of the scorer, if one was found.
        scored_by: Option<String>,
    },
    /// Because somebody asked.
    Cancelled,
}
