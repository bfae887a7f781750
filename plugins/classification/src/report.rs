//! What stands beside the score: a row per class in the details, and the artifacts.

use autoscorer_plugin_api::prelude::*;
use serde_json::{Map, Value, json};

use crate::confusion::{Class, Confusion};
use crate::error_cases::ErrorCases;
use crate::input::Input;
use crate::matrix::Matrix;
use crate::pictures::{self, ClassBars};

/// A task with more labels than this gets no row per label: `result.json` is read by people and pages.
pub(crate) const MAX_CLASSES: usize = 10_000;

/// What each class gets a metric for: the name before the label, and the value unless it has none.
pub(crate) type ClassMetric<'m> = (&'m str, fn(&Class) -> Option<f64>);

/// Adds what is known of each label: a flat metric for each measure, and a row of the table in the details.
pub(crate) fn add_classes(outcome: &mut Outcome, labels: &[&str], classes: &[Class], measures: &[ClassMetric<'_>]) {
    let mut table = Map::new();
    for (label, class) in labels.iter().zip(classes).take(MAX_CLASSES) {
        for (prefix, measure) in measures {
            if let Some(value) = measure(class) {
                outcome.metric(format!("{prefix}{label}"), value);
            }
        }
        table.insert((*label).to_owned(), row(class));
    }
    if classes.len() > MAX_CLASSES {
        let message = format!("{} labels: only the first {MAX_CLASSES} are listed one by one", classes.len());
        outcome.warn("TOO_MANY_LABELS", message);
    }
    outcome.detail("per_class", table);
}

fn row(class: &Class) -> Value {
    json!({
        "precision": class.precision(),
        "recall": class.recall(),
        "f1": class.f1(),
        "support": class.support,
        "predicted": class.predicted,
    })
}

/// Says how many rows have a prediction, where not all need one.
pub(crate) fn add_coverage(outcome: &mut Outcome, input: &Input) {
    let (answered, rows) = (input.answered(), input.rows());
    outcome.metric("coverage", answered as f64 / rows as f64);
    if answered < rows {
        let message = format!("{} of {rows} rows have no prediction and count as wrong", rows - answered);
        outcome.warn("MISSING_PREDICTIONS", message);
    }
}

/// Says how many rows are wrong, and how many of them the table of wrong rows has or would have.
pub(crate) fn add_error_count(outcome: &mut Outcome, confusion: &Confusion<'_>, max_rows: usize) {
    let wrong = confusion.total - confusion.correct();
    outcome.detail("error_cases", json!({"total": wrong, "listed": wrong.min(max_rows as u64)}));
}

/// Writes the artifacts: matrix, bars, wrong rows.
pub(crate) fn write_artifacts(
    ctx: &Context<'_>,
    input: &Input,
    confusion: &Confusion<'_>,
    bars: &ClassBars<'_>,
    max_rows: usize,
) -> Result<(), ScoreError> {
    if !ctx.wants_artifacts() {
        return Ok(());
    }
    let matrix = Matrix::of(confusion);
    ctx.artifact("confusion_matrix.json", "application/json", |file| matrix.write_json(file, confusion.total))?;
    pictures::write_matrix(ctx, &matrix, confusion)?;
    bars.write(ctx)?;
    ErrorCases::of(input, confusion, max_rows).write(ctx, input)
}
