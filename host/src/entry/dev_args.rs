//! The arguments of `scorers dev`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::cli::seconds;

/// `scorers dev`
#[derive(Debug, Args)]
pub struct DevArgs {
    /// Folder of the scorer's crate
    #[arg(value_name = "CRATE")]
    pub krate: PathBuf,

    /// The workspace to score on every save
    #[arg(long, value_name = "DIR")]
    pub workspace: String,

    /// Seconds that the scorer may take in a round, whatever meta.json says
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub timeout: Duration,

    /// Print one JSON document a line, for each round
    #[arg(long)]
    pub jsonl: bool,

    /// What else cargo build is told, after '--', such as --release
    #[arg(last = true, value_name = "CARGO-ARGS")]
    pub cargo: Vec<String>,
}
