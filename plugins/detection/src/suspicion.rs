//! Suspicion: a score next to nothing is mostly no bad model but two files that do not fit together, and tried out as such.

use std::collections::{BTreeSet, HashSet};

use autoscorer_plugin_api::outcome::Outcome;

use crate::dataset::Dataset;
use crate::group::Group;
use crate::ids::Id;
use crate::load::{PREDICTION_FILE, TRUTH_FILE};

/// A score below this is looked into.
const SUSPICIOUS: f64 = 0.01;

/// The IoU at which a prediction is taken to mean a box.
const MEANT: f64 = 0.5;

/// Adds a hint for every way to read the files in which they fit together much better.
pub(crate) fn add(outcome: &mut Outcome, dataset: &Dataset, limit: usize) {
    if outcome.summary.score >= SUSPICIOUS || dataset.prediction_count == 0 {
        return;
    }
    let strangers = [images(dataset), categories(dataset)].into_iter().flatten();
    let mut hints: Vec<_> = strangers.collect();
    if hints.is_empty() {
        hints.extend(trial(dataset, limit));
    }
    for (code, message) in hints {
        outcome.warn(code, message);
    }
}

type Hint = (&'static str, String);

/// Images of the two files that have nothing in common.
fn images(dataset: &Dataset) -> Option<Hint> {
    let (truth, predicted) = dataset.image_ids();
    if truth.is_empty() || predicted.is_empty() || predicted.iter().any(|id| truth.contains(id)) {
        return None;
    }
    let met = |change: fn(&Id) -> Option<Id>| {
        let changed = predicted.iter().filter_map(change).filter(|id| truth.contains(id)).count();
        changed * 2 > predicted.len()
    };
    let (one, other) = (example(&truth), example(&predicted));
    let advice = if met(Id::twin) {
        "they are numbers in one file and strings in the other".to_owned()
    } else if met(|id| id.plus(1)) {
        "they are one too small in the predictions".to_owned()
    } else if met(|id| id.plus(-1)) {
        "they are one too great in the predictions".to_owned()
    } else {
        format!("such as {one} in {TRUTH_FILE} and {other} in {PREDICTION_FILE}")
    };
    Some(("IMAGES_NEVER_MEET", format!("no image_id is in both files: {advice}")))
}

fn example(ids: &HashSet<Id>) -> String {
    ids.iter().min().map(Id::to_string).unwrap_or_default()
}

/// Categories of the two files that have nothing in common.
fn categories(dataset: &Dataset) -> Option<Hint> {
    let (truth, predicted) = dataset.category_ids();
    if truth.is_empty() || predicted.is_empty() || !truth.is_disjoint(&predicted) {
        return None;
    }
    let met = |shift: i64| {
        let met = predicted.iter().filter(|id| id.checked_add(shift).is_some_and(|id| truth.contains(&id))).count();
        met * 2 > predicted.len()
    };
    let advice = if met(1) {
        "they are one too small in the predictions".to_owned()
    } else if met(-1) {
        "they are one too great in the predictions".to_owned()
    } else {
        let first = |ids: &BTreeSet<i64>| ids.first().copied().unwrap_or_default();
        format!("such as {} in {TRUTH_FILE} and {} in {PREDICTION_FILE}", first(&truth), first(&predicted))
    };
    Some(("CATEGORIES_NEVER_MEET", format!("no category_id is in both files: {advice}")))
}

/// Another way to read the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The categories of the predictions are off by so many.
    Categories(i64),
    /// The images of the predictions are.
    Images(i64),
    /// Boxes are [x1, y1, x2, y2], in the predictions or in the ground truth or in both.
    Corners { truth: bool, predictions: bool },
}

const OTHER_READINGS: [Reading; 7] = [
    Reading::Categories(1),
    Reading::Categories(-1),
    Reading::Images(1),
    Reading::Images(-1),
    Reading::Corners { truth: false, predictions: true },
    Reading::Corners { truth: true, predictions: false },
    Reading::Corners { truth: true, predictions: true },
];

/// The best of the other ways to read the files, if it is much better than the usual one: more than twice as many boxes are
/// found in it, and every fifth at least.
fn trial(dataset: &Dataset, limit: usize) -> Option<Hint> {
    let found = |reading: Option<Reading>| found(dataset, reading, limit);
    let best =
        OTHER_READINGS.into_iter().map(|reading| (found(Some(reading)), reading)).rev().max_by_key(|(count, _)| *count);
    let (count, reading) = best.filter(|(count, _)| 5 * count >= dataset.truth_count && *count > 0)?;
    (count > 2 * found(None)).then(|| reading.hint())
}

impl Reading {
    fn hint(self) -> Hint {
        let direction = |shift: i64| if shift > 0 { "small" } else { "great" };
        let off = |ids: &str, shift| format!("{ids} ids of the predictions seem to be one too {}", direction(shift));
        match self {
            Self::Categories(shift) => ("CATEGORIES_OFF_BY_ONE", off("category", shift)),
            Self::Images(shift) => ("IMAGES_OFF_BY_ONE", off("image", shift)),
            Self::Corners { truth, predictions } => {
                let file = match (truth, predictions) {
                    (true, true) => "both files",
                    (true, false) => TRUTH_FILE,
                    _ => PREDICTION_FILE,
                };
                let message = format!("the boxes of {file} seem to be [x1, y1, x2, y2], not [x, y, width, height]");
                ("BOXES_LOOK_LIKE_CORNERS", message)
            }
        }
    }
}

