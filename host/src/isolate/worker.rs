//! A worker, as the host sees it: a child process that has one library open and does one call at a time.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use autoscorer_plugin_api::error::ScoreError;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use super::ending::{Ending, GRACE};
use super::limits::Limits;
use super::output::Tail;
use super::protocol::{self, CallFrame, FromWorker, Inbox, ToWorker, Used};

/// How often memory and artifacts are looked at.
const TICK: Duration = Duration::from_millis(20);

/// How long a worker may take to hear what it is told.
const WRITE_TIMEOUT: Duration = Duration::from_secs(1);

/// What a scorer prints has the level of what it logs as information.
const PRINTED: u8 = 1;

/// A child process that has a library open.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    socket: UnixStream,
    /// Until the library closes its end.
    printed: Option<File>,
    inbox: Inbox,
}

/// How a worker is started.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    /// What it may use while it opens its library; every call has its own.
    pub limits: Limits,
    /// Whether it may use the network.
    pub network: bool,
    /// How long opening the library may take.
    pub timeout: Duration,
}

/// Why there is no worker.
#[derive(Debug)]
pub enum StartError {
    /// The library cannot be opened; the reason is the worker's own.
    Refused(Value),
    /// The worker died while it opened the library.
    Died(ExitStatus),
    /// It took too long.
    TooSlow,
    /// No process could be started.
    NotStarted(io::Error),
}

/// One call, and whom to tell what happens meanwhile.
pub struct Call<'c> {
    /// What goes to the worker.
    pub frame: CallFrame,
    /// The folder whose files count as artifacts.
    pub artifacts: Option<PathBuf>,
    /// Takes log lines: level and message.
    pub log: &'c dyn Fn(u8, &str),
    /// Takes progress: done and total.
    pub progress: &'c dyn Fn(u64, u64),
    /// Whether the call should stop.
    pub cancelled: &'c dyn Fn() -> bool,
    /// Takes what the call has used, if it lived to tell.
    pub used: &'c dyn Fn(Used),
}

impl Worker {
    /// Starts a worker and waits until it has the library open.
    pub fn start(library: &Path, setup: &Setup) -> Result<Self, StartError> {
        let deadline = Instant::now() + setup.timeout;
        let mut worker = Self::spawn(library, setup).map_err(StartError::NotStarted)?;
        match worker.hear(deadline) {
            Ok(Some(FromWorker::Ready { protocol: protocol::VERSION })) => Ok(worker),
            Ok(Some(FromWorker::Refused(reason))) => Err(StartError::Refused(reason)),
            Ok(Some(_)) | Err(_) => Err(worker.end().map_or_else(StartError::NotStarted, StartError::Died)),
            Ok(None) if Instant::now() >= deadline => Err(StartError::TooSlow),
            Ok(None) => Err(worker.reap().map_or_else(StartError::NotStarted, StartError::Died)),
        }
    }

