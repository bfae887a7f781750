//! The command line, as clap reads it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;

use crate::job::{ScorerName, bytes_of_text, count_of_text, seconds_of_number};
use crate::settings::HostArgs;

use super::check_args::CheckArgs;
use super::client_args::{ConfigCommand, JobsArgs, SubmitArgs};
use super::compare_args::CompareArgs;
use super::demo_args::DemoArgs;
use super::dev_args::DevArgs;
use super::doctor_args::DoctorArgs;
use super::explain_args::ExplainArgs;
use super::gate_args::GateArgs;
use super::new_args::NewArgs;
use super::report_args::ReportArgs;
use super::review_args::ReviewArgs;
use super::serve_args::TokensArgs;
use crate::daemon::ServeArgs;

/// Scores workspaces with hot-loaded plugins.
#[derive(Debug, Parser)]
#[command(
    name = "autoscorer",
    version,
    about = "Scores workspaces with hot-loaded plugins",
    long_about = "Scores workspaces with hot-loaded plugins.\n\nA workspace is a folder with input/ (ground truth), output/ \
                  (predictions) and meta.json, which names a scorer. The result is written to output/result.json.",
    after_help = "Examples:\n  autoscorer score examples/classification_f1\n  autoscorer scorers list\n\nExit codes: 0 done; 1 a gate failed or a replay differs; 2 \
                  usage; 3 bad workspace, data or params; 4 scorer or plugin failed; 5 server unreachable or refused; 130 interrupted.",
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Cli {
    /// Flags that every command takes.
    #[command(flatten)]
    pub host: HostArgs,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Score workspaces and write output/result.json in each
    #[command(
        after_help = "Examples:\n  autoscorer score examples/classification_f1\n  autoscorer score runs/* --json\n  \
                            autoscorer score ws --scorer classification_f1 -p average=micro -p 'labels=[\"cat\",\"dog\"]'\n  \
                            autoscorer score ws --gate 'f1_macro>=0.8' --baseline old/output/result.json --fail-on-regression\n  \
                            find runs -mindepth 1 -maxdepth 1 | autoscorer score - --jsonl"
    )]
    Score(ScoreArgs),
    /// List every fault of workspaces without scoring them
    #[command(
        after_help = "Examples:\n  autoscorer validate examples/classification_f1\n  autoscorer validate runs/* --json"
    )]
    Validate(ValidateArgs),
    /// Compute a result again, by the very library that made it, and compare
    #[command(
        after_help = "Example:\n  autoscorer replay examples/classification_f1/output/result.json\n\nExit code 1 if the result is another one."
    )]
    Replay(ReplayArgs),
    /// Judge AI code reviews against human references
    #[command(
        after_help = "Examples:\n  autoscorer review --comments reviews --references positive_samples.json -o out\n  \
                            autoscorer review --comments reviews --references positive_samples.json -o out --matcher llm --dry-run\n\n\
                            Meaning is judged by the language model of LLM_MODEL_URL, LLM_MODEL and LLM_API_KEY (environment or .env); \
                            without one it is estimated offline.\nExit code 4 if pairs could not be judged; with --allow-errors only if none could."
    )]
    Review(Box<ReviewArgs>),
    /// Compare two results, or two folders of results
    #[command(
        after_help = "Examples:\n  autoscorer compare runs/old runs/new\n  autoscorer compare old/output/result.json new/output/result.json --json"
    )]
    Compare(CompareArgs),
    /// Write results as one page that needs nothing else
    #[command(
        after_help = "Examples:\n  autoscorer report examples/classification_f1 -o report.html\n  autoscorer report runs -o report.html"
    )]
    Report(ReportArgs),
    /// Look at the scorers there are
    #[command(
        subcommand,
        after_help = "Examples:\n  autoscorer scorers list\n  autoscorer scorers show classification_f1\n  autoscorer scorers new my-scorer"
    )]
    Scorers(ScorersCommand),
    /// Run the daemon: score by HTTP, now or queued, while scorers come and go
    #[command(
        after_help = "Examples:\n  autoscorer serve --root runs\n  autoscorer serve --bind 0.0.0.0:8080 --data /var/lib/autoscorer --root /srv/runs\n\n\
                            SIGTERM ends it when the running jobs have ended; SIGHUP looks at scorers and tokens again."
    )]
    Serve(Box<ServeArgs>),
    /// Make, list and take out the tokens of the daemon
    #[command(after_help = "Example:\n  autoscorer tokens add ci --scope submit")]
    Tokens(TokensArgs),
    /// Hand workspaces to a daemon
    #[command(after_help = "Examples:\n  autoscorer submit runs/a runs/b --server http://scores:8080\n  \
                            autoscorer submit examples/classification_f1 --upload --wait\n\n\
                            A connection that breaks is made again, and no job is made twice. With --wait, exit codes are those of 'score'.")]
    Submit(Box<SubmitArgs>),
    /// Look at the jobs of a daemon, follow them, and change them
    #[command(after_help = "Examples:\n  autoscorer jobs list --state failed\n  autoscorer jobs watch")]
    Jobs(JobsArgs),
    /// Look at the settings
    #[command(subcommand, after_help = "Example:\n  autoscorer config show --root runs --drain 60")]
    Config(ConfigCommand),
    /// Write workspaces and a review benchmark to play with into a folder
    #[command(
        after_help = "Example:\n  autoscorer demo demo\n\nA folder that holds something else is left alone, and so is a file that you have changed, unless --force."
    )]
    Demo(DemoArgs),
    /// Say what an error code means, where it comes from and what to do
    #[command(after_help = "Examples:\n  autoscorer explain MISMATCH\n  autoscorer explain")]
    Explain(ExplainArgs),
    /// Look at this system and installation: what works, what is wrong, how to mend it
    #[command(after_help = "Example:\n  autoscorer doctor\n\nExit code 4 if something is broken; warnings are none.")]
    Doctor(Box<DoctorArgs>),
    /// Print a completion script for a shell
    #[command(after_help = "Example:\n  autoscorer completions bash > /etc/bash_completion.d/autoscorer")]
    Completions(CompletionsArgs),
    /// Write the manual pages into a folder
    #[command(after_help = "Example:\n  autoscorer man /usr/local/share/man/man1")]
    Man(ManArgs),
}

