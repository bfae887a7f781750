//! `completions`: a completion script for a shell.

use autoscorer_plugin_api::error::ScoreError;
use clap::CommandFactory;

use crate::entry::cli::{Cli, CompletionsArgs};
use crate::entry::exit::Exit;
use crate::entry::print;

/// Prints the script.
pub fn run(args: &CompletionsArgs) -> Result<Exit, ScoreError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "autoscorer", &mut script);
    print::out(String::from_utf8_lossy(&script).trim_end());
    Ok(Exit::Done)
}
