//! The average precision of each category, the lowest first.

use autoscorer_pictures::{Bars, Reference, Series};
use autoscorer_plugin_api::prelude::*;

use super::{Findings, write_svg};

/// How many categories are drawn; the lowest ones need attention.
const DRAWN: usize = 100;

pub(super) fn write(ctx: &Context<'_>, findings: &Findings<'_>) -> Result<(), ScoreError> {
    write_svg(ctx, "ap_per_class.svg", &picture(findings))
}

fn picture(findings: &Findings<'_>) -> String {
    let asked = &findings.evaluation.plan.asked;
    let scores = findings.evaluation.categories.iter().enumerate();
    let average = |(place, scores): (usize, &crate::evaluate::Scores)| {
        Some((scores.mean(asked.all, &asked.thresholds, |score| score.asked)?, findings.label(place)))
    };
    let mut rows: Vec<(f64, String)> = scores.filter_map(average).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut subtitle = findings.at_iou();
    if rows.len() > DRAWN {
        subtitle += &format!("; the {DRAWN} lowest of {} categories", rows.len());
        rows.truncate(DRAWN);
    }
    let labels: Vec<&str> = rows.iter().map(|(_, label)| label.as_str()).collect();
    let values: Vec<f64> = rows.iter().map(|(value, _)| *value).collect();
    let mean = findings.evaluation.score().unwrap_or_default();
    let name = format!("mAP {mean:.3}");
    Bars {
        title: "Average precision by category",
        subtitle: &subtitle,
        axis: "average precision",
        labels: &labels,
        series: &[Series { name: "AP", values: &values }],
        range: Some((0.0, 1.0)),
        reference: Some(Reference { name: &name, at: mean }),
    }
    .svg()
}
