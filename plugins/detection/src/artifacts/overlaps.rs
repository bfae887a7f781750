//! How near the true boxes were found: for each the greatest IoU of any prediction of its category.

use autoscorer_pictures::{Histogram, Reference};
use autoscorer_plugin_api::prelude::*;
use serde_json::json;

use super::{Findings, write_json, write_svg};

const BINS: usize = 20;

pub(super) fn write(ctx: &Context<'_>, findings: &Findings<'_>) -> Result<(), ScoreError> {
    let counted = findings.scene.truths.iter().zip(&findings.states).filter(|(placed, _)| !placed.truth.crowd);
    let best: Vec<f64> = counted.map(|(_, state)| state.best).collect();
    let untouched = best.iter().filter(|iou| **iou == 0.0).count();
    let counts = Histogram::count(best.iter().copied(), (0.0, 1.0), BINS);
    let table =
        json!({"bin_width": 1.0 / BINS as f64, "counts": counts, "gt_boxes": best.len(), "untouched": untouched});
    write_json(ctx, "iou_histogram.json", &table)?;
    let threshold = findings.threshold;
    let name = format!("needed: {threshold:.2}");
    let picture = Histogram {
        title: "How near boxes were found",
        subtitle: &format!(
            "{} true boxes, {untouched} of them not touched by any prediction of their category",
            best.len()
        ),
        x_axis: "greatest IoU of a prediction of the same category",
        y_axis: "true boxes",
        range: (0.0, 1.0),
        counts: &counts,
        references: &[Reference { name: &name, at: threshold }],
    };
    write_svg(ctx, "iou_histogram.svg", &picture.svg())
}
