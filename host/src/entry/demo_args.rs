//! The arguments of `demo`.

use std::path::PathBuf;

use clap::Args;

/// `demo`
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Folder to write to; it is made, or is empty, or was written by this command before
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// Put files back that were changed; without it they stay as they are
    #[arg(long)]
    pub force: bool,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}
