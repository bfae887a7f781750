//! The engine: from a request to a result, one stage after the other.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use autoscorer_plugin_api::context::Level;
use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::faults::Faults;

use crate::isolate::{Limits, confine};
use crate::job::{Job, Request, ScorerName, Workspace};
use crate::load::{self, Finding, Loader, Origin, Refusal, Step};
use crate::registry::{Following, Lease, Reconciler, Registry, list_libraries};
use crate::run::{self, Cancel, Place, Run};
use crate::save::{self, ArtifactFolder, Inputs, Resources, ResultFile, Timing, Versioning, WorkspaceLock};
use crate::settings::Settings;
use crate::telemetry::{narrate, resources, time};

/// How many libraries are tried out at the same time when a command loads several.
const PROBES: usize = 8;

/// Hashing fewer bytes takes less time than starting a thread for it.
const WORTH_A_THREAD: u64 = 256 << 10;

/// A registry with its folder, and the way of a job through the host.
pub struct Engine {
    registry: Arc<Registry>,
    custom_scorers: PathBuf,
    limits: Limits,
}

/// What came of a job.
pub struct Report {
    /// The workspace as the user wrote it.
    pub workspace: String,
    /// What was written to the workspace; without a workspace, what would have been.
    pub result: ResultFile,
}

impl Engine {
    /// An engine that knows the built-in scorers. Their libraries are opened when they are used.
    pub fn new(settings: &Settings) -> Self {
        let loader = Arc::new(Loader::new(settings.loader.clone()));
        let registry = Registry::new(loader, settings.allow_override.clone(), settings.breaker);
        for library in load::builtin::find(settings.plugins.as_deref()) {
            match load::peek(&library) {
                Ok(metadata) => registry.add_built_in(library, metadata),
                Err(refusal) => registry.refuse(refusal),
            }
        }
        Self { registry, custom_scorers: settings.custom_scorers.clone(), limits: settings.loader.limits }
    }

    /// The registry.
    pub fn registry(&self) -> &Arc<Registry> {
        &self.registry
    }

    /// The folder of custom scorers.
    pub fn custom_scorers(&self) -> &Path {
        &self.custom_scorers
    }

    /// Makes the registry equal to the folder of custom scorers, and keeps it so as long as the process lives.
    pub fn follow_folder(&self) -> io::Result<Following> {
        warn_of_gaps();
        Reconciler::start(self.custom_scorers.clone(), self.registry.clone())
    }

