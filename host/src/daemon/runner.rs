//! The runners: take jobs from the queue, score them, and record what came of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{interval, timeout};

use super::folders::Folders;
use super::job_log::JobLog;
use super::pause::Pause;
use super::root::Root;
use super::running::Running;
use super::word::said;
use crate::engine::Engine;
use crate::job::{Observer, Request, seconds_of_number};
use crate::queue::{Beat, Claim, Ending, JobId, Order, Place, QueueError, Store};
use crate::run::Cancel;
use crate::save::ResultFile;
use crate::telemetry::metrics::Metrics;

/// A worker that has let its job go, and has not renewed its lease for so long, is taken for dead.
const LEASE: Duration = Duration::from_secs(15);

/// How often a lease is renewed.
const BEAT: Duration = Duration::from_secs(4);

/// An idle runner looks at least so often; what makes it look at once is an event.
const IDLE: Duration = Duration::from_secs(1);

/// So long a store that fails is asked to record an end.
const RECORDING: Duration = Duration::from_secs(600);

/// A scorer inside the host that is asked to stop gets so long to hear it; one in a process of its own is killed earlier.
const STOPPING: Duration = Duration::from_secs(2);

/// What a runner works with.
pub struct Runners {
    /// What scores.
    pub engine: Arc<Engine>,
    /// What keeps the jobs.
    pub store: Arc<dyn Store>,
    /// Where uploaded workspaces and logs are.
    pub folders: Folders,
    /// Where other workspaces are.
    pub root: Root,
    /// What runs now.
    pub running: Arc<Running>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
}

/// Why a runner stops waiting for a job.
enum End {
    Scored(Box<ResultFile>),
    /// It cannot even begin.
    Refused(ScoreError),
    Panicked,
    /// The job is another worker's now.
    Lost,
    /// The daemon ends and has waited long enough.
    OutOfTime,
}

/// What comes of a thread that scores.
type Scoring = JoinHandle<Result<ResultFile, ScoreError>>;

