//! What stands beside the score: the rows with the largest errors as a table, and pictures.

use std::cmp::Reverse;
use std::io::{self, Write};

use autoscorer_plugin_api::prelude::*;
use serde_json::json;

use crate::errors::sizes;
use crate::input::Input;
use crate::pictures;

/// Says how many rows there are, and how many of them the table of residuals has or would have.
pub(crate) fn add_row_count(outcome: &mut Outcome, input: &Input, max_rows: usize) {
    let rows = input.truths().len();
    outcome.detail("residuals", json!({"total": rows, "listed": rows.min(max_rows)}));
}

/// Writes the artifacts.
pub(crate) fn write_artifacts(ctx: &Context<'_>, input: &Input, max_rows: usize) -> Result<(), ScoreError> {
    if !ctx.wants_artifacts() {
        return Ok(());
    }
    let worst = worst(input, max_rows);
    let ids = input.ids(&worst);
    ctx.artifact("residuals.csv", "text/csv", |file| write_residuals(file, input, &worst, &ids))?;
    pictures::write(ctx, input)
}

/// The rows with the largest errors, worst first; of equal ones those that come first.
fn worst(input: &Input, most: usize) -> Vec<u32> {
    let sizes = sizes(input.truths(), input.guesses());
    let largest_first = |size: &u64| Reverse(*size);
    let border = match most.checked_sub(1) {
        None => return Vec::new(),
        Some(last) if last < sizes.len() => *sizes.clone().select_nth_unstable_by_key(last, largest_first).1,
        Some(_) => 0,
    };
    let mut rows: Vec<u32> = (0..).zip(&sizes).filter(|(_, size)| **size >= border).map(|(row, _)| row).collect();
    rows.sort_by_key(|row| largest_first(&sizes[*row as usize]));
    rows.truncate(most);
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
