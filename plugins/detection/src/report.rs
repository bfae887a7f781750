//! The outcome: the document's metrics, COCO's twelve, a row per category, and what the reader should know.

use autoscorer_plugin_api::prelude::*;
use autoscorer_plugin_api::rank::passes;
use serde_json::{Map, Value, json};

use crate::dataset::{Category, Dataset};
use crate::evaluate::Scores;
use crate::evaluation::Evaluation;
use crate::load::TRUTH_FILE;
use crate::params::MapParams;
use crate::suspicion;

/// A task with more categories than this gets no row per category: `result.json` is read by people and pages.
const MAX_CATEGORIES: usize = 10_000;

/// COCO's precision of a single hit is one bit below 1; that bit must not cost a grade.
const TOLERANCE: f64 = 1e-12;

/// The outcome of an evaluation; fails if there is nothing to judge by.
pub(crate) fn outcome(dataset: &Dataset, evaluation: &Evaluation, params: &MapParams) -> Result<Outcome, ScoreError> {
    let score = evaluation.score().ok_or_else(|| dataset.nothing_to_find())?;
    let mut outcome = Outcome::new("mAP", score, Direction::Higher);
    let graded = score + TOLERANCE;
    outcome.graded(
        params.rank_thresholds.rank(graded, Direction::Higher),
        passes(graded, params.pass_threshold, Direction::Higher),
    );
    add_counts(&mut outcome, dataset, evaluation, params);
    for (name, value) in evaluation.coco() {
        add(&mut outcome, name, value);
    }
    add_sizes(&mut outcome, evaluation);
    add_categories(&mut outcome, dataset, evaluation);
    add_warnings(&mut outcome, dataset, evaluation);
    suspicion::add(&mut outcome, dataset, evaluation.plan.limit());
    Ok(outcome)
}

fn add(outcome: &mut Outcome, name: impl Into<String>, value: Option<f64>) {
    if let Some(value) = value {
        outcome.metric(name, value);
    }
}

fn add_counts(outcome: &mut Outcome, dataset: &Dataset, evaluation: &Evaluation, params: &MapParams) {
    let judged = evaluation.categories.iter().filter(|scores| scores.truths[0] > 0).count();
    outcome
        .metric("num_categories", judged as f64)
        .metric("total_gt_boxes", dataset.truth_count as f64)
        .metric("total_pred_boxes", dataset.prediction_count as f64)
        .metric("num_images", dataset.images.len() as f64);
    let thresholds: Vec<f64> =
        evaluation.plan.asked.thresholds.iter().map(|place| evaluation.plan.thresholds[*place]).collect();
    if let [threshold] = thresholds[..] {
        outcome.metric("iou_threshold", threshold);
    }
    outcome.metric("score_threshold", params.score_threshold.0).detail("iou_thresholds", thresholds);
}

/// What was asked for by size, and the recall that belongs to the score.
fn add_sizes(outcome: &mut Outcome, evaluation: &Evaluation) {
    let asked = &evaluation.plan.asked;
    add(outcome, "mAR", evaluation.mean(asked.all, &asked.thresholds, |score| score.recall));
    for (name, slice) in &asked.sizes {
        add(outcome, format!("mAP_{name}"), evaluation.mean(*slice, &asked.thresholds, |score| score.asked));
    }
}

fn add_categories(outcome: &mut Outcome, dataset: &Dataset, evaluation: &Evaluation) {
    let mut table = Map::new();
    let asked = &evaluation.plan.asked;
    for (place, category) in dataset.categories.iter().enumerate().take(MAX_CATEGORIES) {
        let scores = &evaluation.categories[place];
        let average = scores.mean(asked.all, &asked.thresholds, |score| score.asked);
        add(outcome, format!("AP_class_{}", category.id), average);
        table.insert(category.id.to_string(), row(category, scores, evaluation, dataset.counts(place)));
    }
    if dataset.categories.len() > MAX_CATEGORIES {
        let count = dataset.categories.len();
        outcome.warn(
            "TOO_MANY_CATEGORIES",
            format!("{count} categories: only the first {MAX_CATEGORIES} are listed one by one"),
        );
    }
    outcome.detail("per_category", table);
}

