//! `serve`: the daemon, from its start to its last breath.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use parking_lot::RwLock;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{interval, timeout};
use tracing_subscriber::EnvFilter;

use crate::callback;
use crate::daemon::{Folders, LogFormat, Root, Runners, Running, ServeSettings};
use crate::engine::Engine;
use crate::entry::exit::Exit;
use crate::entry::http::{App, Gate, Server, router};
use crate::entry::print;
use crate::queue::{Moment, Sqlite, SqliteOptions, Store};
use crate::settings::Settings;
use crate::telemetry::metrics::Metrics;

/// Leases that have run out, and jobs that are too old, are looked for this often.
const SWEEP: Duration = Duration::from_secs(5);

/// So many events are kept for those who come back.
const KEPT_EVENTS: i64 = 100_000;

/// So many old jobs are forgotten at a time.
const FORGOTTEN: usize = 500;

/// After the jobs, connections get this long to take their answers.
const LAST_ANSWERS: Duration = Duration::from_secs(5);

/// Serves until SIGTERM or SIGINT.
pub fn run(settings: &Settings, serve: &ServeSettings) -> Result<Exit, ScoreError> {
    start_log(serve.log_format);
    let runtime = runtime(serve).map_err(|error| failed(format!("the daemon cannot start: {error}")))?;
    runtime.block_on(daemon(settings, serve))
}

