//! `serve`: the daemon, from its start to its last breath.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use parking_lot::RwLock;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing_subscriber::EnvFilter;

use crate::callback;
use crate::daemon::{Folders, LogFormat, Root, Runners, Running, ServeSettings, Sweep, Tally};
use crate::engine::Engine;
use crate::entry::exit::Exit;
use crate::entry::http::{App, Connections, Gate, Places, Server, router};
use crate::entry::print;
use crate::queue::{Sqlite, SqliteOptions, Store};
use crate::settings::Settings;
use crate::telemetry::metrics::Metrics;

/// So many events are kept for those who come back.
const KEPT_EVENTS: i64 = 100_000;

/// What runs when the patience is at an end gets this long to hear it, and to be put back.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// After the jobs, connections get this long to take their answers.
const LAST_ANSWERS: Duration = Duration::from_secs(5);

/// At the very end, helpers and threads get this long.
const LAST_BREATH: Duration = Duration::from_secs(1);

/// Serves until SIGTERM or SIGINT.
pub fn run(settings: &Settings, serve: &ServeSettings) -> Result<Exit, ScoreError> {
    start_log(serve.log_format);
    let runtime = runtime(serve).map_err(|error| failed(format!("the daemon cannot start: {error}")))?;
    let ended = runtime.block_on(daemon(settings, serve));
    // A thread that hangs cannot be ended, only left behind: what it would have found is not waited for by anybody.
    runtime.shutdown_timeout(LAST_BREATH);
    ended
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
    Builder::new_multi_thread().enable_all().max_blocking_threads(serve.runners + places() as usize + 64).build()
}

/// Scores at once, beside the jobs of the queue.
fn places() -> u32 {
    std::thread::available_parallelism().map_or(1, |cores| u32::try_from(cores.get()).unwrap_or(1)) * 2
}

fn failed(message: String) -> ScoreError {
    ScoreError::new(ErrorCode::UnhandledError, message).at_stage("serve")
}

fn usage(message: String) -> ScoreError {
    ScoreError::new(ErrorCode::InvalidParams, message).at_stage("settings")
}

/// The words that are said to all parts of the daemon on its way to the end, one after the other.
struct Words {
    /// Nothing new is begun.
    stop: watch::Sender<bool>,
    /// What still runs has had its time.
    abandon: watch::Sender<bool>,
    /// Nobody is let in any more.
    close: watch::Sender<bool>,
}

impl Words {
    fn new() -> Self {
        let word = || watch::Sender::new(false);
        Self { stop: word(), abandon: word(), close: word() }
    }
}

async fn daemon(settings: &Settings, serve: &ServeSettings) -> Result<Exit, ScoreError> {
    let words = Words::new();
    let mut signals = Signals::new().map_err(|error| failed(format!("no signals can be heard: {error}")))?;
    let app = assemble(settings, serve, &words).await?;
    let listening = Server::listen(serve.bind, app.connections.clone(), serve.client_timeout).await;
    let server = listening.map_err(|error| {
        usage(format!("{} cannot be listened at: {error}", serve.bind)).hint("choose another address with --bind")
    })?;
    let address = server.address().map_err(|error| failed(error.to_string()))?;
    let mut helpers = helpers(&app, &words)?;
    helpers.spawn(server.serve(router(app.clone()), words.close.subscribe()));
    let mut runners = runners(&app).start(serve.runners, words.stop.subscribe(), words.abandon.subscribe());
    print::out(format!("listening on http://{address}"));
    tracing::info!(%address, root = %app.root.path().display(), data = %app.folders.data().display(), "ready");

    let early = tokio::select! {
        () = signals.wait(&app) => None,
        what = ends_early(&mut runners, &mut helpers, app.store.last_event()) => Some(what),
    };
    if let Some(what) = early {
        tracing::error!("{what} has ended by itself: the daemon ends, to be started anew");
    }
    let patience = if early.is_none() { serve.drain } else { Duration::ZERO };
    wind_down(&app, &words, runners, patience).await;
    _ = timeout(LAST_BREATH, helpers.shutdown()).await;
    tracing::info!("stopped");
    early.map_or(Ok(Exit::Done), |what| Err(failed(format!("{what} has ended by itself; the log tells more"))))
}

/// Waits until a part ends that should go on as long as the daemon does, and says which: without it the daemon would live,
/// and do nothing.
async fn ends_early(
    runners: &mut JoinSet<()>,
    helpers: &mut JoinSet<()>,
    mut store: watch::Receiver<i64>,
) -> &'static str {
    let store_ends = async { while store.changed().await.is_ok() {} };
    tokio::select! {
        Some(_) = runners.join_next() => "a runner of jobs",
        Some(_) = helpers.join_next() => "a helper of the daemon",
        () = store_ends => "the writer of the queue",
    }
}

