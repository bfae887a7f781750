//! What clients see of jobs, and what they send.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::problem::{ErrorView, view};
use crate::daemon::Progress;
use crate::entry::http::body::ByName;
use crate::queue::{Delivered, Job, Place, State};

/// A job.
#[derive(Debug, Serialize, ToSchema)]
pub struct JobView {
    /// Its name.
    pub id: String,
    /// queued, running, done, failed or cancelled.
    pub state: String,
    /// Whose token submitted it.
    pub submitter: String,
    /// Higher ones go first.
    pub priority: i32,
    /// The workspace below the root; absent if it was uploaded.
    pub workspace: Option<String>,
    /// Whether the workspace came with the request.
    pub uploaded: bool,
    /// The scorer that was asked for, if not the one in meta.json.
    pub scorer: Option<String>,
    /// The parameters that were asked for; not in lists.
    #[schema(value_type = Object)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub params: Option<Map<String, Value>>,
    /// How often a worker has taken it.
    pub attempts: u32,
    /// Whether it was asked to stop while it ran.
    pub cancelling: bool,
    /// When it was accepted.
    pub created: String,
    /// When it was last taken.
    pub started: Option<String>,
    /// When it ended.
    pub finished: Option<String>,
    /// The one number.
    pub score: Option<f64>,
    /// id@version of the scorer that ran.
    pub scored_by: Option<String>,
    /// Why it failed.
    pub error: Option<ErrorView>,
    /// How far it is, where the scorer says so.
    pub progress: Option<ProgressView>,
}

/// How far a job is.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProgressView {
    /// So much is done.
    pub done: u64,
    /// Of so much.
    pub total: u64,
}

impl JobView {
    /// A job with its progress.
    pub fn new(job: &Job, progress: Option<Progress>) -> Self {
        let path = match &job.order.workspace {
            Place::Path(path) => Some(path.clone()),
            Place::Uploaded => None,
        };
        Self {
            id: job.id.to_string(),
            state: job.state.as_str().to_owned(),
            submitter: job.submitter.clone(),
            priority: job.priority,
            uploaded: path.is_none(),
            workspace: path,
            scorer: job.order.scorer.clone(),
            params: Some(job.order.params.clone()),
            attempts: job.attempts,
            cancelling: job.cancelling,
            created: job.created.to_string(),
            started: job.started.map(|at| at.to_string()),
            finished: job.finished.map(|at| at.to_string()),
            score: job.score,
            scored_by: job.scored_by.clone(),
            error: job.error.as_ref().map(view),
            progress: progress
                .filter(|_| job.state == State::Running)
                .map(|Progress { done, total }| ProgressView { done, total }),
        }
    }
}

impl JobView {
    /// The same in a list.
    #[must_use]
    pub fn listed(self) -> Self {
        Self { params: None, ..self }
    }
}

/// What is to be scored.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct JobBody {
    /// The workspace, relative to the root; absent in an upload.
    #[serde(default)]
    pub workspace: Option<String>,
    /// The scorer, if not the one in meta.json: ID, ID@VERSION or ID@sha256:HASH.
    #[serde(default)]
    pub scorer: Option<String>,
    /// Parameters that override those of meta.json.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub params: Map<String, Value>,
    /// Whether artifacts are wanted.
    #[serde(default = "yes")]
    pub artifacts: bool,
    /// Higher ones go first; from -100 to 100.
    #[serde(default)]
    pub priority: i32,
    /// Seconds it may take.
    #[serde(default)]
    pub time_limit: Option<f64>,
    /// Memory it may use, such as "2Gi".
    #[serde(default)]
    pub memory: Option<String>,
    /// Where the end is told: a URL.
    #[serde(default)]
    pub callback: Option<String>,
}

fn yes() -> bool {
    true
}

/// Many jobs at once: all are accepted, or none.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BatchBody {
    /// Up to 1000.
    #[schema(value_type = Vec<JobBody>)]
    pub jobs: Vec<ByName<JobBody>>,
}

/// Jobs that were accepted.
#[derive(Debug, Serialize, ToSchema)]
pub struct BatchView {
    /// In the order of the request.
    pub jobs: Vec<AcceptedView>,
}

/// A job that was accepted.
#[derive(Debug, Serialize, ToSchema)]
pub struct AcceptedView {
    /// The job's name.
    pub id: String,
    /// The same, as clients of the first version know it.
    pub task_id: String,
    /// Where to look at it.
    pub location: String,
    /// Whether it is new; if not, it had been accepted under the same Idempotency-Key.
    pub created: bool,
}

/// Some jobs.
#[derive(Debug, Serialize, ToSchema)]
pub struct PageView {
    /// The jobs, the latest first.
    pub jobs: Vec<JobView>,
    /// For the next page; absent on the last.
    pub next_cursor: Option<String>,
}

/// An attempt to make a callback.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveryView {
    /// The delivery's number.
    pub delivery: i64,
    /// Counts from 1.
    pub attempt: u32,
    /// When.
    pub at: String,
    /// The answer's status, if there was one.
    pub status: Option<u16>,
    /// Why it failed.
    pub error: Option<String>,
    /// Whether it was delivered.
    pub delivered: bool,
}

impl From<Delivered> for DeliveryView {
    fn from(one: Delivered) -> Self {
        let Delivered { number, attempt, at, status, error, delivered } = one;
        Self { delivery: number, attempt, at: at.to_string(), status, error, delivered }
    }
}
