//! The doors: what comes in from the command line becomes checked types here, and what goes out is printed here.

mod check_args;
pub mod cli;
mod client;
mod client_args;
mod commands;
mod compare_args;
mod demo_args;
mod dev_args;
mod doctor_args;
mod envelope;
mod exit;
mod explain_args;
mod gate_args;
pub mod http;
mod new_args;
mod print;
mod report_args;
mod review_args;
mod serve_args;
mod usage;

use std::process::ExitCode;
use std::time::Instant;

use autoscorer_plugin_api::context::Level;

use crate::settings::Settings;
use crate::telemetry::narrate;
use autoscorer_plugin_api::error::ScoreError;
use cli::{Cli, Command, ScorersCommand};
use client_args::ConfigCommand;
use exit::Exit;

/// Runs the program.
pub fn main() -> ExitCode {
    let start = Instant::now();
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(exit) = commands::worker::hidden(&arguments) {
        return exit;
    }
    let cli = match Cli::read(&arguments) {
        Ok(cli) => cli,
        Err(error) => return usage::refuse(error, &arguments, start),
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
        Command::Compare(args) => commands::compare::run(args, start),
        Command::Report(args) => commands::report::run(args, start),
        Command::Scorers(ScorersCommand::List(args)) => commands::list::run(args, &Settings::load(&cli.host)?, start),
        Command::Scorers(ScorersCommand::Show(args)) => commands::show::run(args, &Settings::load(&cli.host)?, start),
        Command::Scorers(ScorersCommand::Inspect(args)) => commands::inspect::run(args, start),
        Command::Scorers(ScorersCommand::Watch(args)) => commands::watch::run(args, &Settings::load(&cli.host)?),
        Command::Serve(args) => {
            let (settings, serve, _) = Settings::load_serve(&cli.host, args)?;
            commands::serve::run(&settings, &serve)
        }
        Command::Tokens(args) => commands::tokens::run(args, start),
        Command::Submit(args) => commands::submit::run(args, start),
        Command::Jobs(args) => commands::jobs::run(args, start),
        Command::Config(ConfigCommand::Show(args)) => commands::config::show(args, &cli.host, start),
        Command::Scorers(ScorersCommand::New(args)) => commands::new::run(args, &Settings::load(&cli.host)?, start),
        Command::Scorers(ScorersCommand::Check(args)) => commands::check::run(args, &Settings::load(&cli.host)?, start),
        Command::Scorers(ScorersCommand::Dev(args)) => commands::dev::run(args, &Settings::load(&cli.host)?),
        Command::Demo(args) => commands::demo::run(args, start),
        Command::Explain(args) => commands::explain::run(args, start),
        Command::Doctor(args) => commands::doctor::run(args, &cli.host, start),
        Command::Completions(args) => commands::completions::run(args),
        Command::Man(args) => commands::man::run(args),
    }
}
