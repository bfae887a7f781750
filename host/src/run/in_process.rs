//! Running a scorer in this process: for libraries that are trusted not to end it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use autoscorer_plugin_api::context::Request;
use autoscorer_plugin_api::error::{ErrorCode, Faults, ScoreError};
use autoscorer_plugin_api::outcome::Outcome;

use super::services::{Cancel, JobServices};
use crate::job::Job;
use crate::load::Library;
use crate::registry::Lease;
use crate::telemetry::resources::thread_cpu_time;

/// What came of a call, and what it took.
pub struct Run {
    /// The outcome, or why there is none.
    pub outcome: Result<Outcome, ScoreError>,
    /// The library that was called, if it could be opened.
    pub library: Option<Arc<Library>>,
    /// How long opening the library took; nothing when it was open.
    pub load_time: Duration,
    /// How long the scorer took.
    pub compute_time: Duration,
    /// The CPU time of the scorer's thread.
    pub cpu_time: Duration,
}

/// Scores a job's workspace. Artifacts go to the given folder.
pub fn score(job: &Job, lease: &Lease, artifacts: Option<PathBuf>, cancel: &Cancel) -> Run {
    let start = Instant::now();
    let library = lease.library().cloned();
    let load_time = start.elapsed();
    let cpu = thread_cpu_time();
    let outcome = match &library {
        Ok(library) => call(job, lease, library, artifacts, cancel),
        Err(refusal) => Err(refusal.as_error()),
    };
    Run {
        outcome: outcome.map_err(|error| error.at_stage("score")),
        library: library.ok(),
        load_time,
        compute_time: start.elapsed() - load_time,
        cpu_time: thread_cpu_time().saturating_sub(cpu),
    }
}

fn call(
    job: &Job,
    lease: &Lease,
    library: &Library,
    artifacts: Option<PathBuf>,
    cancel: &Cancel,
) -> Result<Outcome, ScoreError> {
    if cancel.requested() {
        return Err(ScoreError::new(ErrorCode::Cancelled, "the job was cancelled before it began"));
    }
    let services = JobServices::new(job.workspace.given(), cancel);
    let outcome = library.plugin.score(lease.index(), &request(job, artifacts), &services)?.checked()?;
    match job.memory_limit {
        None => Ok(outcome),
        Some(_) => Ok(warn_of_memory(outcome)),
    }
}

/// A limit that is not kept must not look as if it were.
fn warn_of_memory(mut outcome: Outcome) -> Outcome {
    outcome.warn("LIMIT_NOT_ENFORCED", "resources.memory is not enforced for a scorer that runs inside the host");
    outcome
}

/// All faults in a job's workspace, as far as the scorer can tell.
pub fn validate(job: &Job, lease: &Lease, cancel: &Cancel) -> Result<Faults, ScoreError> {
    let library = lease.library().map_err(|refusal| refusal.as_error())?;
    let services = JobServices::new(job.workspace.given(), cancel);
    let faults = library.plugin.validate(lease.index(), &request(job, None), &services);
    faults.map_err(|error| error.at_stage("validate"))
}

fn request(job: &Job, artifacts: Option<PathBuf>) -> Request {
    Request {
        workspace: job.workspace.path().to_owned(),
        params: job.params.clone(),
        artifacts,
        time_left_ms: job.time_limit.map(|limit| limit.as_millis() as u64),
    }
}
