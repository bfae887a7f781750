//! `detection_map` from outside: its numbers, its faults with their places, its hints and what it leaves behind.

use std::fs;
use std::path::Path;

use autoscorer_tests::{Finished, Sandbox};
use insta::assert_snapshot;
use serde_json::{Value, json};

const GT: &str = r#"[{"image_id": 1, "category_id": 1, "bbox": [1, 1, 5, 5]}]"#;
const PRED: &str = r#"[{"image_id": 1, "category_id": 1, "bbox": [1, 1, 5, 5], "score": 0.5}]"#;

/// Scores these files; what is absent is not written.
fn score(gt: Option<&[u8]>, pred: Option<&[u8]>, arguments: &[&str]) -> (Sandbox, Finished) {
    let sandbox = Sandbox::new();
    sandbox.write("ws/meta.json", r#"{"scorer": "detection_map"}"#);
    for (name, content) in [("ws/input/gt.json", gt), ("ws/output/pred.json", pred)] {
        if let Some(content) = content {
            sandbox.write(name, content);
        }
    }
    sandbox.write("ws/output/.keep", "");
    let finished = sandbox.run(&[&["score", "ws", "--json"], arguments].concat());
    (sandbox, finished)
}

fn error(gt: Option<&[u8]>, pred: Option<&[u8]>) -> String {
    let (_sandbox, scored) = score(gt, pred, &[]);
    assert_eq!(scored.code, 3, "{}", scored.stdout);
    let document = scored.json();
    assert_eq!((&document["data"]["summary"], &document["data"]["metrics"]), (&json!({}), &json!({})));
    let error = &document["error"];
    let (code, message, details) =
        (error["code"].as_str().unwrap(), error["message"].as_str().unwrap(), &error["details"]);
    let hint = details["hint"].as_str().map(|hint| format!("; {hint}")).unwrap_or_default();
    format!(
        "{code} {message} [{}:{}] found {} expected {}{hint}",
        details["file"], details["line"], details["found"], details["expected"]
    )
}

#[test]
fn every_fault_has_its_code_and_place() {
    let gt = Some(GT.as_bytes());
    let coco = br#"{"images": [{"id": 1}, {"id": 3}], "annotations": [], "categories": []}"#;
    let item = |change: &str| format!("[\n  {},\n  {}\n]", &PRED[1..PRED.len() - 1], change);
    let wrong = |change: &str| error(gt, Some(item(change).as_bytes()));
    let cases: Vec<(&str, String)> = vec![
        ("no gt", error(None, Some(PRED.as_bytes()))),
        ("no pred", error(gt, None)),
        ("empty file", error(gt, Some(b""))),
        ("cut off", error(gt, Some(b"[{\"image_id\": 1,"))),
        ("trailing comma", error(gt, Some(b"[\n{},\n]"))),
        ("trailing text", error(gt, Some(format!("{PRED}\n\n[]").as_bytes()))),
        ("NaN", wrong(r#"{"image_id": 1, "category_id": 1, "bbox": [1, 1, NaN, 5], "score": 0.5}"#)),
        ("single quotes", wrong("{'image_id': 1}")),
        ("not UTF-8", error(gt, Some(b"[{\"image_id\": \"caf\xe9\"}]"))),
        ("UTF-16", error(gt, Some(b"\xff\xfe[\x00]\x00"))),
        ("an object", error(gt, Some(b"{\"image_id\": 1}"))),
        ("a number", error(gt, Some(b"7"))),
        ("gt is a string", error(Some(b"\"boxes\""), Some(PRED.as_bytes()))),
        ("gt has no annotations", error(Some(b"{\"images\": []}"), Some(PRED.as_bytes()))),
        ("annotations are none", error(Some(b"{\"annotations\": {}}"), Some(PRED.as_bytes()))),
        ("items are numbers", error(Some(b"[1, 2]"), Some(PRED.as_bytes()))),
        ("no boxes", error(Some(b"[]"), Some(PRED.as_bytes()))),
        ("three sides", wrong(r#"{"image_id": 1, "category_id": 1, "bbox": [1, 1, 5], "score": 0.5}"#)),
        ("strings for sides", wrong(r#"{"image_id": 1, "category_id": 1, "bbox": ["1", 1, 5, 5], "score": 0.5}"#)),
        ("negative width", wrong(r#"{"image_id": 1, "category_id": 1, "bbox": [1, 1, -5, 5], "score": 0.5}"#)),
        ("too large", wrong(r#"{"image_id": 1, "category_id": 1, "bbox": [1, 1, 1e999, 5], "score": 0.5}"#)),
        ("no score", wrong(r#"{"image_id": 1, "category_id": 1, "bbox": [1, 1, 5, 5]}"#)),
        ("score of 1.5", wrong(r#"{"image_id": 1, "category_id": 1, "bbox": [1, 1, 5, 5], "score": 1.5}"#)),
        ("no category", wrong(r#"{"image_id": 1, "bbox": [1, 1, 5, 5], "score": 0.5}"#)),
        ("category by name", wrong(r#"{"image_id": 1, "category_id": "cat", "bbox": [1, 1, 5, 5], "score": 0.5}"#)),
        ("image 1.5", wrong(r#"{"image_id": 1.5, "category_id": 1, "bbox": [1, 1, 5, 5], "score": 0.5}"#)),
        ("image not listed", error(Some(coco), Some(PRED.replace(": 1, \"cat", ": 77, \"cat").as_bytes()))),
        ("image as a string", error(Some(coco), Some(PRED.replace(": 1, \"cat", ": \"1\", \"cat").as_bytes()))),
        ("image off by one", error(Some(coco), Some(PRED.replace(": 1, \"cat", ": 2, \"cat").as_bytes()))),
    ];
    let text: Vec<String> = cases.into_iter().map(|(name, error)| format!("{name}: {error}")).collect();
    assert_snapshot!(text.join("\n"));
}

#[test]
fn every_item_is_checked_and_a_hundred_faults_are_listed() {
    let sandbox = Sandbox::new();
    sandbox.write("ws/meta.json", r#"{"scorer": "detection_map"}"#);
    sandbox.write("ws/input/gt.json", GT);
    // Long enough to be read in several stretches.
    let item = |n: usize| {
        let score = if n % 100 == 99 { 7 } else { 0 };
        format!(r#"{{"image_id": {n}, "category_id": 1, "bbox": [1.25, 1.5, 5, 5], "score": {score}}}"#)
    };
    let items: Vec<String> = (0..40_000).map(item).collect();
    sandbox.write("ws/output/pred.json", format!("[\n{}\n]", items.join(",\n")));
    let result = sandbox.run(&["validate", "ws", "--json"]).json()["data"]["results"][0].clone();
    assert_eq!((result["fault_count"].as_u64(), result["faults"].as_array().unwrap().len()), (Some(400), 100));
    for (place, fault) in result["faults"].as_array().unwrap().iter().enumerate() {
        let index = place * 100 + 99;
        assert_eq!((&fault["details"]["index"], &fault["details"]["line"]), (&json!(index), &json!(index + 2)));
    }
    assert!(!sandbox.path().join("ws/output/result.json").exists(), "validate writes nothing");
}

#[test]
fn faults_of_both_files_are_told_in_one_go() {
    let sandbox = Sandbox::new();
    sandbox.write("ws/meta.json", r#"{"scorer": "detection_map"}"#);
    sandbox
        .write("ws/input/gt.json", r#"{"images": [{}], "categories": [{"id": "a"}], "annotations": [{"id": 1}, 5]}"#);
    sandbox.write("ws/output/pred.json", "[{\"image_id\": [1]}]");
    let validated = sandbox.run(&["validate", "ws"]);
    assert_eq!(validated.code, 3);
    assert_snapshot!(format!("{}\n{}", validated.stdout, validated.stderr));
}

/// A COCO file with everything that such files have, and the same boxes in a flat one.
fn coco() -> (Value, Value) {
    let gt = json!({
        "info": {"description": "}, {\"id\": 9}, {"},
        "licenses": [],
        "categories": [{"id": 3, "name": "猫", "supercategory": "animal"}, {"id": 1, "name": "dog"}, {"id": 8, "name": "never"}],
        "annotations": [
            {"id": 11, "image_id": 7, "category_id": 3, "bbox": [10, 10, 50, 50], "area": 900.0, "iscrowd": 0,
             "segmentation": [[10, 10.5, 60, 10, 60, 60]]},
            {"id": 12, "image_id": 7, "category_id": 1, "bbox": [100, 10, 100, 100], "area": 9999, "iscrowd": 0, "segmentation": []},
            {"id": 13, "image_id": 5, "category_id": 1, "bbox": [0, 0, 200, 200], "area": 40000, "iscrowd": 1,
             "segmentation": {"counts": [1, 2, 3], "size": [4, 5]}},
        ],
        "images": [{"id": 7, "file_name": "a.jpg"}, {"id": 5, "file_name": "b.jpg"}, {"id": 6}],
    });
    let pred = json!([
        {"image_id": 7, "category_id": 3, "bbox": [10, 10, 50, 50], "score": 0.9},
        {"image_id": 7, "category_id": 1, "bbox": [100, 10, 100, 60], "score": 0.8},
        {"image_id": 5, "category_id": 1, "bbox": [20, 20, 30, 30], "score": 0.7},
        {"image_id": 6, "category_id": 1, "bbox": [20, 20, 30, 30], "score": 0.6},
        {"image_id": 6, "category_id": 99, "bbox": [20, 20, 30, 30], "score": 0.5},
    ]);
    (gt, pred)
}

#[test]
fn a_coco_file() {
    let (gt, pred) = coco();
    let (sandbox, scored) = score(Some(gt.to_string().as_bytes()), Some(pred.to_string().as_bytes()), &[]);
    assert_eq!(scored.code, 0, "{}", scored.stdout);
    let result: Value =
        serde_json::from_slice(&fs::read(sandbox.path().join("ws/output/result.json")).unwrap()).unwrap();
    let shown = json!({
        "summary": result["summary"], "metrics": result["metrics"], "warnings": result["warnings"], "details": result["details"],
        "artifacts": result["artifacts"].as_object().unwrap().keys().collect::<Vec<_>>(),
    });
    assert_snapshot!(serde_json::to_string_pretty(&shown).unwrap());
    // White space and a byte order mark change nothing, nor does a process of its own.
    let spaced = format!("\u{feff}\n {}\n\n", serde_json::to_string_pretty(&gt).unwrap());
    let (_, again) = score(Some(spaced.as_bytes()), Some(pred.to_string().as_bytes()), &["--isolation", "process"]);
    assert_eq!(again.json()["data"]["metrics"], result["metrics"]);
    assert_eq!(again.json()["data"]["versioning"]["isolation"], "process");
}

#[test]
fn artifacts_are_well_formed_and_left_out_when_not_wanted() {
    let (gt, pred) = coco();
    let (gt, pred) = (gt.to_string(), pred.to_string());
    let (sandbox, scored) = score(Some(gt.as_bytes()), Some(pred.as_bytes()), &[]);
    let artifacts = scored.json()["data"]["artifacts"].clone();
    for (name, artifact) in artifacts.as_object().unwrap() {
        let path = sandbox.path().join("ws").join(artifact["path"].as_str().unwrap());
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(artifact["size"], text.len());
        match Path::new(name).extension().unwrap().to_str().unwrap() {
            "json" => drop(serde_json::from_str::<Value>(&text).unwrap()),
            "svg" => assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"), "{name}"),
            _ => assert!(text.starts_with("kind,image_id,category_id"), "{name}"),
        }
    }
    assert!(scored.json()["data"]["artifacts"]["pr_curves.svg"].is_object());
    let (bare, scored) = score(Some(gt.as_bytes()), Some(pred.as_bytes()), &["--no-artifacts"]);
    assert_eq!(scored.json()["data"]["artifacts"], json!({}));
    assert!(!bare.path().join("ws/output/artifacts").exists());
}

#[test]
fn params_of_the_command_line() {
    let (gt, pred) = coco();
    let (gt, pred) = (gt.to_string(), pred.to_string());
    let metrics = |arguments: &[&str]| {
        score(Some(gt.as_bytes()), Some(pred.as_bytes()), &[arguments, &["--no-artifacts"]].concat()).1.json()["data"]
            .clone()
    };
    // The dog is hit with an IoU of .6.
    assert_eq!(metrics(&["-p", "iou_threshold=0.65"])["metrics"]["AP_class_1"], 0.0);
    assert_eq!(metrics(&["-p", "iou_threshold=coco"])["metrics"]["mAP"], metrics(&[])["metrics"]["AP"]);
    assert_eq!(metrics(&["-p", "iou_threshold=[0.5,0.55]"])["details"]["iou_thresholds"], json!([0.5, 0.55]));
    assert_eq!(metrics(&["-p", "score_threshold=0.85"])["metrics"]["AP_class_1"], 0.0);
    assert_eq!(metrics(&["-p", "area_ranges={\"any\":[0,1e9]}"])["metrics"]["mAP_any"], metrics(&[])["metrics"]["mAP"]);
    let wrong =
        score(Some(gt.as_bytes()), Some(pred.as_bytes()), &["-p", "interpolation=voc07", "-p", "max_detection=1"]).1;
    assert_eq!(wrong.code, 3);
    assert_snapshot!(serde_json::to_string_pretty(&wrong.json()["error"]).unwrap());
}

#[test]
fn a_file_that_is_no_file_blocks_nobody() {
    for kind in ["fifo", "folder"] {
        let sandbox = Sandbox::new();
        sandbox.write("ws/meta.json", r#"{"scorer": "detection_map"}"#);
        sandbox.write("ws/input/gt.json", GT);
        let pred = sandbox.path().join("ws/output/pred.json");
        fs::create_dir_all(pred.parent().unwrap()).unwrap();
        match kind {
            "fifo" => assert!(std::process::Command::new("mkfifo").arg(&pred).status().unwrap().success()),
            _ => fs::create_dir(&pred).unwrap(),
        }
        assert_eq!(sandbox.run(&["score", "ws", "--json"]).json()["error"]["code"], "BAD_FORMAT", "{kind}");
    }
}
