//! What stands beside the score: a row per class in the details, and the confusion matrix as an artifact.

use std::collections::BTreeMap;

use autoscorer_plugin_api::prelude::*;
use serde_json::{Map, Value, json};

use crate::confusion::{Class, Confusion};

/// A task with more labels than this gets no row per label: `result.json` is read by people and pages.
pub(crate) const MAX_CLASSES: usize = 10_000;

/// More cells than this are only counted.
const MAX_CELLS: usize = 10_000;

/// Adds what is known of each label: a flat metric under `prefix`, and a row of the table in the details.
pub(crate) fn add_classes(
    outcome: &mut Outcome,
    prefix: &str,
    classes: &BTreeMap<&str, Class>,
    metric: fn(&Class) -> f64,
) {
    let mut table = Map::new();
    for (label, class) in classes.iter().take(MAX_CLASSES) {
        outcome.metric(format!("{prefix}{label}"), metric(class));
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

/// Writes the confusion matrix, its largest cells first.
pub(crate) fn write_confusion(ctx: &Context<'_>, confusion: &Confusion<'_>) -> Result<(), ScoreError> {
    if !ctx.wants_artifacts() {
        return Ok(());
    }
    let cells = confusion.cells();
    let listed: Vec<Value> = cells
        .iter()
        .take(MAX_CELLS)
        .map(|(truth, guess, count)| json!({"gt": truth, "pred": guess, "count": count}))
        .collect();
    let matrix = json!({"total": confusion.total(), "cell_count": cells.len(), "cells": listed});
    ctx.artifact("confusion_matrix.json", "application/json", |file| Ok(serde_json::to_writer_pretty(file, &matrix)?))
}