    /// Loads the custom libraries that these jobs need, and no others. Nothing is even looked at for built-in scorers.
    pub fn load_needed<'n>(&self, names: impl Iterator<Item = &'n ScorerName>) {
        let needed: BTreeSet<&str> =
            names.map(|name| name.id.as_str()).filter(|id| !self.registry.is_reserved(id)).collect();
        if !needed.is_empty() {
            self.load_custom(|ids| ids.iter().any(|id| needed.contains(id.as_str())));
        }
    }

    /// Loads all custom libraries.
    pub fn load_all(&self) {
        self.load_custom(|_| true);
    }

    fn load_custom(&self, wanted: impl Fn(&[String]) -> bool) {
        let libraries = match list_libraries(&self.custom_scorers) {
            Ok(libraries) => libraries,
            Err(error) => return self.registry.refuse(unreadable(&self.custom_scorers, &error)),
        };
        let mut candidates = Vec::new();
        for path in libraries.into_keys() {
            match load::settle_and_peek(&path) {
                Ok(metadata) => {
                    let ids: Vec<String> = metadata.scorers.into_iter().map(|scorer| scorer.id).collect();
                    self.registry.notice(&ids);
                    candidates.extend(wanted(&ids).then_some(path));
                }
                Err(refusal) => self.registry.refuse(refusal),
            }
        }
        if !candidates.is_empty() {
            warn_of_gaps();
        }
        for some in candidates.chunks(PROBES) {
            thread::scope(|scope| {
                for path in some {
                    scope.spawn(|| self.load_one(path));
                }
            });
        }
    }

    fn load_one(&self, path: &Path) {
        let published =
            self.registry.loader().vet(path, Origin::Custom).and_then(|vetted| self.registry.publish(vetted));
        if let Err(refusal) = published {
            self.registry.refuse(refusal);
        }
    }

    /// Scores a workspace and writes its result.
    pub fn score(&self, request: &Request, cancel: &Cancel) -> Report {
        let start = Instant::now();
        let mut result = match Workspace::open(&request.workspace) {
            Ok(workspace) => self.score_in(workspace, request, cancel, start),
            Err(error) => failure(error),
        };
        result.timing.total_time = start.elapsed().as_secs_f64();
        Report { workspace: request.workspace.clone(), result }
    }

    fn score_in(&self, workspace: Workspace, request: &Request, cancel: &Cancel, start: Instant) -> ResultFile {
        let root = workspace.path().to_owned();
        // Two jobs in one workspace take turns, so that the later one's result is the one that stays.
        let turn = WorkspaceLock::wait(&root, || cancel.requested());
        if turn.is_none() && cancel.requested() {
            // The workspace is another job's, and stays as that one leaves it.
            let message = "the job was cancelled while it waited for its workspace";
            return failure(ScoreError::new(ErrorCode::Cancelled, message).at_stage("score"));
        }
        if let Err(error) = save::forget(&root) {
            return failure(error);
        }
        let artifacts = ArtifactFolder::new(&root);
        let prepared = self.prepare(workspace, request);
        if let Err(error) = &prepared
            && !root.join("output").is_dir()
        {
            // A folder without anything of a workspace in it is none, and gets nothing of one.
            return failure(error.clone().into());
        }
        let mut result = match prepared {
            Ok((job, lease)) => self.scored(&job, &lease, Some(artifacts.path()), cancel),
            Err(faults) => failure(faults.into()),
        };
        finish(&root, &mut result, artifacts, start);
        result
    }

    fn prepare(&self, workspace: Workspace, request: &Request) -> Result<(Job, Lease), Faults> {
        let job = Job::in_workspace(workspace, request).map_err(|faults| faults.map(|fault| fault.at_stage("meta")))?;
        let lease = self.registry.lease(&job.scorer).or_else(|error| self.registry.lease_kept(&job.scorer, error));
        Ok((job, lease.map_err(|error| error.at_stage("load"))?))
    }

    /// Scores a workspace without leaving anything in it.
    pub fn rescore(&self, request: &Request, cancel: &Cancel) -> Result<ResultFile, ScoreError> {
        let workspace = Workspace::open(&request.workspace)?;
        let (job, lease) = self.prepare(workspace, request)?;
        Ok(self.scored(&job, &lease, None, cancel))
    }

    /// The report of a request that could not be understood. If it is known for which workspace it was, no older score stays
    /// there.
    pub fn reject(&self, workspace: &str, error: ScoreError) -> Report {
        let mut result = failure(error);
        if let Ok(known) = Workspace::open(workspace)
            && known.path().join("output").is_dir()
        {
            finish(known.path(), &mut result, ArtifactFolder::new(known.path()), Instant::now());
        }
        Report { workspace: workspace.to_owned(), result }
    }

    /// All faults that would make scoring fail.
    pub fn validate(&self, request: &Request, cancel: &Cancel) -> Faults {
        let validate = || -> Result<Faults, Faults> {
            let workspace = Workspace::open(&request.workspace)?;
            let (job, lease) = self.prepare(workspace, request)?;
            Ok(run::validate(&job, &self.limits_of(&job), &lease, cancel)?)
        };
        validate().unwrap_or_else(|faults| faults)
    }

    fn limits_of(&self, job: &Job) -> Limits {
        self.limits.with(job.time_limit, job.memory_limit)
    }

    fn scored(&self, job: &Job, lease: &Lease, artifacts: Option<&Path>, cancel: &Cancel) -> ResultFile {
        let folder = artifacts.filter(|_| job.artifacts).map(Path::to_owned);
        let limits = self.limits_of(job);
        let inputs = Inputs::of(job.workspace.path());
        let score = || run::score(job, &limits, lease, folder, cancel);
        let (mut run, inputs) = if inputs.size() < WORTH_A_THREAD {
            let hashes = inputs.hashes();
            (score(), hashes)
        } else {
            // Hashing reads what the scorer reads; side by side it costs next to nothing.
            thread::scope(|scope| {
                let hashes = scope.spawn(|| inputs.hashes());
                (score(), hashes.join().unwrap_or_default())
            })
        };
        let own_limits = job.time_limit.is_some() || job.memory_limit.is_some();
        lease.report(run.outcome.as_ref().err(), own_limits);
        if let (Ok(outcome), Some(_), Place::InProcess) = (&mut run.outcome, job.memory_limit, run.place) {
            // A limit that is not kept must not look as if it were.
            outcome
                .warn("LIMIT_NOT_ENFORCED", "the memory limit is not enforced for a scorer that runs inside the host");
        }
        let versioning = Versioning { inputs, ..versioning(job, lease, &run, limits) };
        let seconds = |time: Duration| time.as_secs_f64();
        let mut result = ResultFile::new(run.outcome, versioning);
        result.timing =
            Timing { load_time: seconds(run.load_time), compute_time: seconds(run.compute_time), ..Timing::default() };
        result.resources = Resources { memory_peak_mb: run.used.memory_peak_mb, cpu_time: seconds(run.used.cpu) };
        result
    }
}

