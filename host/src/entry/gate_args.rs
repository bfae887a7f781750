//! The arguments of `score` that make a bad score a failure.

use std::path::PathBuf;

use clap::Args;

use crate::results::Gate;

/// When a score is not good enough.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Gates")]
pub struct GateArgs {
    /// Exit with 1 unless this holds, such as 'f1_macro>=0.8', with >= > <= < or ==, for a metric or 'score' (repeatable)
    #[arg(long = "gate", value_name = "GATE")]
    pub gates: Vec<Gate>,

    /// Compare the score with an earlier one: a result.json, a workspace, or a folder of either, paired by name
    #[arg(long, value_name = "RESULT")]
    pub baseline: Option<PathBuf>,

    /// Exit with 1 if a score is worse than the baseline's
    #[arg(long, requires = "baseline")]
    pub fail_on_regression: bool,

    /// How much worse is not worse yet [default: 0]
    #[arg(long, value_name = "NUMBER", requires = "fail_on_regression", value_parser = not_negative)]
    pub tolerance: Option<f64>,

    /// Write a JUnit XML file with a test case for each workspace
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

impl GateArgs {
    /// Whether any of them is given.
    pub fn any(&self) -> bool {
        !self.gates.is_empty() || self.baseline.is_some() || self.junit.is_some()
    }
}

fn not_negative(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("{text:?} is no number from 0 on"))
}
