//! The probe: a child process opens a library first, so that what kills it kills nobody else.
//!
//! The child is this same program. It answers over a socket on its standard input, since a library may print anything
//! to standard output.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, kill_process, kill_process_group, pidfd_open, setrlimit,
};

use super::open::Plugin;
use super::refusal::Finding;

/// The hidden subcommand that the child runs.
pub const SUBCOMMAND: &str = "__probe";

/// An answer is a few hundred bytes; a hostile library must not fill the host's memory with one.
const MAX_ANSWER: u64 = 1 << 20;

/// Opens the library in a child and lets every scorer describe itself, all within the time.
pub fn probe(library: &Path, timeout: Duration) -> Result<(), Finding> {
    let deadline = Instant::now() + timeout;
    let (ours, theirs) = UnixStream::pair().map_err(not_started)?;
    let mut child = spawn(library, timeout, theirs.into()).map_err(not_started)?;
    let answer = read_answer(ours, deadline);
    let in_time = wait_until(&child, deadline);
    let status = end(&mut child).map_err(not_started)?;
    match serde_json::from_slice::<Result<(), Finding>>(&answer) {
        Ok(answer) => answer,
        Err(_) if !in_time => Err(too_slow(timeout)),
        Err(_) => Err(died(status)),
    }
}

/// The child's side: opens the library, answers, and returns.
pub fn answer(library: &Path, timeout: Duration) -> io::Result<()> {
    let mut socket = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let no_core = Rlimit { current: Some(0), maximum: Some(0) };
    setrlimit(Resource::Core, no_core)?;
    end_myself_after(timeout + Duration::from_secs(1));
    let answer = open_and_describe(library);
    socket.write_all(&serde_json::to_vec(&answer)?)
}

fn open_and_describe(library: &Path) -> Result<(), Finding> {
    let metadata = super::peek(library).map_err(|refusal| *refusal.finding)?;
    Plugin::open(library)?.verify(&metadata)
}

/// Should the parent be killed, a library that never returns must not outlive it for long.
fn end_myself_after(time: Duration) {
    let (started, has_started) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        _ = started.send(());
        std::thread::sleep(time);
        _ = kill_process(rustix::process::getpid(), Signal::KILL);
    });
    // A thread that starts needs the dynamic loader's lock, which a constructor that never returns holds for ever.
    _ = has_started.recv();
}

fn spawn(library: &Path, timeout: Duration, socket: OwnedFd) -> io::Result<Child> {
    // Not the path of the executable: an upgrade may have put another version there.
    Command::new("/proc/self/exe")
        .arg0("autoscorer-probe")
        .arg(SUBCOMMAND)
        .arg(library)
        .arg(timeout.as_millis().to_string())
        .stdin(Stdio::from(socket))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

fn read_answer(mut socket: UnixStream, deadline: Instant) -> Vec<u8> {
    let mut answer = Vec::new();
    let mut part = [0; 4096];
    while let Some(left) = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
        if socket.set_read_timeout(Some(left)).is_err() {
            break;
        }
        match socket.read(&mut part) {
            Ok(0) => break,
            Ok(read) => answer.extend_from_slice(&part[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
        if answer.len() as u64 > MAX_ANSWER {
            break;
        }
    }
    answer
}

/// Whether the child has ended by the deadline. Closing its socket is no proof that it did.
fn wait_until(child: &Child, deadline: Instant) -> bool {
    let pid = Pid::from_child(child);
    let Ok(pidfd) = pidfd_open(pid, PidfdFlags::empty()) else { return true };
    let left = deadline.saturating_duration_since(Instant::now());
    let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
    poll(&mut [PollFd::new(&pidfd, PollFlags::IN)], Some(&timeout)).is_ok_and(|ready| ready > 0)
}

/// Ends the whole process group, children of the child included, and reaps the child.
fn end(child: &mut Child) -> io::Result<ExitStatus> {
    // It fails when all of them have already ended, which is as good.
    _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    child.wait()
}

fn died(status: ExitStatus) -> Finding {
    let how = match (status.signal(), status.code()) {
        (Some(signal), _) => format!("killed its process with {}", signal_name(signal)),
        (None, code) => format!("ended its process with exit code {}", code.unwrap_or_default()),
    };
    Finding::new(
        format!("a library that {how} while it was opened in a child process"),
        "a library that opens and describes its scorers",
        "look for constructors (static initialisers) and foreign code that runs at load time; try it under a debugger",
    )
}

fn too_slow(timeout: Duration) -> Finding {
    Finding::new(
        format!("a library that was not opened after {} s", timeout.as_secs_f64()),
        "a library that opens and describes its scorers at once",
        "do no work in constructors (static initialisers) and in describe; --probe-timeout gives it more time",
    )
}

fn not_started(error: io::Error) -> Finding {
    Finding::new(
        format!("no child process to try it in: {error}"),
        "a free process and a file descriptor",
        "raise the limits on processes and open files; it is tried again by itself",
    )
}

/// The name of a signal that ends processes.
pub fn signal_name(signal: i32) -> String {
    let names = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
        (24, "SIGXCPU"),
        (25, "SIGXFSZ"),
        (31, "SIGSYS"),
    ];
    let name = names.iter().find(|(number, _)| *number == signal).map(|(_, name)| (*name).to_owned());
    name.unwrap_or_else(|| format!("signal {signal}"))
}
