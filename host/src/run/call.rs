//! One call into one generation of a scorer, in this process or apart from it. Both ways give the same answer.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use autoscorer_plugin_api::abi::{HostServices, read_reply};
use autoscorer_plugin_api::context::{Level, Request};
use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::faults::Faults;
use autoscorer_plugin_api::outcome::Outcome;
use serde::{Deserialize, Serialize};

use super::services::{Cancel, JobServices};
use crate::isolate::protocol::{CallFrame, Entry, Used};
use crate::isolate::{Call, Ending, Limits, Pool, PoolError};
use crate::job::Job;
use crate::load::Body;
use crate::registry::Lease;
use crate::telemetry::resources::thread_cpu_time;

static NEXT_CALL: AtomicU64 = AtomicU64::new(1);

/// What came of a call, and what it took.
pub struct Run {
    /// The outcome, or why there is none.
    pub outcome: Result<Outcome, ScoreError>,
    /// Where the scorer ran.
    pub place: Place,
    /// How long opening the library took; nothing when it was open.
    pub load_time: Duration,
    /// How long the scorer took.
    pub compute_time: Duration,
    /// What the scorer has used: in the host, the CPU time of its thread, and no memory of its own.
    pub used: Used,
}

/// Where a scorer runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// In the host.
    InProcess,
    /// In a worker.
    Process,
}

/// Scores a job's workspace. Artifacts go to the given folder.
pub fn score(job: &Job, limits: &Limits, lease: &Lease, artifacts: Option<PathBuf>, cancel: &Cancel) -> Run {
    let start = Instant::now();
    let body = lease.body();
    let load_time = start.elapsed();
    let cpu = thread_cpu_time();
    let place = match body {
        Ok(Body::Apart(_)) => Place::Process,
        _ => Place::InProcess,
    };
    let services = JobServices::new(job, cancel);
    let outcome = body.map_err(|refusal| refusal.as_error()).and_then(|body| {
        let answer = call(Entry::Score, job, limits, lease, body, artifacts, &services)?;
        read_reply::<Outcome, _>(answer)?.checked()
    });
    let here = || Used { cpu: thread_cpu_time().saturating_sub(cpu), memory_peak_mb: None };
    Run {
        outcome: outcome.map_err(|error| at_stage(error, "score")),
        place,
        load_time,
        compute_time: start.elapsed() - load_time,
        used: services.used().unwrap_or_else(here),
    }
}

/// All faults in a job's workspace, as far as the scorer can tell.
pub fn validate(job: &Job, limits: &Limits, lease: &Lease, cancel: &Cancel) -> Result<Faults, ScoreError> {
    let body = lease.body().map_err(|refusal| refusal.as_error())?;
    let services = JobServices::new(job, cancel);
    let answer = call(Entry::Validate, job, limits, lease, body, None, &services);
    answer.and_then(read_reply).map_err(|error| at_stage(error, "validate"))
}

/// Which stage it is, is for the host to say; a load that failed has said so.
fn at_stage(error: ScoreError, stage: &str) -> ScoreError {
    match error.code {
        ErrorCode::LoadError => error,
        _ => ScoreError { stage: None, ..error }.at_stage(stage),
    }
}

fn call(
    entry: Entry,
    job: &Job,
    limits: &Limits,
    lease: &Lease,
    body: &Body,
    artifacts: Option<PathBuf>,
    services: &JobServices,
) -> Result<Result<String, String>, ScoreError> {
    if services.cancelled() {
        return Err(ScoreError::new(ErrorCode::Cancelled, "the job was cancelled before it began"));
    }
    let request = Request {
        workspace: job.workspace.path().to_owned(),
        params: job.params.clone(),
        artifacts: artifacts.clone(),
        time_left_ms: Some(limits.time.as_millis() as u64),
    };
    let request = serde_json::to_string(&request)
        .map_err(|error| ScoreError::new(ErrorCode::UnhandledError, format!("the request is no JSON: {error}")))?;
    match body {
        Body::Here(library) => {
            let start = Instant::now();
            let answer = library.plugin.call(entry, lease.index(), &request, services);
            // Too late is too late, wherever it ran.
            if start.elapsed() > limits.time && answer.is_ok() {
                return Err(Ending::TimedOut.into_error(limits, Vec::new()));
            }
            Ok(answer)
        }
        Body::Apart(pool) => {
            let writable = (entry == Entry::Score).then(|| job.workspace.path().join("output"));
            let number = NEXT_CALL.fetch_add(1, Ordering::Relaxed);
            let frame = CallFrame { number, entry, scorer: lease.index(), request, limits: *limits, writable };
            apart(pool, frame, artifacts, services).map_err(|error| match error {
                PoolError::NoWorker(error) => lease.no_worker(error).as_error(),
                PoolError::Failed(error) => error,
            })
        }
    }
}

fn apart(
    pool: &Pool,
    frame: CallFrame,
    artifacts: Option<PathBuf>,
    services: &JobServices,
) -> Result<Result<String, String>, PoolError> {
    pool.call(&Call {
        frame,
        artifacts,
        log: &|level, message| services.log(Level::from(level), message),
        progress: &|done, total| services.progress(done, total),
        cancelled: &|| services.cancelled(),
        used: &|used| services.note_used(used),
    })
}