/// Which scorers there are.
#[derive(Debug, Subcommand)]
pub enum ScorersCommand {
    /// List all scorers, and the files that were refused
    #[command(after_help = "Example:\n  autoscorer scorers list --json")]
    List(ListArgs),
    /// Show one scorer with its parameters
    #[command(after_help = "Example:\n  autoscorer scorers show classification_f1")]
    Show(ShowArgs),
    /// Show what a library says about itself, without running it
    #[command(after_help = "Example:\n  autoscorer scorers inspect target/release/libmy_scorer.so")]
    Inspect(InspectArgs),
    /// Follow the folder of custom scorers and show what happens to its files
    #[command(after_help = "Example:\n  autoscorer scorers watch --custom-scorers custom_scorers")]
    Watch(WatchArgs),
    /// Write a crate with a new scorer, its tests and its golden cases
    #[command(
        after_help = "Examples:\n  autoscorer scorers new my-scorer\n  autoscorer scorers new my-scorer --kind json --dir scorers"
    )]
    New(NewArgs),
    /// Try a library out in many ways, and list what passed and what failed
    #[command(
        after_help = "Example:\n  autoscorer scorers check target/release/libmy_scorer.so --workspace cases/good\n\nExit code 4 if a check failed."
    )]
    Check(CheckArgs),
    /// Build a crate and score a workspace with it, again on every save
    #[command(
        after_help = "Examples:\n  autoscorer scorers dev my-scorer --workspace my-scorer/cases/good\n  autoscorer scorers dev my-scorer --workspace ws -- --release"
    )]
    Dev(DevArgs),
}

/// `score`
#[derive(Debug, Args)]
pub struct ScoreArgs {
    /// Folders to score; '-' reads them from stdin, one a line, and follows the folder of custom scorers meanwhile
    #[arg(required = true, value_name = "WORKSPACE")]
    pub workspaces: Vec<String>,

    /// How the workspaces are scored.
    #[command(flatten)]
    pub job: JobArgs,

    /// When a score is not good enough.
    #[command(flatten)]
    pub gate: GateArgs,

    /// Write no artifacts
    #[arg(long)]
    pub no_artifacts: bool,

    /// Workspaces scored at the same time [default: number of cores]
    #[arg(short, long, value_name = "N", value_parser = count_of_text::<usize>)]
    pub jobs: Option<usize>,

    /// Print one JSON document
    #[arg(long, conflicts_with = "jsonl")]
    pub json: bool,

    /// Print one JSON document a line, for each workspace as it is done
    #[arg(long)]
    pub jsonl: bool,

