//! `compare`: metrics with their direction, flips, intervals, and loud words where results do not belong together.

use std::fs;
use std::path::Path;

use autoscorer_tests::{Finished, Sandbox, built};
use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::review::{block, references};

/// A scored workspace of so many rows, of which these are wrong.
fn classified(sandbox: &Sandbox, name: &str, rows: usize, wrong: &[usize]) {
    let label = |row: usize| ["cat", "dog", "fox"][row % 3];
    let lines = |label: &dyn Fn(usize) -> &'static str| -> String {
        (0..rows).map(|row| format!("{row},{}\n", label(row))).collect()
    };
    let guess = |row: usize| if wrong.contains(&row) { label(row + 1) } else { label(row) };
    sandbox.write(&format!("{name}/meta.json"), r#"{"scorer": "classification_f1"}"#);
    sandbox.write(&format!("{name}/input/gt.csv"), format!("id,label\n{}", lines(&label)));
    sandbox.write(&format!("{name}/output/pred.csv"), format!("id,label\n{}", lines(&guess)));
    score(sandbox, name, &[]);
}

fn score(sandbox: &Sandbox, name: &str, flags: &[&str]) {
    let scored = sandbox.run(&[&["score", name], flags].concat());
    assert_eq!(scored.code, 0, "{}", scored.stderr);
}

fn compared(sandbox: &Sandbox, a: &str, b: &str) -> Value {
    let finished = sandbox.run(&["compare", a, b, "--json"]);
    assert_eq!(finished.code, 0, "{}{}", finished.stdout, finished.stderr);
    finished.json()["data"].clone()
}

fn codes(pair: &Value) -> Vec<&str> {
    pair["cautions"].as_array().unwrap().iter().map(|caution| caution["code"].as_str().unwrap()).collect()
}

fn metric<'v>(pair: &'v Value, name: &str) -> &'v Value {
    pair["metrics"].as_array().unwrap().iter().find(|metric| metric["name"] == name).unwrap()
}

#[test]
fn two_classifications_of_the_same_rows() {
    let sandbox = Sandbox::new();
    classified(&sandbox, "old", 90, &[1, 2, 3, 4, 5, 6, 7, 8]);
    classified(&sandbox, "new", 90, &[1, 2, 40]);
    let shown = sandbox.run(&["compare", "old", "new/output/result.json"]);
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    assert_snapshot!(shown.stdout);

    let data = compared(&sandbox, "old", "new");
    let pair = &data["pairs"][0];
    assert_eq!(codes(pair), Vec::<&str>::new());
    let flips = &pair["items"]["flips"];
    assert_eq!((&flips["fixed"], &flips["broken"]), (&json!(["3", "4", "5", "6", "7", "8"]), &json!(["40"])));
    assert_eq!((&flips["item"], &flips["items"]), (&json!("row"), &json!(90)));
    let accuracy = metric(pair, "accuracy");
    assert!((accuracy["difference"].as_f64().unwrap() - 5.0 / 90.0).abs() < 1e-12);
    assert_eq!((&accuracy["direction"], &accuracy["verdict"]), (&json!("higher"), &json!("better")));
    // What nobody knows the direction of is not judged.
    assert_eq!(
        (&metric(pair, "num_labels")["direction"], &metric(pair, "support_cat")["direction"]),
        (&Value::Null, &Value::Null)
    );

    let intervals = pair["items"]["intervals"].as_array().unwrap();
    let names: Vec<&str> = intervals.iter().map(|interval| interval["metric"].as_str().unwrap()).collect();
    assert_eq!(names, ["accuracy", "f1_macro", "f1_micro", "f1_weighted"]);
    for interval in intervals {
        let number = |key: &str| interval[key].as_f64().unwrap();
        assert!(number("low") <= number("difference") && number("difference") <= number("high"), "{interval}");
        assert_eq!((&interval["resamples"], &interval["items"]), (&json!(2000), &json!(90)));
    }
    assert_eq!(compared(&sandbox, "old", "new"), data, "the same results give the same comparison");
    let turned = compared(&sandbox, "new", "old");
    assert_eq!(turned["pairs"][0]["items"]["flips"]["fixed"], json!(["40"]));
    assert_eq!(metric(&turned["pairs"][0], "accuracy")["verdict"], "worse");
}

