//! The arguments of `explain`.

use clap::Args;

/// `explain`
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The code of an error, such as MISMATCH; without one all codes are listed
    #[arg(value_name = "CODE")]
    pub code: Option<String>,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}
