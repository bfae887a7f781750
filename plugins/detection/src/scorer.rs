//! `detection_map`: mean average precision of boxes, as COCO defines it.

use autoscorer_plugin_api::parallel::Workers;
use autoscorer_plugin_api::prelude::*;

use crate::artifacts::Findings;
use crate::dataset::Dataset;
use crate::evaluation::Evaluation;
use crate::load::Files;
use crate::params::MapParams;
use crate::plan::Plan;
use crate::report;
use crate::scene::Scene;

/// Mean average precision of boxes, equal to pycocotools.
pub(crate) struct DetectionMap;

impl Scorer for DetectionMap {
    const ABOUT: About = About {
        id: "detection_map",
        version: "2.0.0",
        summary: "Mean average precision of boxes, with COCO's twelve numbers",
        algorithm: "Mean Average Precision",
    };
    type Params = MapParams;

    fn validate(&self, ctx: &Context<'_>, params: &MapParams) -> Faults {
        let workers = Workers::all();
        let dataset = Files::read(ctx.workspace(), workers)
            .and_then(|files| Dataset::new(files, params.score_threshold.0, workers));
        dataset.err().unwrap_or_default()
    }

    fn score(&self, ctx: &Context<'_>, params: &MapParams) -> Result<Outcome, ScoreError> {
        let workers = Workers::all();
        let files = Files::read(ctx.workspace(), workers)?;
        ctx.check()?;
        let dataset = Dataset::new(files, params.score_threshold.0, workers)?;
        ctx.check()?;
        let plan = Plan::new(params);
        if !ctx.wants_artifacts() {
            let evaluation = Evaluation::new(&dataset, plan, workers);
            ctx.check()?;
            return report::outcome(&dataset, &evaluation, params);
        }
        let scene = Scene::new(&dataset);
        let (evaluation, audits) = Evaluation::with_audits(&dataset, plan, &scene, params, workers);
        ctx.check()?;
        let mut outcome = report::outcome(&dataset, &evaluation, params)?;
        let findings = Findings::new(&dataset, &evaluation, params, &scene, &audits, workers);
        ctx.check()?;
        findings.write(ctx, &mut outcome)?;
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use autoscorer_plugin_api::testing::{Workspace, assert_metric};
    use serde_json::json;

    const GT: &str = r#"[{"image_id": "img_001", "bbox": [10, 10, 50, 60], "category_id": 1},
        {"image_id": "img_001", "bbox": [80, 20, 40, 50], "category_id": 2}]"#;
    const PRED: &str = r#"[{"image_id": "img_001", "bbox": [12, 8, 48, 65], "category_id": 1, "score": 0.85},
        {"image_id": "img_001", "bbox": [75, 25, 35, 45], "category_id": 2, "score": 0.72}]"#;

    fn workspace(gt: &str, pred: &str) -> Workspace {
        Workspace::new().file("input/gt.json", gt).file("output/pred.json", pred)
    }

    #[test]
    fn the_document_s_sample() {
        // The boxes overlap by 48·60 of 3000 + 3120 - 2880, which is .889, and by 30·45 of 2000 + 1575 - 1350, which is .607.
        let sample = workspace(GT, PRED).score(&DetectionMap).unwrap();
        for (name, value) in [
            ("mAP", 1.0),
            ("AP_class_1", 1.0),
            ("AP_class_2", 1.0),
            ("num_categories", 2.0),
            ("total_gt_boxes", 2.0),
            ("total_pred_boxes", 2.0),
            ("iou_threshold", 0.5),
            ("score_threshold", 0.0),
            ("AP", 0.55),
            ("AP75", 0.5),
        ] {
            assert_metric(&sample, name, value);
        }
        assert_eq!((sample.summary.rank.as_deref(), sample.summary.pass), (Some("A"), Some(true)));
        let coco = workspace(GT, PRED).param("iou_threshold", "coco").score(&DetectionMap).unwrap();
        assert_metric(&coco, "mAP", 0.55);
        assert!(!coco.metrics.contains_key("iou_threshold"), "there are ten");
        assert_eq!(coco.details["iou_thresholds"][8], 0.899_999_999_999_999_9);
    }

    #[test]
    fn grades() {
        let ranked = |scores: serde_json::Value| {
            workspace(GT, PRED).param("rank_thresholds", scores).score(&DetectionMap).unwrap()
        };
        assert_eq!(ranked(json!([1.1, 1.05, 0.9])).summary.rank.as_deref(), Some("C"));
        let half =
            workspace(GT, &PRED.replace(r#""category_id": 2"#, r#""category_id": 1"#)).score(&DetectionMap).unwrap();
        assert_metric(&half, "mAP", 0.5);
        assert_eq!((half.summary.rank.as_deref(), half.summary.pass), (Some("B"), Some(true)));
    }

    #[test]
    fn interpolations() {
        let gt = r#"[{"image_id": 1, "bbox": [0, 0, 9, 9], "category_id": 1}, {"image_id": 2, "bbox": [0, 0, 9, 9], "category_id": 1}]"#;
        // A hit, a miss, a hit: precision 1 up to recall .5, then 2/3.
        let pred = r#"[{"image_id": 1, "bbox": [0, 0, 9, 9], "category_id": 1, "score": 0.9},
            {"image_id": 1, "bbox": [50, 50, 9, 9], "category_id": 1, "score": 0.8},
            {"image_id": 2, "bbox": [0, 0, 9, 9], "category_id": 1, "score": 0.7}]"#;
        for (interpolation, expected) in [
            ("coco", (51.0 + 50.0 * 2.0 / 3.0) / 101.0),
            ("voc11", (6.0 + 5.0 * 2.0 / 3.0) / 11.0),
            ("area", 5.0 / 6.0),
        ] {
            let outcome = workspace(gt, pred).param("interpolation", interpolation).score(&DetectionMap).unwrap();
            assert_metric(&outcome, "mAP", expected);
            assert_metric(&outcome, "AP50", (51.0 + 50.0 * 2.0 / 3.0) / 101.0);
        }
    }

    #[test]
    fn sizes_of_one_s_own() {
        let ranges = json!({"narrow": [0, 2500], "wide": [2500, 10000], "none": [20000, 30000]});
        let outcome = workspace(GT, PRED).param("area_ranges", ranges).score(&DetectionMap).unwrap();
        assert_metric(&outcome, "mAP_narrow", 1.0);
        assert_metric(&outcome, "mAP_wide", 1.0);
        assert!(!outcome.metrics.contains_key("mAP_none") && !outcome.metrics.contains_key("mAP_small"));
    }

    #[test]
    fn what_is_undefined_is_absent_and_said() {
        let outcome = workspace(GT, PRED).score(&DetectionMap).unwrap();
        for name in ["APs", "APl", "ARs", "ARl", "mAP_small", "mAP_large"] {
            assert!(!outcome.metrics.contains_key(name), "{name}");
        }
        assert_eq!(outcome.warnings[0].message, "APs, APl, ARs, ARl are undefined: no true box has such a size");
        let empty = workspace("[]", PRED).score(&DetectionMap).unwrap_err();
        assert_eq!(empty.code, ErrorCode::BadFormat);
        let crowds = workspace(r#"[{"image_id": 1, "bbox": [0, 0, 9, 9], "category_id": 1, "iscrowd": 1}]"#, PRED);
        assert!(crowds.score(&DetectionMap).unwrap_err().message.contains("no box that counts"));
        assert_metric(&workspace(GT, "[]").score(&DetectionMap).unwrap(), "mAP", 0.0);
    }

    #[test]
    fn odd_coco_files_are_warned_of() {
        let gt = r#"{"annotations": [{"id": 0, "image_id": 1, "bbox": [0, 0, 9, 9], "category_id": 1},
            {"id": 5, "image_id": 2, "bbox": [0, 0, 9, 9], "category_id": 1}, {"id": 5, "image_id": 3, "bbox": [0, 0, 9, 9], "category_id": 2}]
            LISTS}"#;
        let pred = r#"[{"image_id": 1, "bbox": [0, 0, 9, 9], "category_id": 1, "score": 0.9}]"#;
        let codes = |lists: &str| -> Vec<String> {
            let outcome = workspace(&gt.replace("LISTS", lists), pred).score(&DetectionMap).unwrap();
            assert!(outcome.metrics["AR1"] > 0.2, "the annotation 0 is matched");
            outcome
                .warnings
                .into_iter()
                .map(|warning| warning.code)
                .filter(|code| code != "UNDEFINED_METRICS")
                .collect()
        };
        let odd = ["ANNOTATION_ID_ZERO", "ANNOTATION_IDS_REPEATED"];
        assert_eq!(codes(""), [&["NO_LIST", "NO_LIST"][..], &odd].concat());
        let lists =
            r#", "images": [{"id": 1}, {"id": 2}], "categories": [{"id": 1, "name": "a"}, {"id": 1, "name": "b"}]"#;
        assert_eq!(codes(lists), [&["UNLISTED_ANNOTATIONS"][..], &odd].concat());
    }

    #[test]
    fn threads_change_nothing() {
        let item = |n: u64, extra: &str| {
            let (x, w) = (n * 7 % 50, 10 + n * 13 % 90);
            format!(
                r#"{{"image_id": {}, "category_id": {}, "bbox": [{x}.5, 3, {w}, 40]{extra}}}"#,
                n * 31 % 17,
                n * 11 % 5
            )
        };
        let gt = (0..100).map(|n| item(n, "")).collect::<Vec<_>>().join(",");
        let pred = (0..900).map(|n| item(n * 3, &format!(r#", "score": 0.{}"#, n % 10))).collect::<Vec<_>>().join(", ");
        let files = workspace(&format!("[{gt}]"), &format!("[{pred}]"));
        let params = MapParams::from_json(Default::default()).unwrap();
        let run = |threads| {
            let workers = Workers::new(threads);
            let files = Files::read(files.path(), workers).unwrap();
            let dataset = Dataset::new(files, 0.0, workers).unwrap();
            Evaluation::new(&dataset, Plan::new(&params), workers).categories
        };
        assert_eq!(run(1), run(2));
        assert_eq!(run(1), run(5));
    }
}