#[test]
fn what_does_not_belong_together_is_said_loudly_and_not_compared_item_by_item() {
    let sandbox = Sandbox::new();
    for name in ["a", "params", "truth", "accuracy", "capped", "none"] {
        classified(&sandbox, name, 30, &[1, 2, 3]);
    }
    score(&sandbox, "params", &["-p", "average=micro"]);
    let truth = sandbox.path().join("truth/input/gt.csv");
    fs::write(&truth, fs::read_to_string(&truth).unwrap().replace("0,cat\n", "0,dog\n")).unwrap();
    score(&sandbox, "truth", &[]);
    score(&sandbox, "accuracy", &["--scorer", "classification_accuracy"]);
    score(&sandbox, "capped", &["-p", "max_rows=2"]);
    score(&sandbox, "none", &["--no-artifacts"]);
    let cases: [(&str, &[&str], &str); 5] = [
        ("params", &["DIFFERENT_PARAMS", "DIFFERENT_PRIMARY_METRIC"], ""),
        ("truth", &["DIFFERENT_GROUND_TRUTH"], "different ground truth"),
        ("accuracy", &["DIFFERENT_SCORER", "DIFFERENT_PRIMARY_METRIC"], "different scorers"),
        ("capped", &["DIFFERENT_PARAMS"], "2 of 3 wrong rows of capped are listed; score with -p max_rows=3"),
        ("none", &[], "the result lists no error_cases.csv"),
    ];
    for (name, expected, note) in cases {
        let pair = &compared(&sandbox, "a", name)["pairs"][0];
        assert_eq!(codes(pair), expected, "{name}");
        assert_eq!(pair["items"]["flips"].is_null(), !note.is_empty(), "{name}: {pair:#}");
        assert!(pair["items"]["notes"].to_string().contains(note), "{name}: {}", pair["items"]["notes"]);
        let shown = sandbox.run(&["compare", "a", name]);
        assert_eq!(shown.stderr.matches("warning").count(), expected.len(), "{}", shown.stderr);
    }
}

#[test]
fn artifacts_are_believed_only_as_they_were_written() {
    let sandbox = Sandbox::new();
    classified(&sandbox, "a", 30, &[1, 2, 3]);
    classified(&sandbox, "b", 30, &[1, 2]);
    let file = sandbox.path().join("b/output/artifacts/error_cases.csv");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\n1,", "\n9,")).unwrap();
    let note = |sandbox: &Sandbox| compared(sandbox, "a", "b")["pairs"][0]["items"]["notes"].to_string();
    assert!(note(&sandbox).contains("is not the file that the result was written with"), "{}", note(&sandbox));
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", &file).unwrap();
    assert!(note(&sandbox).contains("lies outside of the workspace"), "{}", note(&sandbox));
    let result = sandbox.path().join("b/output/result.json");
    let text = fs::read_to_string(&result).unwrap();
    fs::write(&result, text.replace("output/artifacts/error_cases.csv", "../a/output/artifacts/error_cases.csv"))
        .unwrap();
    assert!(note(&sandbox).contains("lies outside of the workspace"), "{}", note(&sandbox));
}