    /// With '-' and --jsonl: print the events of the folder as lines too
    #[arg(long, requires = "jsonl", conflicts_with = "json")]
    pub events: bool,
}

/// How workspaces are scored.
#[derive(Debug, Clone, Default, Args)]
pub struct JobArgs {
    /// Scorer to use instead of the one in meta.json: ID, ID@VERSION or ID@sha256:HASH
    #[arg(long, value_name = "NAME", value_parser = scorer_name)]
    pub scorer: Option<ScorerName>,

    /// Parameter that overrides the one in meta.json; the value is JSON, or else text (repeatable)
    #[arg(short, long = "param", value_name = "KEY=VALUE")]
    pub param: Vec<String>,

    /// Parameters as a JSON object, or @FILE
    #[arg(long, value_name = "JSON|@FILE")]
    pub params: Option<String>,

    /// Time limit, instead of time_limit in meta.json [default: 3600]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout: Option<Duration>,

    /// Memory limit, instead of resources.memory in meta.json [default: 4Gi]
    #[arg(long, value_name = "BYTES", value_parser = bytes_of_text)]
    pub memory: Option<u64>,
}

fn scorer_name(text: &str) -> Result<ScorerName, String> {
    text.parse().map_err(|expected| format!("expected {expected}"))
}

/// A time limit as people write it.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse().map_err(|_| format!("{text:?} is no number of seconds"))?;
    seconds_of_number(number).map_err(|expected| format!("expected {expected}"))
}

/// `validate`
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// Folders to look at
    #[arg(required = true, value_name = "WORKSPACE")]
    pub workspaces: Vec<String>,

    /// How the workspaces would be scored.
    #[command(flatten)]
    pub job: JobArgs,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `replay`
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The result.json to compute again, or the workspace that it lies in
    #[arg(value_name = "RESULT")]
    pub result: PathBuf,

    /// The workspace, if the result does not lie in its output/ folder
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `scorers list`
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `scorers show`
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The scorer: ID, ID@VERSION or ID@sha256:HASH
    #[arg(value_name = "ID", value_parser = scorer_name)]
    pub scorer: ScorerName,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `scorers inspect`
#[derive(Debug, Args)]
pub struct InspectArgs {
    /// The library
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `scorers watch`
#[derive(Debug, Args)]
pub struct WatchArgs {
    /// Print one JSON document a line
    #[arg(long)]
    pub jsonl: bool,
}

/// `completions`
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    pub shell: Shell,
}

/// `man`
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Folder to write the pages to
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

impl Cli {
    /// Reads the arguments. A negative number is a value, not a flag, so that it is told what is wrong with it.
    pub fn read(arguments: &[OsString]) -> Result<Self, clap::Error> {
        let matches = with_negative_numbers(Self::command()).try_get_matches_from(arguments)?;
        Self::from_arg_matches(&matches)
    }
}

fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let is_option = |arg: &Arg| !arg.is_positional() && arg.get_action().takes_values();
    command
        .mut_args(|arg| if is_option(&arg) { arg.allow_negative_numbers(true) } else { arg })
        .mut_subcommands(with_negative_numbers)
}

impl Command {
    /// Whether the answer is to be one JSON document.
    pub fn json(&self) -> bool {
        match self {
            Command::Score(args) => args.json,
            Command::Validate(args) => args.json,
            Command::Replay(args) => args.json,
            Command::Review(args) => args.json,
            Command::Tokens(args) => args.json,
            Command::Submit(args) => args.json,
            Command::Jobs(args) => args.json,
            Command::Config(ConfigCommand::Show(args)) => args.json,
            Command::Compare(args) => args.json,
            Command::Report(args) => args.json,
            Command::Demo(args) => args.json,
            Command::Explain(args) => args.json,
            Command::Doctor(args) => args.json,
            Command::Scorers(ScorersCommand::List(args)) => args.json,
            Command::Scorers(ScorersCommand::Show(args)) => args.json,
            Command::Scorers(ScorersCommand::Inspect(args)) => args.json,
            Command::Scorers(ScorersCommand::New(args)) => args.json,
            Command::Scorers(ScorersCommand::Check(args)) => args.json,
            Command::Scorers(ScorersCommand::Watch(_) | ScorersCommand::Dev(_))
            | Command::Serve(_)
            | Command::Completions(_)
            | Command::Man(_) => false,
        }
    }
}