fn start_log(format: Option<LogFormat>) {
    let filter = EnvFilter::try_from_env("AUTOSCORER_LOG").unwrap_or_else(|_| EnvFilter::new("autoscorer=info"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    let people = std::io::stderr().is_terminal();
    match format.unwrap_or(if people { LogFormat::Text } else { LogFormat::Json }) {
        LogFormat::Text => log.with_ansi(people).init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
}

fn runtime(serve: &ServeSettings) -> std::io::Result<Runtime> {
    // A place for every job and every score at once, and some for files.
    Builder::new_multi_thread().enable_all().max_blocking_threads(serve.runners + places() + 64).build()
}

/// Scores at once, beside the jobs of the queue.
fn places() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from) * 2
}

fn failed(message: String) -> ScoreError {
    ScoreError::new(ErrorCode::UnhandledError, message).at_stage("serve")
}

fn usage(message: String) -> ScoreError {
    ScoreError::new(ErrorCode::InvalidParams, message).at_stage("settings")
}

async fn daemon(settings: &Settings, serve: &ServeSettings) -> Result<Exit, ScoreError> {
    let (stop, stopping) = watch::channel(false);
    let (abandon, abandoned) = watch::channel(false);
    let mut signals = Signals::new().map_err(|error| failed(format!("no signals can be heard: {error}")))?;
    let app = assemble(settings, serve, stopping.clone()).await?;
    let server = Server::listen(serve.bind, serve.max_connections, serve.client_timeout).await.map_err(|error| {
        usage(format!("{} cannot be listened at: {error}", serve.bind)).hint("choose another address with --bind")
    })?;
    let address = server.address().map_err(|error| failed(error.to_string()))?;
    let mut helpers = helpers(&app, stopping.clone())?;
    let runners = Arc::new(Runners {
        engine: app.engine.clone(),
        store: app.store.clone(),
        folders: app.folders.clone(),
        root: app.root.clone(),
        running: app.running.clone(),
        metrics: app.metrics.clone(),
    });
    let mut runners = runners.start(serve.runners, stopping.clone(), abandoned);
    let serving = tokio::spawn(server.serve(app.clone(), router(app.clone()), stopping));
    print::out(format!("listening on http://{address}"));
    tracing::info!(%address, root = %app.root.path().display(), data = %app.folders.data().display(), "ready");

    signals.wait(&app).await;
    tracing::info!(running = app.running.count(), "stopping: no new work is taken");
    // Nobody has gone away: the receivers are held above.
    _ = stop.send(true);
    let finished = async { while runners.join_next().await.is_some() {} };
    if timeout(serve.drain, finished).await.is_err() {
        tracing::warn!(running = app.running.count(), "out of time: what still runs is put back into the queue");
        _ = abandon.send(true);
        while runners.join_next().await.is_some() {}
    }
    if let Ok(stopped) = serving.await {
        _ = timeout(LAST_ANSWERS, stopped.drained()).await;
    }
    helpers.shutdown().await;
    tracing::info!("stopped");
    Ok(Exit::Done)
}

async fn assemble(
    settings: &Settings,
    serve: &ServeSettings,
    stopping: watch::Receiver<bool>,
) -> Result<Arc<App>, ScoreError> {
    let gate = Gate::open(serve).map_err(|reason| {
        usage(reason).hint("make a token with 'autoscorer tokens add', or listen at a loopback address, or say --allow-unauthenticated")
    })?;
    let folders = Folders::open(&serve.data)
        .map_err(|error| usage(format!("the data folder {} cannot be used: {error}", serve.data.display())))?;
    let root = Root::open(&serve.root, folders.data()).map_err(|error| {
        usage(format!("the root {} cannot be used: {error}", serve.root.display()))
            .hint("name a folder that exists with --root")
    })?;
    let options =
        SqliteOptions { queue_limit: serve.queue_limit, max_attempts: serve.max_attempts, keep_events: KEPT_EVENTS };
    let store = Sqlite::open(&folders.queue(), options).map_err(|error| failed(error.to_string()))?;
    let store: Arc<dyn Store> = Arc::new(store);
    clear_orphans(&folders, store.as_ref()).await;
    let metrics = Arc::new(Metrics::default());
    let engine = Arc::new(Engine::new(settings));
    write_down_events(&engine, store.clone(), metrics.clone());
    let following = {
        let engine = engine.clone();
        tokio::task::spawn_blocking(move || engine.follow_folder()).await
    };
    let following = following.map_err(|error| failed(error.to_string()))?.map_err(|error| failed(error.to_string()))?;
    Ok(Arc::new(App {
        engine,
        following,
        store,
        folders,
        root,
        running: Arc::new(Running::default()),
        metrics,
        gate: RwLock::new(Arc::new(gate)),
        settings: serve.clone(),
        stopping,
        places: Semaphore::new(places()),
        waiting: App::waiting(),
    }))
}

/// Folders of jobs that were never accepted, because the daemon was killed in between.
async fn clear_orphans(folders: &Folders, store: &dyn Store) {
    for id in folders.job_ids().unwrap_or_default() {
        if let Ok(None) = store.job(&id).await
            && let Err(error) = folders.remove(&id)
        {
            tracing::warn!(job = %id, %error, "what is left of an upload cannot be removed");
        }
    }
}

/// What happens to scorers is kept with what happens to jobs, so that one number counts both.
fn write_down_events(engine: &Engine, store: Arc<dyn Store>, metrics: Arc<Metrics>) {
    let events = engine.registry().events.subscribe();
    let runtime = tokio::runtime::Handle::current();
    std::thread::spawn(move || {
        for event in events {
            metrics.library(&event.what);
            tracing::info!("{}", event.what);
            let data = serde_json::to_value(&event.what).unwrap_or_default();
            let kind = format!("scorer.{}", data["event"].as_str().unwrap_or("event"));
            if let Err(error) = runtime.block_on(store.note(kind, data)) {
                tracing::warn!(%error, "an event cannot be kept");
            }
        }
    });
}

/// What goes on beside the jobs: callbacks, leases, old jobs.
fn helpers(app: &Arc<App>, stopping: watch::Receiver<bool>) -> Result<JoinSet<()>, ScoreError> {
    let mut helpers = JoinSet::new();
    helpers.spawn(sweep(app.clone()));
    if let Some(secret) = &app.settings.callback_secret {
        let courier = callback::Courier::new(secret.0.clone(), app.settings.allow_private_callbacks);
        let courier = courier.map_err(|error| failed(format!("callbacks cannot be made: {error}")))?;
        helpers.spawn(callback::run(app.store.clone(), courier, stopping));
    }
    Ok(helpers)
}

async fn sweep(app: Arc<App>) {
    let mut ticks = interval(SWEEP);
    loop {
        ticks.tick().await;
        match app.store.recover().await {
            Ok(0) => {}
            Ok(count) => tracing::warn!(count, "jobs whose worker has died"),
            Err(error) => tracing::error!(%error, "leases cannot be looked at"),
        }
        match app.store.forget(Moment::now().minus(app.settings.keep), FORGOTTEN).await {
            Ok(forgotten) => {
                for id in forgotten {
                    if let Err(error) = app.folders.remove(&id) {
                        tracing::warn!(job = %id, %error, "the folder of an old job cannot be removed");
                    }
                }
            }
            Err(error) => tracing::error!(%error, "old jobs cannot be forgotten"),
        }
    }
}

struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hang_up: Signal,
}

impl Signals {
    fn new() -> std::io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the end. SIGHUP looks at the folder again and reads the tokens anew.
    async fn wait(&mut self, app: &App) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.hang_up.recv() => {
                    app.following.reload();
                    let gate = app.gate.read().clone();
                    match gate.reopen(&app.settings) {
                        Ok(gate) => *app.gate.write() = Arc::new(gate),
                        // A file that is wrong for a moment must not lock everybody out, nor let anybody in.
                        Err(error) => tracing::error!(error, "the tokens stay as they were"),
                    }
                    tracing::info!("SIGHUP: scorers and tokens are looked at again");
                }
            }
        }
    }
}
