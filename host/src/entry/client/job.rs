//! A job as a client sees it, and what can be asked about it.

use autoscorer_plugin_api::error::ScoreError;
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::server::Server;
use crate::daemon::LogLine;
use crate::queue::State;
use crate::save::ResultFile;

/// A job.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct JobSeen {
    /// Its name.
    pub id: String,
    /// How far it is.
    pub state: State,
    /// Whose token submitted it.
    pub submitter: String,
    /// The workspace below the root, unless it was uploaded.
    pub workspace: Option<String>,
    /// The one number.
    pub score: Option<f64>,
    /// id@version of the scorer that ran.
    pub scored_by: Option<String>,
    /// When it was accepted.
    pub created: String,
    /// When it ended.
    pub finished: Option<String>,
    /// Why it failed.
    pub error: Option<ScoreError>,
    /// How far it is, where the scorer says so.
    pub progress: Option<Progress>,
    /// Whatever else the daemon says.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// How far a job is.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Progress {
    /// So much is done.
    pub done: u64,
    /// Of so much.
    pub total: u64,
}

/// Some jobs.
#[derive(Debug, Deserialize)]
pub struct Page {
    /// The latest first.
    pub jobs: Vec<JobSeen>,
    /// For the next page.
    pub next_cursor: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Log {
    lines: Vec<LogLine>,
}

impl JobSeen {
    /// The workspace as it is shown.
    pub fn place(&self) -> &str {
        self.workspace.as_deref().unwrap_or("(uploaded)")
    }
}

impl Server {
    /// A job.
    pub async fn job(&self, id: &str) -> Result<JobSeen, ScoreError> {
        self.get(&path(id, ""), &[]).await
    }

    /// A page of jobs.
    pub async fn jobs(&self, query: &[(&str, String)]) -> Result<Page, ScoreError> {
        self.get("/api/v1/jobs", query).await
    }

    /// Has something done with a job: `cancel` or `requeue`.
    pub async fn change(&self, id: &str, what: &str) -> Result<JobSeen, ScoreError> {
        self.ask(self.call(Method::POST, &path(id, &format!("/{what}")), &[])).await
    }

    /// What the scorer of a job has said so far.
    pub async fn log(&self, id: &str) -> Result<Vec<LogLine>, ScoreError> {
        self.get::<Log>(&path(id, "/logs"), &[]).await.map(|log| log.lines)
    }

    /// The recorded result of a job.
    pub async fn result(&self, id: &str) -> Result<ResultFile, ScoreError> {
        self.get(&path(id, "/result"), &[]).await
    }
}

/// A name of a job is a word; anything else must not lead to another path.
fn path(id: &str, rest: &str) -> String {
    let sane: String = id.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    format!("/api/v1/jobs/{}{rest}", if sane.is_empty() { "_" } else { &sane })
}
