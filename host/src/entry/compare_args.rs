//! The arguments of `compare`.

use std::path::PathBuf;

use clap::Args;

/// `compare`
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// What to compare with: a result.json, a scored workspace, or a folder of either
    #[arg(value_name = "A")]
    pub a: PathBuf,

    /// What is compared: the same kind as A; folders are paired by name
    #[arg(value_name = "B")]
    pub b: PathBuf,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}
