//! A job: a request to score a workspace, checked once at the door. Later stages take it as it is.

pub mod archive;
mod meta;
mod name;
mod observer;
mod quantity;
mod workspace;

use std::time::Duration;

use autoscorer_plugin_api::faults::Faults;
use serde_json::{Map, Value};

pub use meta::Meta;
pub use name::{Pin, ScorerName};
pub use observer::{Observe, Observer};
pub use quantity::{bytes_of_text, count_of_text, count_or_none_of_text, seconds_of_number};
pub use workspace::Workspace;

/// What somebody asks for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The folder to score.
    pub workspace: String,
    /// A scorer to use instead of the one in `meta.json`.
    pub scorer: Option<ScorerName>,
    /// Parameters that override those of `meta.json`, key by key.
    pub params: Map<String, Value>,
    /// Whether artifacts are wanted.
    pub artifacts: bool,
    /// A time limit that overrides the one of `meta.json`.
    pub time_limit: Option<Duration>,
    /// A memory limit that overrides the one of `meta.json`.
    pub memory_limit: Option<u64>,
    /// Who wants to know what the scorer tells.
    pub observer: Observer,
}

/// What is going to be done.
#[derive(Debug, Clone)]
pub struct Job {
    /// Where.
    pub workspace: Workspace,
    /// By which scorer.
    pub scorer: ScorerName,
    /// With which parameters.
    pub params: Map<String, Value>,
    /// The job's own name, where `meta.json` gives one.
    pub id: Option<String>,
    /// How long it may take.
    pub time_limit: Option<Duration>,
    /// How many bytes of memory it may use.
    pub memory_limit: Option<u64>,
    /// Whether artifacts are wanted.
    pub artifacts: bool,
    /// Who wants to know what the scorer tells.
    pub observer: Observer,
}

impl Job {
    /// Checks a request against its workspace. With a scorer in the request, `meta.json` may be absent.
    pub fn prepare(request: &Request) -> Result<Self, Faults> {
        let workspace = Workspace::open(&request.workspace)?;
        Self::in_workspace(workspace, request)
    }

    /// The same for a workspace that is known to exist.
    pub fn in_workspace(workspace: Workspace, request: &Request) -> Result<Self, Faults> {
        let meta = Meta::read(&workspace, request.scorer.clone())?;
        let mut params = meta.params;
        params.extend(request.params.clone());
        Ok(Self {
            workspace,
            scorer: meta.scorer,
            params,
            id: meta.job_id,
            time_limit: request.time_limit.or(meta.time_limit),
            memory_limit: request.memory_limit.or(meta.memory_limit),
            artifacts: request.artifacts,
            observer: request.observer.clone(),
        })
    }
}
