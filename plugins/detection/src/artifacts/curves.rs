//! Precision against recall, per category and in the mean, with the confidence along each curve.

use autoscorer_pictures::{Curve, Curves};
use autoscorer_plugin_api::prelude::*;
use serde_json::{Map, Value, json};

use super::{Findings, rounded, write_json, write_svg};
use crate::curve::Grids;
use crate::evaluate::CurvePoints;

/// With more categories than this, only those with the most boxes have their curves in the file.
const MAX_CATEGORIES: usize = 500;

/// How many categories have their own line in the picture.
const DRAWN: usize = 11;

pub(super) fn write(ctx: &Context<'_>, findings: &Findings<'_>) -> Result<(), ScoreError> {
    let recalls = Grids::default().coco;
    let means = means(findings);
    write_json(ctx, "pr_curves.json", &table(findings, &recalls, &means))?;
    write_svg(ctx, "pr_curves.svg", &picture(findings, &recalls, &means))
}

/// The categories that have curves, those with the most true boxes first.
fn by_count(findings: &Findings<'_>) -> Vec<usize> {
    let scores = &findings.evaluation.categories;
    let mut places: Vec<usize> = (0..scores.len()).filter(|place| !scores[*place].curves.is_empty()).collect();
    places.sort_by_key(|place| std::cmp::Reverse(scores[*place].truths[0]));
    places
}

/// For each IoU that was asked for, the mean precision over all categories.
fn means(findings: &Findings<'_>) -> Vec<Vec<f64>> {
    let curves: Vec<&Vec<CurvePoints>> = findings
        .evaluation
        .categories
        .iter()
        .map(|scores| &scores.curves)
        .filter(|curves| !curves.is_empty())
        .collect();
    let thresholds = findings.evaluation.plan.asked.thresholds.len();
    let mean = |threshold: usize, recall: usize| {
        curves.iter().map(|curves| curves[threshold].precision[recall]).sum::<f64>() / curves.len() as f64
    };
    (0..thresholds).map(|threshold| (0..101).map(|recall| mean(threshold, recall)).collect()).collect()
}

fn table(findings: &Findings<'_>, recalls: &[f64], means: &[Vec<f64>]) -> Value {
    let plan = &findings.evaluation.plan;
    let thresholds: Vec<f64> = plan.asked.thresholds.iter().map(|place| plan.thresholds[*place]).collect();
    let list = |values: &[f64]| values.iter().map(|value| rounded(*value)).collect::<Value>();
    let mean: Vec<Value> = thresholds
        .iter()
        .zip(means)
        .map(|(threshold, precision)| json!({"iou_threshold": threshold, "precision": list(precision)}))
        .collect();
    let mut categories = by_count(findings);
    let left_out = categories.len().saturating_sub(MAX_CATEGORIES);
    categories.truncate(MAX_CATEGORIES);
    categories.sort_unstable();
    let mut classes = Map::new();
    for place in categories {
        let category = &findings.dataset.categories[place];
        let curves: Vec<Value> = findings.evaluation.categories[place]
            .curves
            .iter()
            .map(|curve| {
                let confidence: Value =
                    curve.confidence.iter().map(|score| score.map_or(Value::Null, rounded)).collect();
                json!({"iou_threshold": curve.threshold, "precision": list(&curve.precision), "confidence": confidence})
            })
            .collect();
        classes.insert(category.id.to_string(), json!({"name": category.name, "curves": curves}));
    }
    json!({"recall": list(recalls), "mean": mean, "classes": classes, "classes_left_out": left_out})
}

/// One line for each of the larger categories, its precision averaged over the IoUs, and the mean of all.
fn picture(findings: &Findings<'_>, recalls: &[f64], means: &[Vec<f64>]) -> String {
    let averaged = |curves: &[&[f64]]| -> Vec<(f64, f64)> {
        let precision = |place: usize| curves.iter().map(|curve| curve[place]).sum::<f64>() / curves.len() as f64;
        recalls.iter().enumerate().map(|(place, recall)| (*recall, precision(place))).collect()
    };
    let mut lines = vec![("mean of all".to_owned(), averaged(&means.iter().map(Vec::as_slice).collect::<Vec<_>>()))];
    lines.push(("confidence, mean".to_owned(), confidence(findings, recalls)));
    let categories = by_count(findings);
    for place in categories.iter().take(DRAWN) {
        let curves = &findings.evaluation.categories[*place].curves;
        let points = averaged(&curves.iter().map(|curve| curve.precision.as_slice()).collect::<Vec<_>>());
        lines.push((findings.label(*place), points));
    }
    let curves: Vec<Curve<'_>> =
        lines.iter().enumerate().map(|(place, (name, points))| Curve { name, points, thick: place == 0 }).collect();
    let mut subtitle = findings.at_iou();
    if categories.len() > DRAWN {
        subtitle += &format!("; the {DRAWN} largest of {} categories", categories.len());
    }
    Curves {
        title: "Precision and recall",
        subtitle: &subtitle,
        x_axis: "recall",
        y_axis: "precision, confidence",
        curves: &curves,
        x_range: Some((0.0, 1.0)),
        y_range: Some((0.0, 1.0)),
    }
    .svg()
}

/// At which score a recall is reached: the mean over the curves that reach it.
fn confidence(findings: &Findings<'_>, recalls: &[f64]) -> Vec<(f64, f64)> {
    let curves = || findings.evaluation.categories.iter().flat_map(|scores| &scores.curves);
    let reached = |place: usize| -> Vec<f64> { curves().filter_map(|curve| curve.confidence[place]).collect() };
    let mean = |scores: Vec<f64>| scores.iter().sum::<f64>() / scores.len() as f64;
    recalls.iter().enumerate().map(|(place, recall)| (*recall, mean(reached(place)))).collect()
}
