//! A worker, as it sees itself: opens one library, then does one call after the other until its host is gone.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use autoscorer_plugin_api::abi::HostServices;
use autoscorer_plugin_api::context::Level;
use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use parking_lot::Mutex;

use crate::isolate::Limits;
use crate::isolate::confine::{self, ThreadConfinement};
use crate::isolate::protocol::{self, CallFrame, FromWorker, ToWorker, Used};
use crate::load::{Finding, Plugin, peek};
use crate::telemetry::resources::{forget_peak_memory, peak_memory_file, peak_memory_mb, process_cpu_time};

/// A scorer's stack: that of a main thread.
const STACK: usize = 8 << 20;

/// Progress is told at most this often.
const PROGRESS: Duration = Duration::from_millis(50);

/// Serves the host at the other end of standard input.
pub fn serve(library: &Path, limits: &Limits, network: bool) -> io::Result<()> {
    let socket = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let voice =
        Voice { socket: Mutex::new(socket.try_clone()?), cancelled: AtomicBool::default(), told: Mutex::default() };
    let peak = peak_memory_file();
    if let Err(reason) = confine::process(limits, network) {
        return voice.say(&FromWorker::Refused(serde_json::to_value(unconfined(reason))?));
    }
    // Its file is opened for the first time here, since it cannot be later.
    _ = peak_memory_mb();
    let (ear, limits) = (Mutex::new(socket), Mutex::new(*limits));
    let post = Arc::new(Post { ear, voice, plugin: OnceLock::new(), limits, peak });
    let (listening, is_listening) = channel();
    stand_by(post.clone(), Some(listening))?;
    // A thread that starts needs the dynamic loader's lock, which a constructor that never returns holds for ever.
    _ = is_listening.recv();
    match confined().and_then(|()| open(library)) {
        Ok(plugin) => _ = post.plugin.set(plugin),
        Err(finding) => return post.voice.say(&FromWorker::Refused(serde_json::to_value(finding)?)),
    }
    post.voice.say(&FromWorker::Ready { protocol: protocol::VERSION })?;
    loop {
        thread::park();
    }
}

/// Opening a library runs its constructors, which have nothing to write at all.
fn confined() -> Result<(), Finding> {
    ThreadConfinement::prepare().and_then(|confinement| confinement.apply(None)).map_err(unconfined)
}

fn open(library: &Path) -> Result<Plugin, Finding> {
    let metadata = peek(library).map_err(|refusal| *refusal.finding)?;
    Plugin::open(library, &metadata)
}

/// What the worker's threads share.
struct Post {
    /// Whoever holds it hears the host. There is always somebody who does, so that a call can be stopped, and so that the
    /// host's end is this process's end, whatever the library does at that moment.
    ear: Mutex<File>,
    voice: Voice,
    plugin: OnceLock<Plugin>,
    /// Those in force.
    limits: Mutex<Limits>,
    /// For the memory of each call.
    peak: Option<File>,
}

/// Starts a thread that hears the host until there is a call, hands the ear on, and does that one call. It does no second
/// one, because it is confined to writing to the first one's folder. Woken by the call itself, it loses no time.
fn stand_by(post: Arc<Post>, listening: Option<Sender<()>>) -> io::Result<()> {
    let stand = move || {
        let confinement = ThreadConfinement::prepare();
        let ear = post.ear.lock();
        // Once the library is open, the next thread gets ready while this one waits. Where a call that goes on has left no room
        // for one, that can wait until there is another call.
        let early = post.plugin.get().is_some() && stand_by(post.clone(), None).is_ok();
        if let Some(listening) = listening {
            _ = listening.send(());
        }
        let call = hear_call(&ear, &post.voice);
        if !early {
            succeed(&post);
        }
        drop(ear);
        let cpu = process_cpu_time();
        post.peak.as_ref().inspect(|file| forget_peak_memory(file));
        let answer = answer(&post, &call, confinement);
        let used = Used { cpu: process_cpu_time().saturating_sub(cpu), memory_peak_mb: peak_memory_mb() };
        // Without a host this process is about to end.
        _ = post.voice.say(&FromWorker::Reply { call: call.number, answer, used });
    };
    thread::Builder::new().stack_size(STACK).spawn(stand).map(|_| ())
}

/// Without anybody to hear the host, the worker is of no use.
fn succeed(post: &Arc<Post>) {
    if stand_by(post.clone(), None).is_err() {
        end();
    }
}

fn hear_call(ear: &File, voice: &Voice) -> CallFrame {
    loop {
        match protocol::read(ear) {
            Ok(Some(ToWorker::Call(call))) => {
                voice.cancelled.store(false, Ordering::Relaxed);
                return call;
            }
            Ok(Some(ToWorker::Cancel)) => voice.cancelled.store(true, Ordering::Relaxed),
            Ok(None) | Err(_) => end(),
        }
    }
}

/// Ends this process and whatever it may have started.
fn end() {
    _ = rustix::process::kill_current_process_group(rustix::process::Signal::KILL);
}

fn answer(post: &Post, call: &CallFrame, confinement: Result<ThreadConfinement, String>) -> Result<String, String> {
    let confined = confinement.and_then(|confinement| {
        let mut limits = post.limits.lock();
        if *limits != call.limits {
            confine::call(&call.limits)?;
            *limits = call.limits;
        }
        drop(limits);
        confinement.apply(call.writable.as_deref())
    });
    match (confined, post.plugin.get()) {
        (Ok(()), Some(plugin)) => plugin.call(call.entry, call.scorer, &call.request, &post.voice),
        (Ok(()), None) => Err(error_text("a call before the library was open")),
        (Err(reason), _) => Err(error_text(&reason)),
    }
}

fn error_text(reason: &str) -> String {
    let error = ScoreError::new(ErrorCode::UnhandledError, format!("the worker could not make the call: {reason}"));
    serde_json::to_string(&error).unwrap_or_default()
}

fn unconfined(reason: String) -> Finding {
    Finding::new(
        format!("a system that cannot confine a worker: {reason}"),
        "limits and filters that an ordinary user may set",
        "run on a kernel with seccomp filters, or, for libraries that you trust, with --isolation in-process",
    )
}

/// What the worker says, and what its scorer hears.
struct Voice {
    socket: Mutex<File>,
    cancelled: AtomicBool,
    told: Mutex<Option<Instant>>,
}

impl Voice {
    fn say(&self, message: &FromWorker) -> io::Result<()> {
        protocol::write(&*self.socket.lock(), message)
    }
}

impl HostServices for Voice {
    fn log(&self, level: Level, message: &str) {
        // Without a host this process is about to end.
        _ = self.say(&FromWorker::Log { level: level as u8, message: message.to_owned() });
    }

    fn progress(&self, done: u64, total: u64) {
        let mut told = self.told.lock();
        if done >= total || told.is_none_or(|told| told.elapsed() >= PROGRESS) {
            *told = Some(Instant::now());
            _ = self.say(&FromWorker::Progress { done, total });
        }
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}
