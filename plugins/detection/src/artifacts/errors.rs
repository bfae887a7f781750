//! What each kind of mistake costs.

use autoscorer_pictures::{Bars, Series};
use autoscorer_plugin_api::prelude::*;
use serde_json::{Map, json};

use super::{Findings, write_json, write_svg};

pub(super) fn write(ctx: &Context<'_>, findings: &Findings<'_>) -> Result<(), ScoreError> {
    let (costs, threshold) = (&findings.costs, findings.threshold);
    let mut mistakes = Map::new();
    for (name, count, cost) in costs.named() {
        mistakes.insert(name.to_owned(), json!({"count": count, "cost": cost}));
    }
    write_json(ctx, "errors.json", &json!({"iou_threshold": threshold, "mAP": costs.average, "errors": mistakes}))?;
    let labels: Vec<String> = costs.named().map(|(name, count, _)| format!("{name} ({count})")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let values: Vec<f64> = costs.named().map(|(_, _, cost)| cost).collect();
    let picture = Bars {
        title: "What each kind of mistake costs",
        subtitle: &format!(
            "mAP {:.3} at IoU {threshold:.2}; bars tell what mending all mistakes of a kind would add",
            costs.average
        ),
        axis: "mAP lost",
        labels: &labels,
        series: &[Series { name: "cost", values: &values }],
        range: None,
        reference: None,
    };
    write_svg(ctx, "errors.svg", &picture.svg())
}
