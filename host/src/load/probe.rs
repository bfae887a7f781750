//! The probe: a worker process opens a library first, so that what kills it kills nobody else.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use super::refusal::Finding;
use crate::isolate::{Setup, StartError, Worker, signal_name};

/// Opens the library in a worker and lets every scorer describe itself. The worker that lived through it is ready for use.
pub fn probe(library: &Path, setup: &Setup) -> Result<Worker, Finding> {
    Worker::start(library, setup).map_err(|error| explain(error, setup.timeout))
}

/// Why there is no worker, in words for the library's author.
pub fn explain(error: StartError, timeout: Duration) -> Finding {
    match error {
        StartError::Refused(reason) => {
            serde_json::from_value(reason).unwrap_or_else(|error| unclear(&error.to_string()))
        }
        StartError::Died(status) => died(status),
        StartError::TooSlow => too_slow(timeout),
        StartError::NotStarted(error) => not_started(&error),
    }
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

fn not_started(error: &std::io::Error) -> Finding {
    Finding::new(
        format!("no child process to try it in: {error}"),
        "a free process and a file descriptor",
        "raise the limits on processes and open files; it is tried again by itself",
    )
}

fn unclear(reason: &str) -> Finding {
    Finding::new(format!("a worker that gave no clear reason: {reason}"), "a reason", "report this to the maintainers")
}