    fn spawn(library: &Path, setup: &Setup) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        // A worker always hears; one that does not is broken, and must not hold the host up.
        ours.set_write_timeout(Some(WRITE_TIMEOUT))?;
        let (printed, print) = io::pipe()?;
        // Not the path of the executable: an upgrade may have put another version there.
        let child = Command::new("/proc/self/exe")
            .arg0("autoscorer-worker")
            .arg(protocol::SUBCOMMAND)
            .arg(library)
            .arg(serde_json::to_string(&setup.limits)?)
            .arg(setup.network.to_string())
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(print.try_clone()?)
            .stderr(print)
            // A scorer's last words are worth more than where they were spoken.
            .env("RUST_BACKTRACE", "0")
            // The daemon's own secrets are no scorer's business.
            .env_remove("AUTOSCORER_CALLBACK_SECRET")
            .env_remove("AUTOSCORER_TOKEN")
            .process_group(0)
            .spawn()?;
        Ok(Self { child, socket: ours, printed: Some(File::from(OwnedFd::from(printed))), inbox: Inbox::default() })
    }

    /// The first thing the worker says; `None` if it has ended or the time is over.
    fn hear(&mut self, deadline: Instant) -> io::Result<Option<FromWorker>> {
        let mut tail = Tail::default();
        loop {
            if let Some(message) = self.inbox.whole_frame()? {
                return Ok(Some(message));
            }
            if Instant::now() >= deadline || !self.listen(deadline, &mut tail, &|_, _| {})? {
                return Ok(None);
            }
        }
    }

    /// Waits for something to be said or printed, at most until then; false when the worker has closed its socket.
    fn listen(&mut self, until: Instant, tail: &mut Tail, log: &dyn Fn(u8, &str)) -> io::Result<bool> {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        let (said, printed) = {
            let mut fds = vec![PollFd::new(&self.socket, PollFlags::IN)];
            fds.extend(self.printed.as_ref().map(|printed| PollFd::new(printed, PollFlags::IN)));
            match poll(&mut fds, Some(&timeout)) {
                Err(rustix::io::Errno::INTR) => return Ok(true),
                other => other?,
            };
            (!fds[0].revents().is_empty(), fds.get(1).is_some_and(|printed| !printed.revents().is_empty()))
        };
        if printed {
            match self.printed.as_mut().and_then(|pipe| tail.drain(pipe)) {
                Some(text) => text.lines().for_each(|line| log(PRINTED, line)),
                None => self.printed = None,
            }
        }
        if !said {
            return Ok(true);
        }
        let mut part = [0; 64 << 10];
        match self.socket.read(&mut part) {
            Ok(0) => Ok(false),
            Ok(read) => {
                self.inbox.take(&part[..read]);
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Does a call. An `Err` means that this worker is not to be used again.
    pub fn call(&mut self, call: &Call<'_>) -> Result<Result<String, String>, ScoreError> {
        let mut tail = Tail::default();
        let ended = match self.converse(call, &mut tail) {
            Ok(reply) => return Ok(reply),
            Err(ending) => ending,
        };
        let status = self.end();
        // What it printed last is often why it ended.
        while self.has_printed() && self.printed.as_mut().and_then(|pipe| tail.drain(pipe)).is_some() {}
        let ending = match (ended, status) {
            (Ended::Silent, Ok(status)) => Ending::Crashed(status),
            (Ended::Silent, Err(error)) => Ending::Garbled(error.to_string()),
            (Ended::By(ending), _) => ending,
        };
        Err(ending.into_error(&call.frame.limits, tail.lines()))
    }

    fn converse(&mut self, call: &Call<'_>, tail: &mut Tail) -> Result<Result<String, String>, Ended> {
        let deadline = Instant::now().checked_add(call.frame.limits.time);
        let mut stopping: Option<(Instant, Ending)> = None;
        let mut next_check = Instant::now() + TICK;
        if self.tell(&ToWorker::Call(call.frame.clone())).is_err() {
            return Err(Ended::Silent);
        }
        loop {
            if let Some(reply) = self.hear_reply(call, tail)? {
                // Too late is too late, even if it is done.
                let too_late = matches!(stopping, Some((_, Ending::TimedOut)));
                return if too_late { Err(Ended::By(Ending::TimedOut)) } else { Ok(reply) };
            }
            let now = Instant::now();
            match &stopping {
                Some((kill_at, ending)) if now >= *kill_at => return Err(Ended::By(ending.clone())),
                Some(_) => {}
                None => stopping = self.stop_if_due(call, deadline, now),
            }
            if now >= next_check {
                self.check_usage(call)?;
                next_check = now + TICK;
            }
            let wake =
                deadline.filter(|deadline| *deadline > now).map_or(next_check, |deadline| deadline.min(next_check));
            if !self.listen(wake, tail, call.log).map_err(garbled)? {
                return Err(Ended::Silent);
            }
        }
    }

    /// Takes in what the worker has said so far, up to the answer.
    fn hear_reply(&mut self, call: &Call<'_>, tail: &mut Tail) -> Result<Option<Result<String, String>>, Ended> {
        while let Some(message) = self.inbox.whole_frame().map_err(garbled)? {
            match message {
                FromWorker::Log { level, message } => {
                    tail.add(format!("{message}\n").as_bytes());
                    (call.log)(level, &message);
                }
                FromWorker::Progress { done, total } => (call.progress)(done, total),
                FromWorker::Reply { call: number, answer, used } if number == call.frame.number => {
                    (call.used)(used);
                    return Ok(Some(answer));
                }
                FromWorker::Reply { .. } => return Err(garbled("an answer to another call")),
                FromWorker::Ready { .. } | FromWorker::Refused(_) => return Err(garbled("ready twice")),
            }
        }
        Ok(None)
    }

    /// Asks the worker to stop if its time is over or somebody wants it; then it is known when to kill it, and why.
    fn stop_if_due(&mut self, call: &Call<'_>, deadline: Option<Instant>, now: Instant) -> Option<(Instant, Ending)> {
        let over = deadline.is_some_and(|deadline| now >= deadline).then_some(Ending::TimedOut);
        let ending = over.or_else(|| (call.cancelled)().then_some(Ending::Cancelled))?;
        // A worker that is gone already is found out by listening.
        _ = self.tell(&ToWorker::Cancel);
        Some((now + GRACE, ending))
    }

    fn tell(&mut self, message: &ToWorker) -> io::Result<()> {
        protocol::write(&self.socket, message)
    }

    fn check_usage(&self, call: &Call<'_>) -> Result<(), Ended> {
        let limits = &call.frame.limits;
        if resident(self.child.id()).is_some_and(|bytes| bytes > limits.memory) {
            return Err(Ended::By(Ending::OutOfMemory));
        }
        let (files, bytes) = call.artifacts.as_deref().map(contents).unwrap_or_default();
        if files > limits.artifact_files || bytes > limits.artifact_bytes {
            return Err(Ended::By(Ending::TooManyArtifacts(files, bytes)));
        }
        Ok(())
    }

    /// The memory it has resident, in bytes.
    pub fn resident(&self) -> Option<u64> {
        resident(self.child.id())
    }

    fn has_printed(&self) -> bool {
        let Some(printed) = &self.printed else { return false };
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut fds = [PollFd::from_borrowed_fd(printed.as_fd(), PollFlags::IN)];
        poll(&mut fds, Some(&now)).is_ok() && fds[0].revents().contains(PollFlags::IN)
    }

    /// Waits for a worker that is ending by itself, and kills it if it does not.
    fn reap(&mut self) -> io::Result<ExitStatus> {
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait()? {
                self.kill();
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.kill();
        self.child.wait()
    }

    /// Ends the worker with all it has started, and says how it ended: by itself just before, or by this.
    fn end(&mut self) -> io::Result<ExitStatus> {
        self.reap_if_closed().unwrap_or_else(|| {
            self.kill();
            self.child.wait()
        })
    }

    /// A worker whose socket is closed is on its way out, and how it went is worth knowing.
    fn reap_if_closed(&mut self) -> Option<io::Result<ExitStatus>> {
        let mut byte = [0; 1];
        self.socket.set_nonblocking(true).ok()?;
        let closed = matches!(self.socket.read(&mut byte), Ok(0));
        closed.then(|| self.reap())
    }

    fn kill(&mut self) {
        // It fails when all of them have already ended, which is as good.
        _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
        _ = self.child.wait();
    }
}

/// How a conversation ended without an answer.
enum Ended {
    /// The worker has gone silent.
    Silent,
    /// The host has decided.
    By(Ending),
}

fn garbled(reason: impl std::fmt::Display) -> Ended {
    Ended::By(Ending::Garbled(reason.to_string()))
}

/// The memory a process has resident, in bytes.
fn resident(process: u32) -> Option<u64> {
    let statm = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// How many files a folder has, and how many bytes are in them.
fn contents(folder: &Path) -> (u64, u64) {
    let mut sum = (0, 0);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        if metadata.is_dir() {
            let (files, bytes) = contents(&entry.path());
            sum = (sum.0 + files, sum.1 + bytes);
        } else {
            sum = (sum.0 + 1, sum.1 + metadata.len());
        }
    }
    sum
}
