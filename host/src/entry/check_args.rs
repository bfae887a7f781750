//! The arguments of `scorers check`.

use std::path::PathBuf;

use clap::Args;

/// `scorers check`
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The library
    #[arg(value_name = "LIB")]
    pub library: PathBuf,

    /// A workspace that its scorer can score; copies of it are scored, and spoilt in many ways
    #[arg(long, value_name = "DIR")]
    pub workspace: Option<String>,

    /// Seconds that one call may take
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    pub timeout: f64,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}
