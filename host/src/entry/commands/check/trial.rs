//! A trial: one scorer of the library, called apart from this process as often as it takes.

use std::path::Path;
use std::time::{Duration, Instant};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::faults::Faults;
use autoscorer_plugin_api::metadata::Abi;
use autoscorer_plugin_api::outcome::Outcome;
use serde_json::{Map, Value};

use crate::entry::commands::author;
use crate::isolate::Limits;
use crate::job::{Job, Request, ScorerName};
use crate::load::{AGAINST_RULES, Body};
use crate::registry::Lease;
use crate::run::{self, Cancel};

/// One scorer of the library.
pub struct Trial {
    /// The scorer's hold on its library.
    pub lease: Lease,
    /// What a call may use.
    pub limits: Limits,
    /// Said by Ctrl-C.
    pub cancel: Cancel,
}

impl Trial {
    /// The scorer's id.
    pub fn id(&self) -> &str {
        &self.lease.scorer().id
    }

    /// What helps its author against an error.
    pub fn help(&self, error: &ScoreError) -> String {
        author::help(error, self.abi()).unwrap_or("see the message").to_owned()
    }

    /// How it is called.
    pub fn abi(&self) -> Abi {
        self.lease.metadata().abi
    }

    /// The score of a workspace.
    pub fn score(&self, workspace: &Path) -> Result<Outcome, ScoreError> {
        self.score_until(workspace, None, &self.cancel)
    }

    /// The same with artifacts, or stopped by somebody else.
    pub fn score_until(
        &self,
        workspace: &Path,
        artifacts: Option<&Path>,
        cancel: &Cancel,
    ) -> Result<Outcome, ScoreError> {
        let job = self.job(workspace, Map::new())?;
        run::score(&job, &self.limits, &self.lease, artifacts.map(Path::to_owned), cancel).outcome
    }

    /// The faults of a workspace.
    pub fn validate(&self, workspace: &Path, params: Map<String, Value>) -> Result<Faults, ScoreError> {
        let job = self.job(workspace, params)?;
        run::validate(&job, &self.limits, &self.lease, &self.cancel)
    }

    /// How long the score of a workspace takes, and what comes of it.
    pub fn time(&self, workspace: &Path) -> (Duration, Result<Outcome, ScoreError>) {
        let start = Instant::now();
        let answer = self.score(workspace);
        (start.elapsed(), answer)
    }

    /// The memory of the scorer's process between two calls, in bytes.
    pub fn resident(&self) -> Option<u64> {
        match self.lease.body() {
            Ok(Body::Apart(pool)) => pool.resident(),
            _ => None,
        }
    }

    fn job(&self, workspace: &Path, params: Map<String, Value>) -> Result<Job, ScoreError> {
        let request = Request {
            workspace: workspace.display().to_string(),
            scorer: Some(ScorerName { id: self.id().to_owned(), pin: None }),
            params,
            artifacts: true,
            ..Request::default()
        };
        Ok(Job::prepare(&request)?)
    }
}

/// Whether an error is the scorer's own fault, whatever the input was.
pub fn is_own_fault(error: &ScoreError) -> bool {
    let code_is_its_own = matches!(
        error.code,
        ErrorCode::ScorerPanic
            | ErrorCode::ScorerCrashed
            | ErrorCode::TimeoutError
            | ErrorCode::MemoryLimit
            | ErrorCode::LoadError
            | ErrorCode::UnhandledError
    );
    code_is_its_own || error.details.more.contains_key(AGAINST_RULES)
}
