//! The arguments of the commands that talk to a daemon, and of `config`.

use std::convert::Infallible;

use clap::{Args, Subcommand};

use super::cli::JobArgs;
use crate::daemon::{Secret, ServeArgs};

/// Which daemon is talked to, and in whose name.
#[derive(Debug, Clone, Args)]
pub struct ServerArgs {
    /// Address of the daemon
    #[arg(
        long,
        global = true,
        env = "AUTOSCORER_SERVER",
        value_name = "URL",
        default_value = "http://127.0.0.1:8080",
        help_heading = "Server"
    )]
    pub server: String,

    /// Token for the daemon; AUTOSCORER_TOKEN keeps it out of the list of processes
    #[arg(long, global = true, env = "AUTOSCORER_TOKEN", value_name = "TOKEN", hide_env_values = true, value_parser = secret, help_heading = "Server")]
    pub token: Option<Secret>,
}

/// What is wrong with a token is said later, where it is not repeated.
fn secret(text: &str) -> Result<Secret, Infallible> {
    Ok(Secret(text.to_owned()))
}

/// `submit`
#[derive(Debug, Args)]
pub struct SubmitArgs {
    /// Workspaces: paths below the daemon's root, or folders here with --upload
    #[arg(required = true, value_name = "WORKSPACE")]
    pub workspaces: Vec<String>,

    /// Send the folders themselves, without results of earlier runs
    #[arg(long)]
    pub upload: bool,

    /// How the workspaces are scored.
    #[command(flatten)]
    pub job: JobArgs,

    /// Write no artifacts
    #[arg(long)]
    pub no_artifacts: bool,

    /// Jobs with a higher one go first
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true, value_parser = clap::value_parser!(i32).range(-100..=100))]
    pub priority: i32,

    /// Where the daemon tells the end of each job
    #[arg(long, value_name = "URL")]
    pub callback: Option<String>,

    /// Name of this submission: repeated under the same key, it makes no second job [default: a new one]
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,

    /// Wait for the end, and show the results as 'score' does
    #[arg(long)]
    pub wait: bool,

    /// The daemon.
    #[command(flatten)]
    pub server: ServerArgs,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

/// `jobs`
#[derive(Debug, Args)]
pub struct JobsArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: JobsCommand,

    /// The daemon.
    #[command(flatten)]
    pub server: ServerArgs,

    /// Print one JSON document; one a line where there is no end
    #[arg(long, global = true)]
    pub json: bool,
}

/// What is done with jobs.
#[derive(Debug, Subcommand)]
pub enum JobsCommand {
    /// List jobs, the latest first
    #[command(
        after_help = "Examples:\n  autoscorer jobs list\n  autoscorer jobs list --state failed --limit 500 --json"
    )]
    List(JobsListArgs),
    /// Show a job
    #[command(after_help = "Example:\n  autoscorer jobs show 0192f0c1-7a5e-7d3c-9b0e-5f1d2c3b4a59")]
    Show(JobArg),
    /// Follow what happens to jobs; that of one job to its end
    #[command(
        after_help = "Examples:\n  autoscorer jobs watch\n  autoscorer jobs watch 0192f0c1-7a5e-7d3c-9b0e-5f1d2c3b4a59\n\n\
                      When the connection breaks it is made again, and nothing is missed. With an ID, the exit code is that of the job, as for 'score'."
    )]
    Watch {
        /// The job [default: all, without an end]
        #[arg(value_name = "ID")]
        id: Option<String>,
    },
    /// Stop a job
    #[command(after_help = "Example:\n  autoscorer jobs cancel 0192f0c1-7a5e-7d3c-9b0e-5f1d2c3b4a59")]
    Cancel(JobArg),
    /// Put a job that has ended into the queue again
    #[command(after_help = "Example:\n  autoscorer jobs requeue 0192f0c1-7a5e-7d3c-9b0e-5f1d2c3b4a59")]
    Requeue(JobArg),
    /// Show what the scorer of a job has said
    #[command(after_help = "Example:\n  autoscorer jobs logs 0192f0c1-7a5e-7d3c-9b0e-5f1d2c3b4a59 --follow")]
    Logs {
        /// The job
        #[arg(value_name = "ID")]
        id: String,
        /// Go on until the job has ended
        #[arg(long)]
        follow: bool,
    },
    /// Show the result of a job
    #[command(after_help = "Example:\n  autoscorer jobs result 0192f0c1-7a5e-7d3c-9b0e-5f1d2c3b4a59 --json")]
    Result(JobArg),
}

/// `jobs list`
#[derive(Debug, Args)]
pub struct JobsListArgs {
    /// Only jobs in this state
    #[arg(long, value_name = "STATE", value_parser = ["queued", "running", "done", "failed", "cancelled"])]
    pub state: Option<String>,

    /// Only jobs of this token's name
    #[arg(long, value_name = "NAME")]
    pub submitter: Option<String>,

    /// Only jobs that this scorer ran
    #[arg(long, value_name = "ID")]
    pub scorer: Option<String>,

    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

/// One job.
#[derive(Debug, Args)]
pub struct JobArg {
    /// The job
    #[arg(value_name = "ID")]
    pub id: String,
}

/// What is done with settings.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show every setting with its value and where it comes from
    #[command(
        after_help = "Examples:\n  autoscorer config show\n  AUTOSCORER_ROOT=runs autoscorer config show --drain 60 --json\n\n\
                            It takes the flags of 'serve', and shows what they would do."
    )]
    Show(Box<ConfigShowArgs>),
}

/// `config show`
#[derive(Debug, Args)]
pub struct ConfigShowArgs {
    /// The flags of the daemon.
    #[command(flatten)]
    pub serve: ServeArgs,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}