fn row(category: &Category, scores: &Scores, evaluation: &Evaluation, (truths, predictions): (usize, usize)) -> Value {
    let asked = &evaluation.plan.asked;
    let score = ("mAP", scores.mean(asked.all, &asked.thresholds, |score| score.asked));
    let numbers = [score].into_iter().chain(scores.coco(&evaluation.plan));
    let mut row = Map::new();
    row.extend(category.name.as_ref().map(|name| ("name".to_owned(), json!(name))));
    row.extend(numbers.filter_map(|(name, value)| Some((name.to_owned(), json!(value?)))));
    row.insert("gt_boxes".to_owned(), json!(truths));
    row.insert("pred_boxes".to_owned(), json!(predictions));
    Value::Object(row)
}

fn add_warnings(outcome: &mut Outcome, dataset: &Dataset, evaluation: &Evaluation) {
    let left_out = &dataset.left_out;
    let strays = strays(dataset, evaluation);
    let undefined: Vec<&str> =
        evaluation.coco().into_iter().filter(|(_, value)| value.is_none()).map(|(name, _)| name).collect();
    let warnings = [
        (!strays.is_empty()).then(|| {
            let message = format!("categories not in the mean, since no true box of them counts: {}", some(&strays));
            ("CATEGORIES_WITHOUT_GROUND_TRUTH", message)
        }),
        (left_out.unlisted_category > 0).then(|| {
            let message = format!(
                "{} predictions left out: {TRUTH_FILE} does not list their category",
                left_out.unlisted_category
            );
            ("UNLISTED_CATEGORIES", message)
        }),
        (left_out.annotations > 0).then(|| {
            let message = format!(
                "{} annotations left out: {TRUTH_FILE} does not list their image or category",
                left_out.annotations
            );
            ("UNLISTED_ANNOTATIONS", message)
        }),
        (!undefined.is_empty()).then(|| {
            ("UNDEFINED_METRICS", format!("{} are undefined: no true box has such a size", undefined.join(", ")))
        }),
    ];
    for (code, message) in warnings.into_iter().flatten().chain(oddities(dataset)) {
        outcome.warn(code, message);
    }
    if left_out.below_threshold > 0 {
        outcome.detail("below_score_threshold", left_out.below_threshold);
    }
}

/// Categories that are predicted but have no true box that counts.
fn strays(dataset: &Dataset, evaluation: &Evaluation) -> Vec<String> {
    (0..dataset.categories.len())
        .filter(|place| evaluation.categories[*place].truths[0] == 0 && dataset.counts(*place).1 > 0)
        .map(|place| dataset.categories[place].id.to_string())
        .collect()
}

/// The first few of a list, and how many there are in all.
fn some(list: &[String]) -> String {
    let shown = list[..list.len().min(10)].join(", ");
    if list.len() > 10 { format!("{shown}, … ({} in all)", list.len()) } else { shown }
}

fn oddities(dataset: &Dataset) -> impl Iterator<Item = (&'static str, String)> {
    let odd = &dataset.oddities;
    let no_list = |name: &str| format!("{TRUTH_FILE} has no list of {name}: those that boxes have are taken");
    [
        odd.no_images.then(|| ("NO_LIST", no_list("images"))),
        odd.no_categories.then(|| ("NO_LIST", no_list("categories"))),
        odd.zero_id.then(|| {
            let message = "an annotation has the id 0; it counts like any other here, but pycocotools never matches it";
            ("ANNOTATION_ID_ZERO", message.to_owned())
        }),
        (odd.repeated_ids > 0).then(|| {
            let message =
                format!("{} annotations have the id of another one; each counts by itself here", odd.repeated_ids);
            ("ANNOTATION_IDS_REPEATED", message)
        }),
    ]
    .into_iter()
    .flatten()
}
