//! The average precision by the size of the objects.

use autoscorer_pictures::{Bars, Series};
use autoscorer_plugin_api::prelude::*;
use serde_json::{Value, json};

use super::{Findings, write_json, write_svg};

/// What is known of a range of sizes.
struct Size {
    name: String,
    range: [f64; 2],
    truths: u64,
    average: Option<f64>,
    recall: Option<f64>,
}

pub(super) fn write(ctx: &Context<'_>, findings: &Findings<'_>) -> Result<(), ScoreError> {
    let sizes = sizes(findings);
    let row = |size: &Size| json!({"name": size.name, "area": size.range, "gt_boxes": size.truths, "mAP": size.average, "mAR": size.recall});
    write_json(ctx, "ap_by_size.json", &sizes.iter().map(row).collect::<Value>())?;
    write_svg(ctx, "ap_by_size.svg", &picture(findings, &sizes))
}

fn sizes(findings: &Findings<'_>) -> Vec<Size> {
    let (evaluation, plan) = (findings.evaluation, &findings.evaluation.plan);
    let asked = &plan.asked;
    let named = asked.sizes.iter().map(|(name, slice)| (name.clone(), *slice));
    let all = std::iter::once(("all".to_owned(), asked.all));
    all.chain(named)
        .map(|(name, slice)| {
            let range = plan.slices[slice].range;
            Size {
                name,
                range: plan.ranges[range],
                truths: evaluation.categories.iter().map(|scores| scores.truths[range]).sum(),
                average: evaluation.mean(slice, &asked.thresholds, |score| score.asked),
                recall: evaluation.mean(slice, &asked.thresholds, |score| score.recall),
            }
        })
        .collect()
}

fn picture(findings: &Findings<'_>, sizes: &[Size]) -> String {
    let labels: Vec<String> = sizes.iter().map(|size| format!("{} ({} boxes)", size.name, size.truths)).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let values =
        |of: fn(&Size) -> Option<f64>| sizes.iter().map(|size| of(size).unwrap_or(f64::NAN)).collect::<Vec<_>>();
    let (precision, recall) = (values(|size| size.average), values(|size| size.recall));
    Bars {
        title: "Precision and recall by size",
        subtitle: &findings.at_iou(),
        axis: "share",
        labels: &labels,
        series: &[Series { name: "average precision", values: &precision }, Series { name: "recall", values: &recall }],
        range: Some((0.0, 1.0)),
        reference: None,
    }
    .svg()
}
