//! What stands beside the score: the rows with the largest errors as a table, and pictures.

use std::io::{self, Write};

use autoscorer_plugin_api::prelude::*;
use serde_json::json;

use crate::input::Input;

/// Writes the artifacts.
pub(crate) fn write_artifacts(
    ctx: &Context<'_>,
    outcome: &mut Outcome,
    input: &Input,
    max_rows: usize,
) -> Result<(), ScoreError> {
    if !ctx.wants_artifacts() {
        return Ok(());
    }
    let worst = worst(input, max_rows);
    let ids = input.ids(&worst);
    ctx.artifact("residuals.csv", "text/csv", |file| write_residuals(file, input, &worst, &ids))?;
    outcome.detail("residuals", json!({"total": input.truths().len(), "listed": worst.len()}));
    Ok(())
}

/// The rows with the largest errors, worst first; of equal ones those that come first.
fn worst(input: &Input, most: usize) -> Vec<u32> {
    let error = |row: &u32| (input.guesses()[*row as usize] - input.truths()[*row as usize]).abs();
    let order = |a: &u32, b: &u32| error(b).total_cmp(&error(a)).then(a.cmp(b));
    let mut rows: Vec<u32> = (0..input.truths().len() as u32).collect();
    if most < rows.len() {
        rows.select_nth_unstable_by(most, order);
        rows.truncate(most);
    }
    rows.sort_unstable_by(order);
    rows
}

fn write_residuals(file: &mut dyn Write, input: &Input, rows: &[u32], ids: &[String]) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(["id", "value", "predicted", "residual"])?;
    for (row, id) in rows.iter().zip(ids) {
        let (truth, guess) = (input.truths()[*row as usize], input.guesses()[*row as usize]);
        writer.write_record([id, &truth.to_string(), &guess.to_string(), &(guess - truth).to_string()])?;
    }
    writer.flush()
}
