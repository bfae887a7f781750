//! The arguments of `doctor`.

use clap::Args;

/// `doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}
