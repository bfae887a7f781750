//! The hidden command that the loader runs in a child process to try a library out.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use crate::load::probe;

/// Runs it, if the arguments ask for it. It is no part of the command line that clap knows.
pub fn hidden(arguments: &[OsString]) -> Option<ExitCode> {
    let [_, command, library, milliseconds] = arguments else { return None };
    if command != probe::SUBCOMMAND {
        return None;
    }
    let timeout = milliseconds.to_str().and_then(|text| text.parse().ok()).map(Duration::from_millis)?;
    let answered = probe::answer(Path::new(library), timeout);
    Some(if answered.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
