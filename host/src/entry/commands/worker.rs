//! The hidden command that a worker process runs.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use crate::isolate::protocol;
use crate::run::worker;

/// Runs it, if the arguments ask for it. It is no part of the command line that clap knows.
pub fn hidden(arguments: &[OsString]) -> Option<ExitCode> {
    let [_, command, library, limits, network] = arguments else { return None };
    if command != protocol::SUBCOMMAND {
        return None;
    }
    let limits = serde_json::from_str(limits.to_str()?).ok()?;
    let served = worker::serve(Path::new(library), &limits, network == "true");
    Some(if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