#[test]
fn folders_are_paired_by_name() {
    let sandbox = Sandbox::new();
    for (name, wrong) in [("old/x", 3), ("new/x", 2), ("old/y", 1), ("new/z", 1), ("old/failed", 1), ("new/failed", 1)]
    {
        classified(&sandbox, name, 30, &(0..wrong).collect::<Vec<_>>());
    }
    sandbox.write("new/failed/output/pred.csv", "id,label\n");
    assert_eq!(sandbox.run(&["score", "new/failed"]).code, 3);
    sandbox.write("old/notes.json", "{}");
    sandbox.write("old/readme.txt", "");
    let data = compared(&sandbox, "old", "new");
    let names: Vec<_> = data["pairs"].as_array().unwrap().iter().map(|pair| pair["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["failed", "x"]);
    assert_eq!((&data["only_a"], &data["only_b"]), (&json!(["y"]), &json!(["z"])));
    assert_eq!(codes(&data["pairs"][0]), ["NO_SCORE"]);
    let shown = sandbox.run(&["compare", "old", "new"]);
    assert_snapshot!(format!("{}---\n{}", shown.stdout, shown.stderr));

    // Results that were copied away from their workspaces are paired as well, without their items.
    for (folder, wrong) in [("kept_a", "old"), ("kept_b", "new")] {
        let text = fs::read(sandbox.path().join(wrong).join("x/output/result.json")).unwrap();
        sandbox.write(&format!("{folder}/x.json"), text);
    }
    let kept = compared(&sandbox, "kept_a", "kept_b");
    assert_eq!(metric(&kept["pairs"][0], "f1_macro")["verdict"], "better");
    assert!(kept["pairs"][0]["items"]["notes"].to_string().contains("is not beside the result"));
}

fn reviewed(sandbox: &Sandbox, name: &str, comments: &str) {
    sandbox.write("references.json", references().to_string());
    sandbox.write(&format!("reviews_{name}/comments_cart_1.txt"), comments);
    let comments = format!("reviews_{name}");
    let finished = sandbox.run(&["review", "--comments", &comments, "--references", "references.json", "-o", name]);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
}

#[test]
fn two_reviews_of_the_same_references() {
    let sandbox = Sandbox::new();
    reviewed(&sandbox, "bot1", &block("a.go", 10, 10, "Index out of range is possible here"));
    reviewed(&sandbox, "bot2", &block("a.go", 12, 12, "Allocates the buffer again in every row"));
    let pair = &compared(&sandbox, "bot1", "bot2")["pairs"][0];
    let flips = &pair["items"]["flips"];
    let url = "https://github.com/shop/cart/pull/1";
    assert_eq!(
        (&flips["fixed"], &flips["broken"]),
        (&json!([format!("{url} ref-1")]), &json!([format!("{url} ref-0")]))
    );
    assert_eq!((&flips["item"], &flips["items"]), (&json!("reference"), &json!(3)));
    let metrics: Vec<_> =
        pair["items"]["intervals"].as_array().unwrap().iter().map(|one| one["metric"].clone()).collect();
    assert_eq!(metrics, ["f1", "precision", "recall", "line_f1", "line_precision", "line_recall"]);
    assert_eq!(metric(pair, "f1")["verdict"], "same");
    assert!(pair["items"]["notes"].to_string().contains("only 2 items"));
}

#[test]
fn what_is_no_result_is_named() {
    let sandbox = Sandbox::new();
    classified(&sandbox, "a", 3, &[1]);
    sandbox.write("empty/readme.txt", "");
    sandbox.write("cut.json", r#"{"summary": {"#);
    sandbox.write("other.json", r#"{"summary": {}}"#);
    sandbox.write("unscored/meta.json", r#"{"scorer": "classification_f1"}"#);
    sandbox.write("runs/unscored/meta.json", r#"{"scorer": "classification_f1"}"#);
    let wrong = |b: &str| -> Finished { sandbox.run(&["compare", "a", b]) };
    for (b, code, text) in [
        ("nowhere", 3, "nowhere does not exist"),
        ("empty", 3, "holds no result and no workspace"),
        ("cut.json", 3, "is no result"),
        ("other.json", 3, "is no result"),
        ("/dev/zero", 3, "no regular file"),
        ("unscored", 3, "score the workspace first: autoscorer score unscored"),
        ("runs", 2, "is a folder of results"),
    ] {
        let finished = wrong(b);
        assert_eq!((finished.code, finished.stdout.as_str()), (code, ""), "{b}: {}", finished.stderr);
        assert!(finished.stderr.contains(text), "{b}: {}", finished.stderr);
    }
    let both = sandbox.run(&["compare", "runs", "runs", "--json"]);
    assert_eq!((both.code, both.json()["data"]["pairs"][0]["error"]["code"].as_str()), (3, Some("MISSING_FILE")));
}

#[test]
fn a_hostile_name_does_not_reach_the_terminal() {
    let sandbox = Sandbox::new();
    classified(&sandbox, "a", 3, &[1]);
    let path = sandbox.path().join("a/output/result.json");
    let mut result: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    result["metrics"]["\u{1b}[2Jgone"] = json!(1.0);
    result["versioning"]["version"] = json!("\u{1b}[31m9");
    write(&path, &result);
    classified(&sandbox, "b", 3, &[1]);
    let shown = sandbox.run(&["compare", "a", "b"]);
    assert!(!shown.stdout.contains('\u{1b}') && shown.stdout.contains("gone"), "{}", shown.stdout);
    assert!(!shown.stderr.contains('\u{1b}') && shown.stderr.contains("version differs"), "{}", shown.stderr);
}

fn write(path: &Path, value: &Value) {
    fs::write(path, value.to_string()).unwrap();
}

#[test]
fn the_commands_of_the_document_run() {
    let sandbox = Sandbox::new();
    let copied =
        std::process::Command::new("cp").arg("-r").arg(built().root.join("examples")).arg(sandbox.path()).status();
    assert!(copied.unwrap().success());
    let document = fs::read_to_string(built().root.join("docs/comparing.md")).unwrap();
    let blocks: Vec<&str> = document.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 3);
    // The shell finds the program under its name, with the sandbox's settings.
    let flags = sandbox.command(&[]);
    let flags: Vec<String> = flags.get_args().map(|flag| format!("'{}'", flag.to_str().unwrap())).collect();
    let function = format!("autoscorer() {{ '{}' \"$@\" {}; }}", built().host().display(), flags.join(" "));
    let script = format!("set -e\n{function}\n{}", blocks.concat());
    let output = std::process::Command::new("bash").arg("-c").arg(script).current_dir(sandbox.path()).output().unwrap();
    let finished = Finished::from(output);
    assert_eq!(finished.code, 0, "{}{}", finished.stdout, finished.stderr);
    for file in ["junit.xml", "report.html", "all.html"] {
        assert!(sandbox.path().join(file).exists(), "{file}");
    }
}
