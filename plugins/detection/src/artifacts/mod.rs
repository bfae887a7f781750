//! What is left beside the score: tables and pictures of where the predictions are good and where they fail.
//!
//! [`curves`] precision against recall, [`classes`] and [`sizes`] AP by category and by size, [`overlaps`] how near boxes were
//! found, [`confusion`] what was taken for what, [`errors`] what each kind of mistake costs, [`matches`] boxes one by one.

mod classes;
mod confusion;
mod curves;
mod errors;
mod matches;
mod overlaps;
mod sizes;

use autoscorer_plugin_api::prelude::*;
use serde_json::{Value, json};

use autoscorer_plugin_api::parallel::Workers;

use crate::audit::{Audit, State};
use crate::confusion::Confusion;
use crate::dataset::Dataset;
use crate::evaluation::Evaluation;
use crate::params::MapParams;
use crate::repair::Costs;
use crate::scene::Scene;

/// What the artifacts are made of.
pub(crate) struct Findings<'d> {
    pub(crate) dataset: &'d Dataset,
    pub(crate) evaluation: &'d Evaluation,
    pub(crate) params: &'d MapParams,
    pub(crate) scene: &'d Scene,
    /// By category.
    pub(crate) audits: &'d [Audit],
    /// For each true box of the scene.
    pub(crate) states: Vec<State>,
    /// The lowest IoU that was asked for, at which boxes are looked at one by one.
    pub(crate) threshold: f64,
    pub(crate) costs: Costs,
    pub(crate) confusion: Confusion,
}

impl<'d> Findings<'d> {
    /// Puts together what was found out about the single boxes.
    pub(crate) fn new(
        dataset: &'d Dataset,
        evaluation: &'d Evaluation,
        params: &'d MapParams,
        scene: &'d Scene,
        audits: &'d [Audit],
        workers: Workers,
    ) -> Self {
        let plan = &evaluation.plan;
        let place = plan.asked.thresholds[0];
        let costs = Costs::new(audits, scene, params.interpolation, workers);
        let confusion = Confusion::new(audits, scene, plan.needed[place], workers);
        let mut states = vec![State::default(); scene.truths.len()];
        for (place, state) in audits.iter().flat_map(|audit| &audit.states) {
            states[*place] = *state;
        }
        let threshold = plan.thresholds[place];
        Self { dataset, evaluation, params, scene, audits, states, threshold, costs, confusion }
    }

    /// Writes all artifacts.
    pub(crate) fn write(&self, ctx: &Context<'_>, outcome: &mut Outcome) -> Result<(), ScoreError> {
        curves::write(ctx, self)?;
        classes::write(ctx, self)?;
        sizes::write(ctx, self)?;
        overlaps::write(ctx, self)?;
        confusion::write(ctx, self)?;
        errors::write(ctx, self)?;
        matches::write(ctx, self, outcome)
    }

    /// What a category is called.
    fn label(&self, category: usize) -> String {
        let category = &self.dataset.categories[category];
        category.name.clone().unwrap_or_else(|| category.id.to_string())
    }

    /// The IoUs that were asked for, in words.
    fn at_iou(&self) -> String {
        let plan = &self.evaluation.plan;
        let thresholds: Vec<f64> = plan.asked.thresholds.iter().map(|place| plan.thresholds[*place]).collect();
        match thresholds[..] {
            [one] => format!("at IoU {one:.2}"),
            [first, .., last] => format!("mean of {} IoUs from {first:.2} to {last:.2}", thresholds.len()),
            [] => String::new(),
        }
    }
}

fn write_json(ctx: &Context<'_>, name: &str, value: &Value) -> Result<(), ScoreError> {
    ctx.artifact(name, "application/json", |file| Ok(serde_json::to_writer(file, value)?))
}

fn write_svg(ctx: &Context<'_>, name: &str, picture: &str) -> Result<(), ScoreError> {
    ctx.artifact(name, "image/svg+xml", |file| file.write_all(picture.as_bytes()))
}

