//! The arguments of the commands around the daemon.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::daemon::Scope;

/// `tokens`
#[derive(Debug, Args)]
pub struct TokensArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: TokensCommand,

    /// The daemon's data folder
    #[arg(long, global = true, env = "AUTOSCORER_DATA", value_name = "DIR", default_value = "autoscorer-data")]
    pub data: PathBuf,

    /// File of tokens [default: tokens.json in the data folder]
    #[arg(long, global = true, env = "AUTOSCORER_TOKENS", value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// Print one JSON document
    #[arg(long, global = true)]
    pub json: bool,
}

/// What is done with tokens.
#[derive(Debug, Subcommand)]
pub enum TokensCommand {
    /// Make a token and show it once
    #[command(after_help = "Example:\n  autoscorer tokens add ci --scope submit")]
    Add {
        /// Whose it is
        name: String,
        /// What it allows: read, submit or admin
        #[arg(long, default_value = "submit")]
        scope: Scope,
    },
    /// List the tokens there are
    #[command(after_help = "Example:\n  autoscorer tokens list")]
    List,
    /// Take a token out
    #[command(after_help = "Example:\n  autoscorer tokens remove ci")]
    Remove {
        /// Whose it is
        name: String,
    },
}
