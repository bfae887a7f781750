//! Wrong data: every fault has its code, its file and its line, and never becomes a score.

use autoscorer_tests::Sandbox;
use insta::assert_snapshot;

const GT: &str = "id,label\n1,cat\n2,dog\n3,cat\n";

/// The error of scoring with these files; what is absent is not written.
fn error(gt: Option<&[u8]>, pred: Option<&[u8]>) -> (i32, String) {
    let sandbox = Sandbox::new();
    sandbox.write("ws/meta.json", r#"{"scorer": "classification_f1"}"#);
    for (name, content) in [("ws/input/gt.csv", gt), ("ws/output/pred.csv", pred)] {
        if let Some(content) = content {
            sandbox.write(name, content);
        }
    }
    let scored = sandbox.run(&["score", "ws", "--json"]);
    let document = scored.json();
    assert_eq!(document["status"], "error");
    assert_eq!(document["data"]["summary"], serde_json::json!({}));
    assert_eq!(document["data"]["metrics"], serde_json::json!({}));
    let error = &document["error"];
    let place = |name: &str| error["details"][name].to_string();
    let (code, message) = (error["code"].as_str().unwrap(), error["message"].as_str().unwrap());
    (scored.code, format!("{code} {message} [{}:{}]", place("file"), place("line")))
}

#[test]
fn every_fault_has_its_code_and_place() {
    let gt = Some(GT.as_bytes());
    let cases: Vec<(&str, (i32, String))> = vec![
        ("no gt", error(None, Some(GT.as_bytes()))),
        ("no pred", error(gt, None)),
        ("empty file", error(gt, Some(b""))),
        ("only a header", error(gt, Some(b"id,label\n"))),
        ("no header", error(gt, Some(b"1,cat\n2,dog\n3,cat\n"))),
        ("other column", error(gt, Some(b"id,class\n1,cat\n2,dog\n3,cat\n"))),
        ("empty id", error(gt, Some(b"id,label\n1,cat\n,dog\n3,cat\n"))),
        ("empty label", error(gt, Some(b"id,label\n1,cat\n2,\n3,cat\n"))),
        ("blank label", error(gt, Some(b"id,label\n1,cat\n2,dog\n3,   \n"))),
        ("id twice", error(gt, Some(b"id,label\n1,cat\n2,dog\n2,cat\n"))),
        (
            "a duplicate hides a missing id",
            error(Some(b"id,label\na,x\na,x\nb,y\n"), Some(b"id,label\na,x\nb,y\nc,y\n")),
        ),
        ("missing and extra", error(gt, Some(b"id,label\n1,cat\n2,dog\n4,cat\n"))),
        ("fewer rows", error(gt, Some(b"id,label\n1,cat\n"))),
        ("short row", error(gt, Some(b"id,label\n1,cat\n2\n3,cat\n"))),
        ("comma without quotes", error(gt, Some(b"id,label\n1,cat, big\n2,dog\n3,cat\n"))),
        ("open quote", error(gt, Some(b"id,label\n1,cat\n2,\"dog\n3,cat\n"))),
        ("not UTF-8", error(gt, Some(b"id,label\n1,caf\xe9\n2,dog\n3,cat\n"))),
        ("UTF-16", error(gt, Some(b"\xff\xfei\x00d\x00"))),
    ];
    let text: Vec<String> = cases
        .into_iter()
        .map(|(name, (code, error))| {
            assert_eq!(code, 3, "{name}");
            format!("{name}: {error}")
        })
        .collect();
    assert_snapshot!(text.join("\n"));
}

#[test]
fn validate_lists_all_faults_of_all_workspaces() {
    let sandbox = Sandbox::new();
    sandbox.workspace("fine", "classification_f1");
    sandbox.workspace("wrong", "classification_f1");
    sandbox.write("wrong/input/gt.csv", "id,label\n1,cat\n1,dog\n,bird\n");
    sandbox.write("wrong/output/pred.csv", "id,label\n1,\n2,a,b\n");
    let validated = sandbox.run(&["validate", "fine", "wrong", "nowhere"]);
    assert_eq!(validated.code, 3);
    assert_snapshot!(format!("{}\n{}", validated.stdout, validated.stderr));
    assert!(!sandbox.path().join("wrong/output/result.json").exists(), "validate writes nothing");
}

#[test]
fn a_hundred_faults_are_listed_and_the_rest_counted() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    let rows: String = (0..500).map(|n| format!("{n},\n")).collect();
    sandbox.write("ws/output/pred.csv", format!("id,label\n{rows}"));
    let result = sandbox.run(&["validate", "ws", "--json"]).json()["data"]["results"][0].clone();
    assert_eq!((result["fault_count"].as_u64(), result["faults"].as_array().unwrap().len()), (Some(500), 100));
    assert_eq!(result["faults"][99]["details"]["line"], 101);
}

#[test]
fn a_fifo_in_place_of_a_file_blocks_nobody() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    let pred = sandbox.path().join("ws/output/pred.csv");
    std::fs::remove_file(&pred).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&pred).status().unwrap().success());
    assert_eq!(sandbox.run(&["score", "ws", "--json"]).json()["error"]["code"], "BAD_FORMAT");
}

#[test]
fn wrong_params_name_the_key_and_the_known_ones() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    let scored = sandbox.run(&["score", "ws", "-p", "pass_treshold=0.9", "-p", "average=median"]);
    assert_eq!(scored.code, 3);
    assert_snapshot!(scored.stderr);
}
