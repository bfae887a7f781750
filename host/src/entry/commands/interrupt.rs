//! Ctrl-C and SIGTERM: the first asks the jobs to stop, the second ends the program at once.

use std::io;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::entry::exit::Exit;
use crate::run::Cancel;

/// The word to stop, said by either signal.
pub fn cancel() -> Result<Cancel, ScoreError> {
    register().map_err(|error| ScoreError::new(ErrorCode::UnhandledError, format!("no signals can be heard: {error}")))
}

fn register() -> io::Result<Cancel> {
    let cancel = Cancel::default();
    for signal in [SIGINT, SIGTERM] {
        // The order matters: the flag is looked at before it is set, so only the second signal ends the program.
        flag::register_conditional_shutdown(signal, Exit::Interrupted as i32, cancel.flag())?;
        flag::register(signal, cancel.flag())?;
    }
    Ok(cancel)
}
