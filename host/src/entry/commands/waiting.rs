//! Waiting: looks at jobs until all have ended, and shows how far they are.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use indicatif::{ProgressBar, ProgressStyle};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

use crate::engine::Report;
use crate::entry::client::{JobSeen, Server, is_unreachable};
use crate::queue::State;
use crate::save::{ResultFile, Versioning};

/// A daemon that is gone for longer is not waited for.
const PATIENCE: Duration = Duration::from_secs(60);

const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// So many jobs are looked at between two pauses.
const LOOKED_AT: usize = 50;

/// Jobs that are waited for.
pub struct Waiting<'s> {
    server: &'s Server,
    jobs: Vec<(String, String)>,
    reports: Vec<Option<Report>>,
    bar: ProgressBar,
}

/// A runtime for a few calls.
pub fn runtime() -> Result<Runtime, ScoreError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| ScoreError::new(ErrorCode::UnhandledError, format!("no calls can be made: {error}")))
}

impl<'s> Waiting<'s> {
    /// Jobs by id, each with the name of its workspace.
    pub fn new(server: &'s Server, jobs: Vec<(String, String)>) -> Self {
        let bar = if std::io::stderr().is_terminal() { bar() } else { ProgressBar::hidden() };
        let reports = jobs.iter().map(|_| None).collect();
        Self { server, jobs, reports, bar }
    }

    /// The reports of all, in order. Whoever interrupts it stops the waiting, not the jobs.
    pub async fn until_all_end(mut self) -> Result<Vec<Report>, ScoreError> {
        let waited = tokio::select! {
            waited = self.look_until_all_ended() => waited,
            () = interrupted() => Err(self.left_alone()),
        };
        self.bar.finish_and_clear();
        waited?;
        Ok(self.reports.into_iter().flatten().collect())
    }

    async fn look_until_all_ended(&mut self) -> Result<(), ScoreError> {
        let (mut pause, mut last_answer) = (FIRST_PAUSE, Instant::now());
        loop {
            match self.look().await {
                Ok(()) => last_answer = Instant::now(),
                Err(error) if is_unreachable(&error) && last_answer.elapsed() < PATIENCE => {}
                Err(error) => return Err(error),
            }
            if self.reports.iter().all(Option::is_some) {
                return Ok(());
            }
            sleep(pause).await;
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
        }
    }

    async fn look(&mut self) -> Result<(), ScoreError> {
        let waiting: Vec<usize> =
            (0..self.jobs.len()).filter(|&at| self.reports[at].is_none()).take(LOOKED_AT).collect();
        for at in waiting {
            let (id, workspace) = &self.jobs[at];
            let job = self.server.job(id).await?;
            self.show(at, &job);
            if job.state.is_final() {
                let result = outcome(self.server, &job).await?;
                self.reports[at] = Some(Report { workspace: workspace.clone(), result });
            }
        }
        Ok(())
    }

    fn show(&self, at: usize, job: &JobSeen) {
        let ended = self.reports.iter().flatten().count() as u64;
        match (self.jobs.len(), &job.progress) {
            (1, Some(progress)) => {
                self.bar.set_length(progress.total);
                self.bar.set_position(progress.done);
            }
            (1, None) => {}
            (all, _) => {
                self.bar.set_length(all as u64);
                self.bar.set_position(ended);
            }
        }
        self.bar.set_message(format!("{} {}", self.jobs[at].1, job.state.as_str()));
    }

    fn left_alone(&self) -> ScoreError {
        let left: Vec<&str> = self
            .jobs
            .iter()
            .zip(&self.reports)
            .filter(|(_, report)| report.is_none())
            .map(|((id, _), _)| id.as_str())
            .collect();
        let first = left.first().copied().unwrap_or_default();
        let server = self.server.name();
        ScoreError::new(
            ErrorCode::Cancelled,
            format!("the waiting was stopped; jobs that go on without it: {}", left.len()),
        )
        .hint(format!("'autoscorer jobs watch {first} --server {server}' follows it, 'jobs cancel' stops it"))
        .detail("jobs", left)
    }
}

/// What came of a job that has ended.
pub async fn outcome(server: &Server, job: &JobSeen) -> Result<ResultFile, ScoreError> {
    match server.result(&job.id).await {
        Ok(result) if job.state != State::Cancelled => Ok(result),
        Err(error) if error.details.more.get("status").is_none_or(|status| status != 409) => Err(error),
        _ => Ok(ResultFile::new(Err(reason(job)), Versioning::default())),
    }
}

/// Why a job has no result.
fn reason(job: &JobSeen) -> ScoreError {
    job.error.clone().unwrap_or_else(|| {
        ScoreError::new(ErrorCode::Cancelled, format!("the job was {}", job.state.as_str()))
            .hint(format!("'autoscorer jobs requeue {}' runs it again", job.id))
    })
}

async fn interrupted() {
    let heard = async |kind| match signal(kind) {
        Ok(mut signal) => _ = signal.recv().await,
        // Without a handler the signal ends the program, as it does anyway.
        Err(_) => std::future::pending().await,
    };
    tokio::select! {
        () = heard(SignalKind::interrupt()) => {}
        () = heard(SignalKind::terminate()) => {}
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::new(0);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg} ({elapsed})") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