fn versioning(job: &Job, lease: &Lease, run: &Run, limits: Limits) -> Versioning {
    let scorer = lease.scorer();
    Versioning {
        scorer: Some(scorer.id.clone()),
        version: Some(scorer.version.clone()),
        algorithm: Some(scorer.algorithm.clone()),
        plugin_sha256: lease.sha256().map(str::to_owned),
        api_version: Some(lease.metadata().api.to_string()),
        isolation: Some(run.place),
        limits: (run.place == Place::Process).then_some(limits),
        params: job.params.clone(),
        job_id: job.id.clone(),
        ..nothing_known()
    }
}

fn unreadable(folder: &Path, error: &io::Error) -> Refusal {
    let found = format!("a folder that cannot be read: {error}");
    Finding::new(found, "a readable folder of custom scorers", "check its permissions").at(Step::Settle, folder)
}

/// What this system cannot enforce is said before a custom scorer runs, not ignored.
fn warn_of_gaps() {
    for gap in confine::missing() {
        narrate::line(Level::Warn, format_args!("warning: {gap}"));
    }
}

/// The result of a job that no scorer was found for.
fn failure(error: ScoreError) -> ResultFile {
    ResultFile::new(Err(error), nothing_known())
}

fn nothing_known() -> Versioning {
    Versioning { timestamp: time::now(), host_version: env!("CARGO_PKG_VERSION").to_owned(), ..Versioning::default() }
}

/// Puts artifacts and result in place. If that fails, there is no score either.
fn finish(root: &Path, result: &mut ResultFile, artifacts: ArtifactFolder, start: Instant) {
    let saving = Instant::now();
    let placed = if result.artifacts.is_empty() { artifacts.remove_old() } else { artifacts.put_in_place() };
    if let (Err(error), None) = (placed, &result.error) {
        let message = format!("output/artifacts cannot be replaced: {error}");
        result.fail(ScoreError::new(ErrorCode::WorkspaceNotFound, message).at_stage("save"));
    }
    result.resources.memory_peak_mb = result.resources.memory_peak_mb.or_else(resources::peak_memory_mb);
    result.timing.save_time = saving.elapsed().as_secs_f64();
    result.timing.total_time = start.elapsed().as_secs_f64();
    if let Err(error) = save::write(root, result) {
        result.fail(error);
    }
}
