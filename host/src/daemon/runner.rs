//! The runners: take jobs from the queue, score them, and record what came of it.

use std::sync::Arc;
use std::time::Duration;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{interval, sleep, timeout};

use super::folders::Folders;
use super::job_log::JobLog;
use super::root::Root;
use super::running::Running;
use crate::engine::Engine;
use crate::job::{Observer, Request, seconds_of_number};
use crate::queue::{Beat, Claim, Ending, JobId, Order, Place, Store};
use crate::run::Cancel;
use crate::save::ResultFile;
use crate::telemetry::metrics::Metrics;

/// A worker that has not renewed its lease for so long is taken for dead.
const LEASE: Duration = Duration::from_secs(15);

/// How often a lease is renewed.
const BEAT: Duration = Duration::from_secs(4);

/// An idle runner looks at least so often; what makes it look at once is an event.
const IDLE: Duration = Duration::from_secs(1);

/// The pause before a store that has failed is asked again.
const PAUSE: Duration = Duration::from_millis(200);

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
    Panicked,
    /// The job is another worker's now.
    Lost,
    /// The daemon ends and has waited long enough.
    OutOfTime,
}

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
        while !*stop.borrow() {
            news.mark_unchanged();
            match self.store.claim(LEASE).await {
                Ok(Some(claim)) => self.work(claim, abandon.clone()).await,
                Ok(None) => {
                    tokio::select! {
                        _ = stop.changed() => {}
                        _ = timeout(IDLE, news.changed()) => {}
                    }
                }
                Err(error) => {
                    tracing::error!(%error, "no job can be taken");
                    sleep(PAUSE).await;
                }
            }
        }
    }

    async fn work(&self, claim: Claim, abandon: watch::Receiver<bool>) {
        let id = claim.job.id.clone();
        let cancel = self.running.begin(&id);
        tracing::info!(job = %id, submitter = claim.job.submitter, attempt = claim.job.attempts, "job begins");
        let end = match self.request(&id, &claim.job.order) {
            Ok(request) => self.score(&claim, request, &cancel, abandon).await,
            Err(error) => {
                self.record(&claim, Ending::Failed { result: None, error, scored_by: None }).await;
                self.running.end(&id);
                return;
            }
        };
        match end {
            End::Scored(result) => {
                self.metrics.scored(&result);
                self.record(&claim, ending(*result, &cancel)).await;
            }
            End::Panicked => {
                let error = ScoreError::new(ErrorCode::UnhandledError, "the host itself failed on this job")
                    .hint("report it to the maintainers, with the workspace");
                self.record(&claim, Ending::Failed { result: None, error, scored_by: None }).await;
            }
            End::Lost => tracing::warn!(job = %id, "the job is no longer this worker's; what it found is dropped"),
            End::OutOfTime => match self.store.give_back(&claim).await {
                Ok(_) => tracing::info!(job = %id, "job put back"),
                // Its lease runs out, or the next start finds it.
                Err(error) => tracing::error!(job = %id, %error, "the job cannot be put back now"),
            },
        }
        self.running.end(&id);
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

    /// Scores on a thread of its own, and renews the lease meanwhile.
    async fn score(&self, claim: &Claim, request: Request, cancel: &Cancel, mut abandon: watch::Receiver<bool>) -> End {
        let (engine, word) = (self.engine.clone(), cancel.clone());
        let mut scoring = tokio::task::spawn_blocking(move || engine.score(&request, &word).result);
        let mut beat = interval(BEAT);
        beat.tick().await;
        loop {
            tokio::select! {
                result = &mut scoring => return result.map_or(End::Panicked, |result| End::Scored(Box::new(result))),
                _ = beat.tick() => match self.store.renew(claim, LEASE).await {
                    Ok(Beat::Go) => {}
                    Ok(Beat::Cancel) => cancel.request(),
                    Ok(Beat::Lost) => {
                        stop(scoring, cancel).await;
                        return End::Lost;
                    }
                    Err(error) => tracing::error!(job = %claim.job.id, %error, "the lease cannot be renewed"),
                },
                () = said(&mut abandon) => {
                    stop(scoring, cancel).await;
                    return End::OutOfTime;
                }
            }
        }
    }

    /// Records an ending. While the store fails, it is asked again as long as the lease lasts; then the job is run again.
    async fn record(&self, claim: &Claim, ending: Ending) {
        let id = &claim.job.id;
        self.metrics.job_ended(&ending);
        for _ in 0..(LEASE.as_millis() / PAUSE.as_millis()) {
            match self.store.finish(claim, ending.clone()).await {
                Ok(true) => return tracing::info!(job = %id, "job ended"),
                Ok(false) => {
                    return tracing::warn!(job = %id, "the job is no longer this worker's; its end is not recorded");
                }
                Err(error) => {
                    tracing::error!(job = %id, %error, "the end of a job cannot be recorded");
                    sleep(PAUSE).await;
                }
            }
        }
    }
}

/// Waits until a word is said; for ever, if nobody is there to say it.
async fn said(word: &mut watch::Receiver<bool>) {
    if word.wait_for(|said| *said).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Asks a scorer to stop and waits for it: a thread cannot be ended, and a workspace must not have two at work.
async fn stop(scoring: JoinHandle<ResultFile>, cancel: &Cancel) {
    cancel.request();
    _ = timeout(Duration::from_secs(5), scoring).await;
}

fn ending(result: ResultFile, cancel: &Cancel) -> Ending {
    let scored_by = scored_by(&result);
    let text = serde_json::to_string(&result).unwrap_or_default();
    match result.error {
        Some(error) if error.code == ErrorCode::Cancelled && cancel.requested() => Ending::Cancelled,
        Some(error) => Ending::Failed { result: Some(text), error, scored_by },
        None => Ending::Done { result: text, score: result.summary.get("score").and_then(|s| s.as_f64()), scored_by },
    }
}

/// `id@version` of the scorer that made a result.
pub fn scored_by(result: &ResultFile) -> Option<String> {
    let (scorer, version) = (result.versioning.scorer.as_ref()?, result.versioning.version.as_ref()?);
    Some(format!("{scorer}@{version}"))
}
