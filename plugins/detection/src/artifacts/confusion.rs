//! The confusion matrix as a table of its cells and as a picture of its larger part.

use autoscorer_pictures::Heatmap;
use autoscorer_plugin_api::prelude::*;
use serde_json::{Value, json};

use super::{Findings, write_json, write_svg};

/// More cells than this are only counted.
const MAX_CELLS: usize = 10_000;

/// How many categories are drawn, the background not counted.
const DRAWN: usize = 60;

const BACKGROUND: &str = "background";

pub(super) fn write(ctx: &Context<'_>, findings: &Findings<'_>) -> Result<(), ScoreError> {
    write_json(ctx, "confusion_matrix.json", &table(findings))?;
    write_svg(ctx, "confusion_matrix.svg", &picture(findings))
}

fn table(findings: &Findings<'_>) -> Value {
    let id = |category: Option<u32>| match category {
        Some(category) => json!(findings.dataset.categories[category as usize].id),
        None => json!(BACKGROUND),
    };
    let mut cells: Vec<_> = findings.confusion.cells.iter().collect();
    cells.sort_by(|a, b| b.1.cmp(a.1));
    let listed: Vec<Value> = cells
        .iter()
        .take(MAX_CELLS)
        .map(|((truth, prediction), count)| json!({"gt": id(*truth), "pred": id(*prediction), "count": count}))
        .collect();
    json!({
        "iou_threshold": findings.threshold,
        "score_threshold": findings.params.confusion_score.0,
        "cell_count": cells.len(),
        "cells": listed,
    })
}

fn picture(findings: &Findings<'_>) -> String {
    let mut drawn: Vec<usize> = (0..findings.dataset.categories.len()).collect();
    drawn.sort_by_key(|place| std::cmp::Reverse(findings.dataset.counts(*place).0));
    drawn.truncate(DRAWN);
    drawn.sort_unstable();
    let names: Vec<String> = drawn.iter().map(|place| findings.label(*place)).collect();
    let mut labels: Vec<&str> = names.iter().map(String::as_str).collect();
    labels.push(BACKGROUND);
    let place = |category: Option<u32>| match category {
        Some(category) => drawn.binary_search(&(category as usize)).ok(),
        None => Some(drawn.len()),
    };
    let cells: Vec<(usize, usize, u64)> = findings
        .confusion
        .cells
        .iter()
        .filter_map(|((truth, prediction), count)| Some((place(*truth)?, place(*prediction)?, *count)))
        .collect();
    let mut subtitle =
        format!("at IoU {:.2}, scores from {:.2} on", findings.threshold, findings.params.confusion_score.0);
    if findings.dataset.categories.len() > DRAWN {
        subtitle += &format!("; the {DRAWN} largest of {} categories", findings.dataset.categories.len());
    }
    Heatmap {
        title: "What was taken for what",
        subtitle: &subtitle,
        row_axis: "truth",
        column_axis: "prediction",
        rows: &labels,
        columns: &labels,
        cells: &cells,
    }
    .svg()
}
