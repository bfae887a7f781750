//! The arguments of `doctor`.

use clap::Args;

use crate::daemon::ServeArgs;

/// `doctor`
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// The flags of the daemon, whose data are looked at.
    #[command(flatten)]
    pub serve: ServeArgs,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}