impl Runners {
    /// Starts so many runners. They take no more jobs once `stop` is true; what still runs when `abandon` is true is put
    /// back into the queue.
    pub fn start(
        self: Arc<Self>,
        count: usize,
        stop: watch::Receiver<bool>,
        abandon: watch::Receiver<bool>,
    ) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        for _ in 0..count {
            tasks.spawn(self.clone().run(stop.clone(), abandon.clone()));
        }
        tasks
    }

    async fn run(self: Arc<Self>, mut stop: watch::Receiver<bool>, abandon: watch::Receiver<bool>) {
        let mut news = self.store.last_event();
        let mut pause = Pause::default();
        while !*stop.borrow() {
            news.mark_unchanged();
            match self.take().await {
                Ok(Some((claim, cancel))) => self.work(&claim, &cancel, abandon.clone()).await,
                Ok(None) => {
                    tokio::select! {
                        () = said(&mut stop) => {}
                        _ = timeout(IDLE, news.changed()) => {}
                    }
                }
                Err(error) => {
                    tracing::error!(%error, "no job can be taken");
                    _ = timeout(pause.next(), said(&mut stop)).await;
                    continue;
                }
            }
            pause = Pause::default();
        }
    }

    /// The next job, which runs from here on.
    async fn take(&self) -> Result<Option<(Claim, Cancel)>, QueueError> {
        let _taking = self.running.taking().await;
        let claim = self.store.claim(LEASE).await?;
        Ok(claim.map(|claim| {
            let cancel = self.running.begin(&claim);
            (claim, cancel)
        }))
    }

    async fn work(self: &Arc<Self>, claim: &Claim, cancel: &Cancel, mut abandon: watch::Receiver<bool>) {
        let id = &claim.job.id;
        tracing::info!(job = %id, submitter = claim.job.submitter, attempt = claim.job.attempts, "job begins");
        match self.score(claim, cancel, &mut abandon).await {
            End::Scored(result) => {
                self.metrics.scored(&result);
                self.record(claim, ending(*result, cancel), &mut abandon).await;
            }
            End::Refused(error) => self.record(claim, failed(error), &mut abandon).await,
            End::Panicked => self.record(claim, failed(panicked()), &mut abandon).await,
            End::Lost => tracing::warn!(job = %id, "the job is no longer this worker's; what it found is dropped"),
            End::OutOfTime => match self.store.give_back(claim).await {
                Ok(_) => tracing::info!(job = %id, "job put back"),
                // The next start finds it.
                Err(error) => tracing::error!(job = %id, %error, "the job cannot be put back now"),
            },
        }
        self.running.end(claim);
    }

    /// Scores on a thread of its own, and renews the lease meanwhile.
    async fn score(self: &Arc<Self>, claim: &Claim, cancel: &Cancel, abandon: &mut watch::Receiver<bool>) -> End {
        let (runners, job, word) = (self.clone(), claim.job.clone(), cancel.clone());
        let mut scoring: Scoring = tokio::task::spawn_blocking(move || {
            let request = runners.request(&job.id, &job.order)?;
            Ok(runners.engine.score(&request, &word).result)
        });
        let mut beat = interval(BEAT);
        beat.tick().await;
        loop {
            tokio::select! {
                scored = &mut scoring => return match scored {
                    Ok(Ok(result)) => End::Scored(Box::new(result)),
                    Ok(Err(error)) => End::Refused(error),
                    Err(_) => End::Panicked,
                },
                _ = beat.tick() => match self.store.renew(claim, LEASE).await {
                    Ok(Beat::Go) => {}
                    Ok(Beat::Cancel) => cancel.request(),
                    Ok(Beat::Lost) => {
                        stop(scoring, cancel).await;
                        return End::Lost;
                    }
                    Err(error) => tracing::error!(job = %claim.job.id, %error, "the lease cannot be renewed"),
                },
                () = said(abandon) => {
                    stop(scoring, cancel).await;
                    return End::OutOfTime;
                }
            }
        }
    }

    fn request(&self, id: &JobId, order: &Order) -> Result<Request, ScoreError> {
        let workspace = match &order.workspace {
            Place::Path(name) => self.root.resolve(name)?,
            Place::Uploaded => self.folders.uploaded(id)?,
        };
        let wrong = |name: &str, expected: String| {
            ScoreError::new(ErrorCode::InvalidParams, format!("{name} is wrong")).expected(expected).at_stage("request")
        };
        let scorer =
            order.scorer.as_deref().map(str::parse).transpose().map_err(|expected| wrong("scorer", expected))?;
        let time_limit =
            order.time_limit.map(seconds_of_number).transpose().map_err(|expected| wrong("time_limit", expected))?;
        let log = JobLog::new(id.clone(), self.folders.log(id), self.running.clone());
        Ok(Request {
            workspace: workspace.display().to_string(),
            scorer,
            params: order.params.clone(),
            artifacts: order.artifacts,
            time_limit,
            memory_limit: order.memory_limit,
            observer: Observer::new(Arc::new(log)),
        })
    }

    /// Records an ending. While the store fails, it is asked again and again: what was found may have taken hours. In the
    /// end the job is let go, and is run again.
    async fn record(&self, claim: &Claim, ending: Ending, abandon: &mut watch::Receiver<bool>) {
        let (id, start, mut pause) = (&claim.job.id, Instant::now(), Pause::default());
        loop {
            let out_of_time = *abandon.borrow() || start.elapsed() > RECORDING;
            match self.store.finish(claim, ending.clone()).await {
                Ok(true) => return tracing::info!(job = %id, "job ended"),
                Ok(false) => {
                    return tracing::warn!(job = %id, "the job is no longer this worker's; its end is not recorded");
                }
                Err(error) => tracing::error!(job = %id, %error, "the end of a job cannot be recorded"),
            }
            if out_of_time {
                return tracing::error!(job = %id, "the job is let go, and will be run again");
            }
            _ = timeout(pause.next(), said(abandon)).await;
        }
    }
}

/// Asks a scorer to stop and waits a little: a thread cannot be ended, and a workspace must not have two at work.
async fn stop(scoring: Scoring, cancel: &Cancel) {
    cancel.request();
    _ = timeout(STOPPING, scoring).await;
}

fn failed(error: ScoreError) -> Ending {
    Ending::Failed { result: None, error, scored_by: None }
}

fn panicked() -> ScoreError {
    ScoreError::new(ErrorCode::UnhandledError, "the host itself failed on this job")
        .hint("report it to the maintainers, with the workspace")
}

fn ending(result: ResultFile, cancel: &Cancel) -> Ending {
    let text = match serde_json::to_string(&result) {
        Ok(text) => text,
        Err(error) => return failed(not_kept(&error)),
    };
    let scored_by = scored_by(&result);
    match result.error {
        Some(error) if error.code == ErrorCode::Cancelled && cancel.requested() => Ending::Cancelled,
        Some(error) => Ending::Failed { result: Some(text), error, scored_by },
        None => Ending::Done { result: text, score: result.summary.get("score").and_then(|s| s.as_f64()), scored_by },
    }
}

fn not_kept(error: &serde_json::Error) -> ScoreError {
    ScoreError::new(ErrorCode::UnhandledError, format!("the result cannot be written as JSON: {error}"))
        .at_stage("save")
        .hint("report it to the maintainers, with the workspace")
}

/// `id@version` of the scorer that made a result.
pub fn scored_by(result: &ResultFile) -> Option<String> {
    let (scorer, version) = (result.versioning.scorer.as_ref()?, result.versioning.version.as_ref()?);
    Some(format!("{scorer}@{version}"))
}
