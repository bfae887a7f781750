//! A worker, as it sees itself: opens one library, then does one call after the other until its host is gone.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use autoscorer_plugin_api::abi::HostServices;
use autoscorer_plugin_api::context::Level;
use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use parking_lot::Mutex;

use crate::isolate::protocol::{self, CallFrame, FromWorker, ToWorker};
use crate::isolate::{Limits, confine};
use crate::load::{Finding, Plugin, peek};

/// A scorer's stack: that of a main thread.
const STACK: usize = 8 << 20;

/// Progress is told at most this often.
const PROGRESS: Duration = Duration::from_millis(50);

/// Serves the host at the other end of standard input.
pub fn serve(library: &Path, limits: &Limits, network: bool) -> io::Result<()> {
    let socket = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let voice = Voice { socket: Mutex::new(socket.try_clone()?), cancelled: Arc::default(), told: Mutex::default() };
    if let Err(reason) = confine::process(limits, network) {
        return voice.say(&FromWorker::Refused(serde_json::to_value(unconfined(reason))?));
    }
    let calls = listen(socket, voice.cancelled.clone());
    let plugin = match open(library) {
        Ok(plugin) => plugin,
        Err(finding) => return voice.say(&FromWorker::Refused(serde_json::to_value(finding)?)),
    };
    voice.say(&FromWorker::Ready { protocol: protocol::VERSION })?;
    for call in calls {
        voice.say(&FromWorker::Reply(answer(&plugin, call, &voice)))?;
    }
    Ok(())
}

fn open(library: &Path) -> Result<Plugin, Finding> {
    let metadata = peek(library).map_err(|refusal| *refusal.finding)?;
    let plugin = Plugin::open(library)?;
    plugin.verify(&metadata)?;
    Ok(plugin)
}

/// Hears the host on a thread of its own, so that it can stop a call, and so that its end is this process's end, whatever
/// the library does at that moment.
fn listen(socket: File, cancelled: Arc<AtomicBool>) -> Receiver<CallFrame> {
    let (sender, calls) = channel();
    let (started, has_started) = channel();
    thread::spawn(move || {
        _ = started.send(());
        loop {
            match protocol::read(&socket) {
                Ok(Some(ToWorker::Call(call))) => {
                    cancelled.store(false, Ordering::Relaxed);
                    _ = sender.send(call);
                }
                Ok(Some(ToWorker::Cancel)) => cancelled.store(true, Ordering::Relaxed),
                Ok(None) | Err(_) => _ = rustix::process::kill_current_process_group(rustix::process::Signal::KILL),
            }
        }
    });
    // A thread that starts needs the dynamic loader's lock, which a constructor that never returns holds for ever.
    _ = has_started.recv();
    calls
}

/// Does a call on a thread that may write to one folder only, and that no later call runs on.
fn answer(plugin: &Plugin, call: CallFrame, voice: &Voice) -> Result<String, String> {
    let work = || {
        confine::call(&call.limits)
            .and_then(|()| confine::thread(call.writable.as_deref()))
            .map_err(|reason| error_text(&reason))?;
        plugin.call(call.entry, call.scorer, &call.request, voice)
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match thread.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(reply)) => reply,
            Ok(Err(_)) => Err(error_text("the worker's own thread panicked")),
            Err(error) => Err(error_text(&error.to_string())),
        }
    })
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
    cancelled: Arc<AtomicBool>,
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
