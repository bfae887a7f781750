//! The report: one self-contained page for people.

use autoscorer_plugin_api::prelude::*;

use crate::config::Config;
use crate::result::breakdown::Breakdown;
use crate::result::evaluation::Evaluation;

/// Writes the page.
pub(crate) fn write(
    _ctx: &Context<'_>,
    _config: &Config,
    _evaluation: &Evaluation,
    _outcome: &Outcome,
    _breakdown: &Breakdown,
) -> Result<(), ScoreError> {
    Ok(())
}