/// Lets what runs end, puts the rest back, and closes the door at last: until then, whoever asks is answered. However much
/// hangs, it takes little longer than `patience`.
async fn wind_down(app: &App, words: &Words, mut runners: JoinSet<()>, patience: Duration) {
    tracing::info!(running = app.running.count(), "stopping: no new work is taken");
    words.stop.send_replace(true);
    if timeout(patience, work_ends(app, &mut runners)).await.is_err() {
        tracing::warn!(running = app.running.count(), "out of time: what still runs is put back into the queue");
        words.abandon.send_replace(true);
        if timeout(LAST_WORDS, work_ends(app, &mut runners)).await.is_err() {
            tracing::warn!(running = app.running.count(), "what does not hear is left behind");
        }
    }
    words.close.send_replace(true);
    _ = timeout(LAST_ANSWERS, app.connections.ended()).await;
}

async fn work_ends(app: &App, runners: &mut JoinSet<()>) {
    while runners.join_next().await.is_some() {}
    app.places.empty().await;
}

fn runners(app: &App) -> Arc<Runners> {
    Arc::new(Runners {
        engine: app.engine.clone(),
        store: app.store.clone(),
        folders: app.folders.clone(),
        root: app.root.clone(),
        running: app.running.clone(),
        metrics: app.metrics.clone(),
    })
}

async fn assemble(settings: &Settings, serve: &ServeSettings, words: &Words) -> Result<Arc<App>, ScoreError> {
    let gate = Gate::open(serve).map_err(|reason| {
        usage(reason).hint("make a token with 'autoscorer tokens add', or listen at a loopback address, or say --allow-unauthenticated")
    })?;
    let unusable =
        |error: std::io::Error| usage(format!("the data folder {} cannot be used: {error}", serve.data.display()));
    let folders = Folders::open(&serve.data).map_err(unusable)?;
    let root = Root::open(&serve.root, folders.data()).map_err(|error| {
        usage(format!("the root {} cannot be used: {error}", serve.root.display()))
            .hint("name a folder that exists with --root")
    })?;
    let options =
        SqliteOptions { queue_limit: serve.queue_limit, max_attempts: serve.max_attempts, keep_events: KEPT_EVENTS };
    let store = Sqlite::open(&folders.queue(), options).map_err(|error| failed(error.to_string()))?;
    // From here on the folder is this daemon's own.
    folders.clear_incoming().map_err(unusable)?;
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
        tally: Arc::new(Tally::new(store.clone(), metrics.clone())),
        store,
        folders,
        root,
        running: Arc::new(Running::default()),
        metrics,
        gate: RwLock::new(Arc::new(gate)),
        settings: serve.clone(),
        stopping: words.stop.subscribe(),
        abandoned: words.abandon.subscribe(),
        connections: Connections::new(serve.max_connections),
        places: Places::new(places()),
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
fn helpers(app: &App, words: &Words) -> Result<JoinSet<()>, ScoreError> {
    let mut helpers = JoinSet::new();
    let sweep = Sweep {
        store: app.store.clone(),
        running: app.running.clone(),
        folders: app.folders.clone(),
        tally: app.tally.clone(),
        keep: app.settings.keep,
    };
    helpers.spawn(sweep.run());
    let secret = app.settings.callback_secret.as_ref().map(|secret| secret.0.as_str());
    let courier = callback::Courier::new(secret, app.settings.allow_private_callbacks);
    let courier = courier.map_err(|error| failed(format!("callbacks cannot be made: {error}")))?;
    helpers.spawn(callback::run(app.store.clone(), courier, words.stop.subscribe()));
    Ok(helpers)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn endless() -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        tasks.spawn(std::future::pending());
        tasks
    }

    #[tokio::test]
    async fn a_part_that_ends_by_itself_is_noticed() {
        let (events, news) = watch::channel(0);
        let (mut runners, mut helpers) = (endless(), endless());
        let quiet = timeout(Duration::from_millis(50), ends_early(&mut runners, &mut helpers, news.clone())).await;
        assert!(quiet.is_err());
        runners.spawn(async { panic!("on purpose") });
        assert_eq!(ends_early(&mut runners, &mut helpers, news.clone()).await, "a runner of jobs");
        helpers.spawn(async {});
        assert_eq!(ends_early(&mut runners, &mut helpers, news.clone()).await, "a helper of the daemon");
        drop(events);
        assert_eq!(ends_early(&mut runners, &mut helpers, news).await, "the writer of the queue");
    }
}
