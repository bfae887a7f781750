//! Properties of the whole scorer, on random small inputs: it agrees with the plain rules, and what must not matter does not.

use autoscorer_plugin_api::prelude::*;
use autoscorer_plugin_api::testing::Workspace;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::reference::{Dt, Gt, precision_recall, twelve};
use crate::scorer::DetectionMap;

/// Boxes on a coarse grid, so that equal boxes, equal overlaps and sizes on a border happen.
fn any_box() -> impl Strategy<Value = [f64; 4]> {
    let side = prop::sample::select(vec![0.0, 8.0, 16.0, 32.0, 64.0, 96.0, 120.0]);
    ((0..6i32), (0..6i32), side.clone(), side).prop_map(|(x, y, w, h)| [f64::from(x) * 8.0, f64::from(y) * 8.0, w, h])
}

fn any_gt() -> impl Strategy<Value = Gt> {
    (0..4i64, 1..4i64, any_box(), prop::bool::weighted(0.15), prop::bool::weighted(0.3)).prop_map(
        |(image, category, bbox, crowd, masked)| {
            let area = bbox[2] * bbox[3] * if masked { 0.5 } else { 1.0 };
            Gt { image, category, bbox, area, crowd }
        },
    )
}

fn any_dt() -> impl Strategy<Value = Dt> {
    (0..5i64, 1..5i64, any_box(), 0..20u32).prop_map(|(image, category, bbox, score)| Dt {
        image,
        category,
        bbox,
        score: f64::from(score) / 20.0,
    })
}

fn any_data() -> impl Strategy<Value = (Vec<Gt>, Vec<Dt>)> {
    let gts =
        prop::collection::vec(any_gt(), 1..14).prop_filter("something counts", |gts| gts.iter().any(|gt| !gt.crowd));
    (gts, prop::collection::vec(any_dt(), 0..40))
}

fn gt_json(gts: &[Gt]) -> Value {
    let item = |gt: &Gt| json!({"image_id": gt.image, "category_id": gt.category, "bbox": gt.bbox, "area": gt.area, "iscrowd": i32::from(gt.crowd)});
    gts.iter().map(item).collect()
}

fn dt_json(dts: &[Dt]) -> Value {
    let item = |dt: &Dt| json!({"image_id": dt.image, "category_id": dt.category, "bbox": dt.bbox, "score": dt.score});
    dts.iter().map(item).collect()
}

fn score(gt: &Value, pred: &Value, params: Value) -> Outcome {
    let mut workspace =
        Workspace::new().file("input/gt.json", gt.to_string()).file("output/pred.json", pred.to_string());
    for (key, value) in params.as_object().unwrap() {
        workspace = workspace.param(key, value.clone());
    }
    workspace.score(&DetectionMap).unwrap()
}