/// How many true boxes some prediction means, if the files are read in another way or as they are.
fn found(dataset: &Dataset, reading: Option<Reading>, limit: usize) -> u64 {
    let (mut group, mut other) = (Group::default(), Group::default());
    let mut count = 0;
    for category in 0..dataset.categories.len() {
        dataset.fill(&mut group, category, limit);
        if let Some(Reading::Categories(shift)) = reading {
            let id = dataset.categories[category].id.checked_sub(shift);
            let Ok(from) = dataset.categories.binary_search_by_key(&id, |category| Some(category.id)) else { continue };
            dataset.fill(&mut other, from, limit);
            std::mem::swap(&mut group.detections, &mut other.detections);
            group.arrange(limit);
        }
        if let Some(Reading::Images(shift)) = reading {
            let moved = |image: u32| dataset.images[image as usize].plus(shift);
            group.detections.retain_mut(|detection| {
                let place = moved(detection.image).and_then(|id| dataset.images.binary_search(&id).ok());
                detection.image = place.unwrap_or_default() as u32;
                place.is_some()
            });
            group.arrange(limit);
        }
        if let Some(Reading::Corners { truth, predictions }) = reading {
            group.truths.iter_mut().filter(|_| truth).for_each(|truth| truth.region = truth.region.as_corners());
            group.detections.iter_mut().filter(|_| predictions).for_each(|d| d.region = d.region.as_corners());
        }
        count += meant(&group);
    }
    count
}

fn meant(group: &Group) -> u64 {
    let mut count = 0;
    for cell in &group.cells {
        let detections = &group.detections[cell.detections.clone()];
        let truths = group.truths[cell.truths.clone()].iter().filter(|truth| !truth.crowd);
        count += truths
            .filter(|truth| detections.iter().any(|detection| detection.region.iou(&truth.region) >= MEANT))
            .count() as u64;
    }
    count
}

#[cfg(test)]
mod tests {
    use crate::scorer::DetectionMap;
    use autoscorer_plugin_api::testing::Workspace;
    use serde_json::{Value, json};

    /// The warnings of scoring boxes that were changed in a way; image, category, box.
    fn warnings(
        change_gt: fn(Value, Value, [f64; 4]) -> Value,
        change: fn(i64, i64, [f64; 4]) -> Value,
    ) -> Vec<String> {
        let boxes: Vec<(i64, i64, [f64; 4])> =
            (10..30).map(|n| (n, n % 3 + 1, [n as f64 * 5.0, 20.0, 30.0 + n as f64, 40.0])).collect();
        let gt: Value = boxes.iter().map(|(image, category, b)| change_gt(json!(image), json!(category), *b)).collect();
        let pred: Value = boxes.iter().map(|(image, category, b)| change(*image, *category, *b)).collect();
        let workspace =
            Workspace::new().file("input/gt.json", gt.to_string()).file("output/pred.json", pred.to_string());
        let outcome = workspace.score(&DetectionMap).unwrap();
        let hints = outcome.warnings.into_iter().filter(|warning| warning.code != "UNDEFINED_METRICS");
        hints.map(|warning| format!("{}: {}", warning.code, warning.message)).collect()
    }

    fn plain(image: Value, category: Value, bbox: [f64; 4]) -> Value {
        json!({"image_id": image, "category_id": category, "bbox": bbox})
    }

    fn predicted(image: impl Into<Value>, category: i64, bbox: [f64; 4]) -> Value {
        json!({"image_id": image.into(), "category_id": category, "bbox": bbox, "score": 0.5})
    }

    fn corners([x, y, w, h]: [f64; 4]) -> [f64; 4] {
        [x, y, x + w, y + h]
    }

    #[test]
    fn files_that_do_not_fit_together_are_found_out() {
        let cases: Vec<(&str, Vec<String>)> = vec![
            ("as it should be", warnings(plain, predicted)),
            ("strings for numbers", warnings(plain, |i, c, b| predicted(i.to_string(), c, b))),
            ("other images", warnings(plain, |i, c, b| predicted(i + 1000, c, b))),
            ("images one less", warnings(plain, |i, c, b| predicted(i - 1, c, b))),
            ("images one more", warnings(plain, |i, c, b| predicted(i + 1, c, b))),
            ("other categories", warnings(plain, |i, c, b| predicted(i, c + 90, b))),
            ("categories one less", warnings(plain, |i, c, b| predicted(i, c - 1, b))),
            ("categories one more", warnings(plain, |i, c, b| predicted(i, c + 1, b))),
            ("all categories zero", warnings(plain, |i, _, b| predicted(i, 0, b))),
            ("corners in the predictions", warnings(plain, |i, c, b| predicted(i, c, corners(b)))),
            ("corners in the truth", warnings(|i, c, b| plain(i, c, corners(b)), predicted)),
            ("a bad model", warnings(plain, |i, c, b| predicted(i, c, [b[0] + 500.0, b[1], b[2], b[3]]))),
        ];
        let lines: Vec<String> = cases.into_iter().map(|(name, hints)| format!("{name}: {hints:#?}")).collect();
        insta::assert_snapshot!(lines.join("\n"));
    }
}
