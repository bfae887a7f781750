//! The arguments of `scorers dev`.

use std::path::PathBuf;

use clap::Args;

/// `scorers dev`
#[derive(Debug, Args)]
pub struct DevArgs {
    /// Folder of the scorer's crate
    #[arg(value_name = "CRATE")]
    pub krate: PathBuf,

    /// The workspace to score on every save
    #[arg(long, value_name = "DIR")]
    pub workspace: String,

    /// Print one JSON document a line, for each round
    #[arg(long)]
    pub jsonl: bool,

    /// What else cargo build is told, after '--', such as --release
    #[arg(last = true, value_name = "CARGO-ARGS")]
    pub cargo: Vec<String>,
}
