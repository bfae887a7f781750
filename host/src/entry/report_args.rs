//! The arguments of `report`.

use std::path::PathBuf;

use clap::Args;

/// `report`
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Results to show: a result.json, a scored workspace, or a folder of either
    #[arg(required = true, value_name = "WORKSPACE|RESULT|FOLDER")]
    pub results: Vec<PathBuf>,

    /// The page to write
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}