/// A share for a file that people read: six digits are enough.
fn rounded(value: f64) -> Value {
    json!((value * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use crate::scorer::DetectionMap;
    use autoscorer_plugin_api::outcome::Outcome;
    use autoscorer_plugin_api::testing::Workspace;
    use serde_json::{Value, json};
    use std::fs;

    /// One of each: a hit and a duplicate of it, a box nearly hit, a box taken for another, one nearly so, and thin air.
    fn workspace() -> Workspace {
        let (whole, part) = ([0, 0, 10, 10], [0, 0, 10, 3]);
        let gt = |image: i64, category: i64| json!({"image_id": image, "category_id": category, "bbox": whole});
        let pred = |image: i64, bbox: [i64; 4], score: f64| json!({"image_id": image, "category_id": 1, "bbox": bbox, "score": score});
        let images: Vec<Value> = (1..=5).map(|id| json!({"id": id})).collect();
        let gts = json!({
            "images": images,
            "categories": [{"id": 1, "name": "a, or \"one\""}, {"id": 2, "name": "b"}],
            "annotations": [gt(1, 1), gt(2, 1), gt(3, 2), gt(4, 2)],
        });
        let preds = json!([
            pred(1, whole, 0.9),
            pred(1, whole, 0.8),
            pred(2, part, 0.7),
            pred(3, whole, 0.6),
            pred(4, part, 0.5),
            pred(5, [50, 50, 5, 5], 0.95),
        ]);
        Workspace::new().file("input/gt.json", gts.to_string()).file("output/pred.json", preds.to_string())
    }

    fn score(workspace: &Workspace) -> Outcome {
        workspace.score(&DetectionMap).unwrap()
    }

    fn read(workspace: &Workspace, name: &str) -> String {
        fs::read_to_string(workspace.path().join("output/artifacts").join(name)).unwrap()
    }

    fn table(workspace: &Workspace, name: &str) -> Value {
        serde_json::from_str(&read(workspace, name)).unwrap()
    }

    #[test]
    fn what_mistakes_cost() {
        let workspace = workspace();
        let outcome = score(&workspace);
        let errors = table(&workspace, "errors.json");
        // The one hit of category 1 comes after thin air: precision 1/2 up to recall .5. Category 2 has none.
        let half = 51.0 / 101.0;
        assert_eq!(errors["mAP"].as_f64(), Some(outcome.summary.score));
        assert!((outcome.summary.score - half / 4.0).abs() < 1e-12);
        let costs = [
            ("classification", half / 2.0),
            ("localisation", 0.25 - half / 4.0),
            ("both", 0.0),
            ("duplicate", 0.0),
            ("background", half / 4.0),
            ("missed", 0.0),
        ];
        for (name, cost) in costs {
            let found = &errors["errors"][name];
            assert_eq!(found["count"], 1, "{name}");
            assert!((found["cost"].as_f64().unwrap() - cost).abs() < 1e-12, "{name}: {found}");
        }
    }

    #[test]
    fn what_was_taken_for_what() {
        let workspace = workspace();
        score(&workspace);
        let cells = table(&workspace, "confusion_matrix.json")["cells"].clone();
        let cell = |gt: Value, pred: Value, count: u64| json!({"gt": gt, "pred": pred, "count": count});
        let background = || json!("background");
        let expected = [
            cell(background(), json!(1), 4),
            cell(json!(1), background(), 1),
            cell(json!(1), json!(1), 1),
            cell(json!(2), background(), 1),
            cell(json!(2), json!(1), 1),
        ];
        assert_eq!(cells, json!(expected));
        let confident = workspace.param("confusion_score", 0.65);
        score(&confident);
        assert_eq!(table(&confident, "confusion_matrix.json")["cells"].as_array().unwrap().len(), 4);
    }

    #[test]
    fn the_worst_come_first() {
        let workspace = workspace();
        let outcome = score(&workspace);
        assert_eq!(outcome.details["matches"], json!({"listed": 9, "total": 9}));
        insta::assert_snapshot!(read(&workspace, "matches.csv"));
        let few = workspace.param("max_rows", 2);
        assert_eq!(score(&few).details["matches"], json!({"listed": 2, "total": 9}));
        assert_eq!(read(&few, "matches.csv").lines().count(), 3);
    }

    #[test]
    fn curves_sizes_and_overlaps() {
        let workspace = workspace().param("iou_threshold", json!([0.25, 0.5]));
        score(&workspace);
        let curves = table(&workspace, "pr_curves.json");
        assert_eq!(
            (curves["recall"][1].as_f64(), curves["mean"][1]["iou_threshold"].as_f64()),
            (Some(0.01), Some(0.5))
        );
        let (loose, strict) = (&curves["classes"]["1"]["curves"][0], &curves["classes"]["1"]["curves"][1]);
        assert_eq!((strict["precision"][50].as_f64(), strict["confidence"][50].as_f64()), (Some(0.5), Some(0.9)));
        assert_eq!((strict["precision"][51].as_f64(), strict["confidence"][51].as_f64()), (Some(0.0), None));
        assert_eq!((loose["precision"][100].as_f64(), loose["confidence"][100].as_f64()), (Some(0.5), Some(0.7)));
        assert_eq!(curves["mean"][1]["precision"][0], 0.25);
        let histogram = table(&workspace, "iou_histogram.json");
        let filled: Vec<usize> = (0..20).filter(|bin| histogram["counts"][bin] != 0).collect();
        assert_eq!((filled, &histogram["untouched"], &histogram["gt_boxes"]), (vec![0, 6, 19], &json!(2), &json!(4)));
        let sizes = table(&workspace, "ap_by_size.json");
        assert_eq!(
            (&sizes[1]["name"], &sizes[1]["gt_boxes"], &sizes[3]["mAP"]),
            (&json!("small"), &json!(4), &Value::Null)
        );
    }

    #[test]
    fn all_artifacts_are_recorded() {
        let outcome = score(&workspace());
        let names: Vec<&str> = outcome.artifacts.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "pr_curves.json",
                "pr_curves.svg",
                "ap_per_class.svg",
                "ap_by_size.json",
                "ap_by_size.svg",
                "iou_histogram.json",
                "iou_histogram.svg",
                "confusion_matrix.json",
                "confusion_matrix.svg",
                "errors.json",
                "errors.svg",
                "matches.csv",
            ]
        );
    }
}
