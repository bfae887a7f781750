//! The doors: what comes in from the command line becomes checked types here, and what goes out is printed here.

pub mod cli;
mod commands;
mod envelope;
mod exit;
mod print;
mod review_args;

use std::process::ExitCode;
use std::time::Instant;

use autoscorer_plugin_api::context::Level;
use clap::Parser;

use crate::settings::Settings;
use crate::telemetry::narrate;
use autoscorer_plugin_api::error::ScoreError;
use cli::{Cli, Command, ScorersCommand};
use exit::Exit;

/// Runs the program.
pub fn main() -> ExitCode {
    let start = Instant::now();
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(exit) = commands::worker::hidden(&arguments) {
        return exit;
    }
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return usage(&error, start),
    };
    narrate::from(if cli.host.verbose { Level::Debug } else { Level::Warn });
    let json = cli.command.json();
    match run(&cli, start) {
        Ok(exit) => exit.into(),
        Err(error) => {
            print::failure(&error, json, start);
            Exit::of(&error).into()
        }
    }
}

fn run(cli: &Cli, start: Instant) -> Result<Exit, ScoreError> {
    match &cli.command {
        Command::Score(args) => commands::score::run(args, &Settings::load(&cli.host)?, start),
        Command::Validate(args) => commands::validate::run(args, &Settings::load(&cli.host)?, start),
        Command::Replay(args) => commands::replay::run(args, &Settings::load(&cli.host)?, start),
        Command::Review(args) => commands::review::run(args, &Settings::load(&cli.host)?),
        Command::Scorers(ScorersCommand::List(args)) => commands::list::run(args, &Settings::load(&cli.host)?, start),
        Command::Scorers(ScorersCommand::Show(args)) => commands::show::run(args, &Settings::load(&cli.host)?, start),
        Command::Scorers(ScorersCommand::Inspect(args)) => commands::inspect::run(args, start),
        Command::Scorers(ScorersCommand::Watch(args)) => commands::watch::run(args, &Settings::load(&cli.host)?),
        Command::Completions(args) => commands::completions::run(args),
        Command::Man(args) => commands::man::run(args),
    }
}

/// clap prints its own help and usage errors; a machine that asked for JSON gets them as JSON.
fn usage(error: &clap::Error, start: Instant) -> ExitCode {
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    if wants_json && error.use_stderr() {
        envelope::usage(error, start);
    } else {
        // A closed terminal is no reason to fail differently.
        _ = error.print();
    }
    if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() }
}