fn assert_close(found: Option<f64>, expected: Option<f64>, name: &str) -> Result<(), TestCaseError> {
    match (found, expected) {
        (None, None) => Ok(()),
        (Some(found), Some(expected)) if (found - expected).abs() <= 1e-12 => Ok(()),
        _ => Err(TestCaseError::fail(format!("{name}: {found:?} is not {expected:?}"))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_twelve_numbers_are_those_of_the_plain_rules((gts, dts) in any_data()) {
        let outcome = score(&gt_json(&gts), &dt_json(&dts), json!({}));
        for (name, expected) in twelve(&gts, &dts) {
            assert_close(outcome.metrics.get(name).copied(), expected, name)?;
        }
        for category in 1..4 {
            let expected = precision_recall(&gts, &dts, category, 0.5, 0, 100).map(|pair| pair.0);
            assert_close(outcome.metrics.get(&format!("AP_class_{category}")).copied(), expected, "AP of a class")?;
            let row = &outcome.details["per_category"][category.to_string()];
            assert_close(row["AP50"].as_f64(), expected, "AP50 of a class")?;
        }
    }

    #[test]
    fn a_threshold_and_a_limit_of_one_s_own((gts, dts) in any_data(), iou in 1..20u32, limit in 1..6usize) {
        let iou = f64::from(iou) / 20.0;
        let outcome = score(&gt_json(&gts), &dt_json(&dts), json!({"iou_threshold": iou, "max_detections": limit}));
        for category in 1..4 {
            let expected = precision_recall(&gts, &dts, category, iou, 0, limit).map(|pair| pair.0);
            assert_close(outcome.metrics.get(&format!("AP_class_{category}")).copied(), expected, "AP of a class")?;
        }
        for (name, expected) in twelve(&gts, &dts) {
            assert_close(outcome.metrics.get(name).copied(), expected, name)?;
        }
    }

    #[test]
    fn a_score_threshold_leaves_out_what_is_below((gts, dts) in any_data(), least in 0..20u32) {
        let least = f64::from(least) / 20.0;
        let kept: Vec<Dt> = dts.iter().filter(|dt| dt.score >= least).cloned().collect();
        let cut = score(&gt_json(&gts), &dt_json(&dts), json!({"score_threshold": least}));
        for (name, expected) in twelve(&gts, &kept) {
            assert_close(cut.metrics.get(name).copied(), expected, name)?;
        }
        prop_assert_eq!(cut.metrics["total_pred_boxes"], dts.len() as f64);
    }

    /// Where no two scores are equal, predictions may come in any order; true boxes may as long as no two overlaps are equal,
    /// which boxes of random sides see to.
    #[test]
    fn order_changes_nothing(
        gts in prop::collection::vec((0..3i64, 1..4i64, [1.0..50.0f64, 1.0..50.0, 1.0..90.0, 1.0..90.0]), 1..10),
        dts in prop::collection::vec((0..3i64, 1..4i64, [1.0..50.0f64, 1.0..50.0, 1.0..90.0, 1.0..90.0]), 0..30),
        seed in any::<prop::sample::Index>(),
    ) {
        let gts: Vec<Gt> = gts.into_iter()
            .map(|(image, category, bbox)| Gt { image, category, bbox, area: bbox[2] * bbox[3], crowd: false }).collect();
        let count = dts.len() as f64;
        let dts: Vec<Dt> = (1..).zip(dts)
            .map(|(place, (image, category, bbox))| Dt { image, category, bbox, score: f64::from(place) / (count + 1.0) }).collect();
        let first = score(&gt_json(&gts), &dt_json(&dts), json!({}));
        let (mut gts, mut dts) = (gts, dts);
        let shift = seed.index(gts.len());
        gts.rotate_left(shift);
        dts.reverse();
        let other = score(&gt_json(&gts), &dt_json(&dts), json!({}));
        prop_assert_eq!(&first.metrics, &other.metrics);
        // Names of images and numbers of categories do not matter either.
        for gt in &mut gts { gt.image = 7 - gt.image; gt.category = 100 - gt.category; }
        for dt in &mut dts { dt.image = 7 - dt.image; dt.category = 100 - dt.category; }
        let renamed = score(&gt_json(&gts), &dt_json(&dts), json!({}));
        for name in ["mAP", "AP", "AP50", "AP75", "APs", "APm", "APl", "AR1", "AR10", "AR100", "ARs", "ARm", "ARl"] {
            assert_close(renamed.metrics.get(name).copied(), first.metrics.get(name).copied(), name)?;
        }
    }

    #[test]
    fn perfect_predictions_score_one(gts in prop::collection::vec(any_gt(), 1..14)) {
        let gts: Vec<Gt> = gts.into_iter().filter(|gt| !gt.crowd && gt.bbox[2] * gt.bbox[3] > 0.0).collect();
        prop_assume!(!gts.is_empty());
        let dts: Vec<Dt> = gts.iter()
            .map(|gt| Dt { image: gt.image, category: gt.category, bbox: gt.bbox, score: 0.9 }).collect();
        let outcome = score(&gt_json(&gts), &dt_json(&dts), json!({"iou_threshold": "coco"}));
        for name in ["mAP", "AP", "AP50", "AP75", "AR100"] {
            assert_close(outcome.metrics.get(name).copied(), Some(1.0), name)?;
        }
        prop_assert_eq!(outcome.summary.rank.as_deref(), Some("A"));
    }

    /// A flat array and a COCO object with the same boxes are the same.
    #[test]
    fn both_formats_give_the_same((gts, dts) in any_data()) {
        let images: Vec<Value> = (0..5).map(|id| json!({"file_name": "}, {", "id": id})).collect();
        let categories: Vec<Value> = (1..5).map(|id| json!({"id": id, "name": format!("class {id}")})).collect();
        let coco = json!({"info": {}, "images": images, "annotations": gt_json(&gts), "categories": categories});
        let (flat, coco) = (score(&gt_json(&gts), &dt_json(&dts), json!({})), score(&coco, &dt_json(&dts), json!({})));
        for (name, value) in flat.metrics.iter().filter(|(name, _)| *name != "num_images") {
            prop_assert_eq!(coco.metrics.get(name), Some(value), "{}", name);
        }
        prop_assert_eq!(&coco.details["per_category"]["1"]["name"], "class 1");
    }

    /// Mending a mistake never hurts, and the mistakes are about the score that is told.
    #[test]
    fn no_mistake_is_a_gain((gts, dts) in any_data()) {
        let workspace = Workspace::new()
            .file("input/gt.json", gt_json(&gts).to_string())
            .file("output/pred.json", dt_json(&dts).to_string());
        let outcome = workspace.score(&DetectionMap).unwrap();
        let errors = std::fs::read(workspace.path().join("output/artifacts/errors.json")).unwrap();
        let errors: Value = serde_json::from_slice(&errors).unwrap();
        assert_close(errors["mAP"].as_f64(), Some(outcome.summary.score), "mAP")?;
        for (name, error) in errors["errors"].as_object().unwrap() {
            prop_assert!(error["cost"].as_f64().unwrap() >= -1e-12, "{} {}", name, error);
        }
        let mistakes: u64 = errors["errors"].as_object().unwrap().iter()
            .filter(|(name, _)| *name != "missed").map(|(_, error)| error["count"].as_u64().unwrap()).sum();
        prop_assert!(mistakes <= dts.len() as u64);
    }
}
