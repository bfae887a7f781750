//! How a call in a worker ended, when it did not end with an answer.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};

use super::limits::Limits;

/// What the runtimes of Rust, C++ and C print before they abort for want of memory.
const NO_MEMORY: [&str; 3] = ["memory allocation of", "bad_alloc", "cannot allocate memory"];

/// The detail of a cancelled job whose scorer did not stop by itself.
pub const KILLED: &str = "killed";

/// How a call ended without an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// The worker died.
    Crashed(ExitStatus),
    /// Its time was over.
    TimedOut,
    /// It used more memory than it may.
    OutOfMemory,
    /// It wrote more artifacts than it may: so many files of so many bytes.
    TooManyArtifacts(u64, u64),
    /// Somebody stopped it, and it did not stop by itself.
    Cancelled,
    /// It said something that is not in the protocol.
    Garbled(String),
}

impl Ending {
    /// The ending as the error of the job; `log` is what the scorer printed last.
    pub fn into_error(self, limits: &Limits, log: Vec<String>) -> ScoreError {
        let error = self.refined(&log).error(limits);
        if log.is_empty() { error } else { error.detail("log", log) }
    }

    /// A process that aborts for want of memory has hit its memory limit.
    fn refined(self, log: &[String]) -> Self {
        let out_of_memory = log.iter().any(|line| NO_MEMORY.iter().any(|words| line.contains(words)));
        match self {
            Self::Crashed(status) if status.signal() == Some(6) && out_of_memory => Self::OutOfMemory,
            other => other,
        }
    }

    fn error(self, limits: &Limits) -> ScoreError {
        match self {
            Self::Crashed(status) => crashed(status, limits),
            Self::TimedOut => {
                let limit = limits.time.as_secs_f64();
                ScoreError::new(ErrorCode::TimeoutError, format!("the scorer did not end within its {limit} s"))
                    .hint("raise time_limit in meta.json or --timeout, or make the input smaller")
            }
            Self::OutOfMemory => ScoreError::new(
                ErrorCode::MemoryLimit,
                format!("the scorer used more than its {} MiB of memory", limits.memory >> 20),
            )
            .hint("raise resources.memory in meta.json or --memory, or make the input smaller"),
            Self::TooManyArtifacts(files, bytes) => {
                let found = format!("{files} files of {bytes} bytes");
                let expected = format!("at most {} files of {} bytes", limits.artifact_files, limits.artifact_bytes);
                ScoreError::new(ErrorCode::ScoreError, "the scorer wrote more artifacts than it may")
                    .found(found)
                    .expected(expected)
                    .detail("limit", "artifacts")
            }
            Self::Cancelled => ScoreError::new(ErrorCode::Cancelled, "the job was cancelled, and its scorer killed")
                .detail(KILLED, true),
            Self::Garbled(reason) => {
                ScoreError::new(ErrorCode::ScorerCrashed, format!("the scorer's worker spoke out of turn: {reason}"))
            }
        }
    }
}

fn crashed(status: ExitStatus, limits: &Limits) -> ScoreError {
    let (how, signal) = match (status.signal(), status.code()) {
        (Some(signal), _) => (format!("was killed by {}", signal_name(signal)), Some(signal_name(signal))),
        (None, code) => (format!("ended its process with exit code {}", code.unwrap_or_default()), None),
    };
    let error = ScoreError::new(ErrorCode::ScorerCrashed, format!("the scorer {how}"))
        .hint("this is a fault of the scorer, not of the workspace: report it to the scorer's author");
    match signal {
        Some(name) if name == "SIGXFSZ" => error
            .detail("signal", name)
            .detail("limit", "file size")
            .expected(format!("files of at most {} bytes", limits.artifact_bytes)),
        Some(name) => error.detail("signal", name),
        None => error,
    }
}

/// How long a worker that was asked to stop may take: to give back what it has read takes a while on a busy machine, and its end
/// must not come later than a quarter of a second.
pub const GRACE: Duration = Duration::from_millis(150);

/// The name of a signal that ends processes.
pub fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        other => return format!("signal {other}"),
    };
    name.to_owned()
}
