//! Gates of `score`: borders, baselines, the file for build servers, and which exit code wins.

use std::fs;

use autoscorer_tests::{Finished, Sandbox};
use roxmltree::Document;
use serde_json::json;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    sandbox
}

fn score(sandbox: &Sandbox, flags: &[&str]) -> Finished {
    sandbox.run(&[&["score", "ws"], flags].concat())
}

/// A copy of the workspace's result, from before.
fn keep(sandbox: &Sandbox, name: &str, workspace: &str) {
    let result = fs::read(sandbox.path().join(workspace).join("output/result.json")).unwrap();
    sandbox.write(name, result);
}

#[test]
fn a_gate_that_holds_says_nothing_and_one_that_fails_says_why_in_one_line() {
    let sandbox = sandbox();
    let kept = score(&sandbox, &["--gate", "f1_macro>=0.6", "--gate", "score < 0.7", "--gate", "total_samples==3"]);
    assert_eq!((kept.code, kept.stderr.as_str()), (0, ""));
    let failed = score(&sandbox, &["--gate", "f1_macro>=0.8"]);
    assert_eq!(
        (failed.code, failed.stderr.as_str()),
        (1, "gate failed: ws: f1_macro is 0.6666666666666666, expected >= 0.8\n")
    );
    assert!(failed.stdout.contains("f1_macro"), "the score is shown all the same");
    for gate in ["accuracy>0.9", "accuracy<=0.1", "accuracy<0.1", "accuracy==1", "score>=0.7"] {
        assert_eq!(score(&sandbox, &["--gate", gate]).code, 1, "{gate}");
    }
    let two = score(&sandbox, &["--gate", "f1_macro>=0.8", "--gate", "accuracy>0.9", "--json"]);
    assert_eq!((two.code, two.stderr.lines().count()), (1, 1), "{}", two.stderr);
    assert!(two.stderr.contains("(and 1 more)"));
    let data = &two.json()["data"];
    assert_eq!(data["gates"][0], json!({"gate": "f1_macro>=0.8", "value": 0.6666666666666666, "passed": false}));
    assert_eq!(data["metrics"]["f1_macro"], 0.6666666666666666);
}

#[test]
fn a_gate_that_cannot_be_looked_at_is_an_error() {
    let sandbox = sandbox();
    let slip = score(&sandbox, &["--gate", "f1_marco>=0.1"]);
    assert_eq!(slip.code, 2, "{}", slip.stderr);
    assert!(slip.stderr.contains("did you mean 'f1_macro'?"), "{}", slip.stderr);
    let json = score(&sandbox, &["--gate", "bleu>=0.1", "--json"]);
    assert_eq!((json.code, json.json()["status"].as_str()), (2, Some("error")));
    assert!(json.json()["error"]["details"]["hint"].as_str().unwrap().contains("its metrics are f1_macro"));
    for wrong in ["f1_macro", "f1_macro=0.8", ">=0.8", "f1_macro>=high", "f1_macro>=nan"] {
        assert_eq!(score(&sandbox, &["--gate", wrong]).code, 2, "{wrong}");
    }
    assert_eq!(sandbox.run(&["score", "-", "--gate", "f1_macro>=0.8"]).code, 2);
}

#[test]
fn a_failed_score_keeps_its_exit_code() {
    let sandbox = sandbox();
    sandbox.workspace("broken", "classification_f1");
    sandbox.write("broken/output/pred.csv", "id,label\n1,cat\n");
    let both = sandbox.run(&["score", "ws", "broken", "--gate", "f1_macro>=0.8", "--junit", "junit.xml"]);
    assert_eq!(both.code, 3, "{}", both.stderr);
    assert_eq!(both.stderr.matches("gate failed: ").count(), 1, "{}", both.stderr);
    let text = fs::read_to_string(sandbox.path().join("junit.xml")).unwrap();
    let document = Document::parse(&text).unwrap();
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).unwrap();
    assert_eq!(["tests", "failures", "errors"].map(|key| suite.attribute(key).unwrap()), ["2", "1", "1"]);
    let cases: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    let trouble = |at: usize| cases[at].first_element_child().unwrap();
    assert_eq!((cases[0].attribute("name"), cases[0].attribute("classname")), (Some("ws"), Some("classification_f1")));
    assert!(trouble(0).has_tag_name("failure") && trouble(0).attribute("message").unwrap().contains("expected >= 0.8"));
    assert!(trouble(1).has_tag_name("error") && trouble(1).attribute("type") == Some("MISMATCH"));
}

#[test]
fn a_junit_file_is_valid_whatever_a_workspace_is_called() {
    let sandbox = Sandbox::new();
    let name = "<script>\"'&\u{202e}\u{7}";
    sandbox.workspace(name, "classification_f1");
    let finished = sandbox.run(&["score", name, "--gate", "score>=0.1", "--junit", "junit.xml"]);
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let text = fs::read_to_string(sandbox.path().join("junit.xml")).unwrap();
    let document = Document::parse(&text).unwrap();
    let case = document.descendants().find(|node| node.has_tag_name("testcase")).unwrap();
    assert_eq!(case.attribute("name"), Some("<script>\"'&\u{fffd}\u{fffd}"));
    assert!(!text.contains("<failure") && !text.contains("<error"));

    let result = sandbox.path().join(name).join("output/result.json");
    fs::remove_file(&result).unwrap();
    fs::create_dir(sandbox.path().join("folder")).unwrap();
    for file in ["no/such/folder/junit.xml", "folder"] {
        let nowhere = sandbox.run(&["score", name, "--junit", file]);
        assert_eq!(nowhere.code, 3);
        assert!(nowhere.stderr.contains("cannot be written"), "{}", nowhere.stderr);
        let json = sandbox.run(&["score", name, "--junit", file, "--json"]);
        assert_eq!((json.code, json.json()["status"].as_str()), (3, Some("error")));
        assert!(!result.exists(), "it is said before anything is scored");
    }
    // The folder goes away while the workspace is scored.
    let artifacts = format!("{name}/output/artifacts");
    assert_eq!(sandbox.run(&["score", name]).code, 0);
    let gone = sandbox.run(&["score", name, "--no-artifacts", "--junit", &format!("{artifacts}/junit.xml"), "--json"]);
    assert_eq!((gone.code, gone.json()["error"]["code"].as_str()), (3, Some("MISSING_FILE")), "{}", gone.stdout);
}

#[test]
fn a_score_that_got_worse_fails_where_that_is_wanted() {
    let sandbox = sandbox();
    assert_eq!(score(&sandbox, &[]).code, 0);
    keep(&sandbox, "before.json", "ws");
    let against = |flags: &[&str]| score(&sandbox, &[&["--baseline", "before.json"], flags].concat());
    let same = against(&["--fail-on-regression"]);
    assert_eq!((same.code, same.stderr.as_str()), (0, ""));
    assert!(
        same.stdout.ends_with("baseline: ws: f1_macro is 0.666667, the baseline 0.666667 (0)\n"),
        "{}",
        same.stdout
    );

    sandbox.write("ws/output/pred.csv", "id,label\n1,cat\n2,cat\n3,dog\n");
    let worse = against(&["--fail-on-regression"]);
    assert_eq!(
        (worse.code, worse.stderr.as_str()),
        (1, "gate failed: ws: f1_macro is 0.250000, the baseline 0.666667 (-0.416667)\n")
    );
    assert_eq!(against(&[]).code, 0, "without the flag it is only told");
    assert_eq!(against(&["--fail-on-regression", "--tolerance", "0.5"]).code, 0);
    assert_eq!(against(&["--fail-on-regression", "--tolerance", "0.4"]).code, 1);
    sandbox.write("ws/output/pred.csv", "id,label\n1,cat\n2,dog\n3,cat\n");
    assert_eq!(against(&["--fail-on-regression"]).code, 0);

    // The workspace's own result is a baseline too: it is read before it is replaced.
    let own = |sandbox: &Sandbox| score(sandbox, &["--baseline", "ws", "--fail-on-regression"]);
    assert_eq!(own(&sandbox).code, 0);
    sandbox.write("ws/output/pred.csv", "id,label\n1,cat\n2,dog\n3,dog\n");
    assert_eq!((own(&sandbox).code, own(&sandbox).code), (1, 0));
}

#[test]
fn less_is_better_where_the_scorer_says_so() {
    let sandbox = Sandbox::new();
    sandbox.write("ws/meta.json", r#"{"scorer": "regression_rmse"}"#);
    sandbox.write("ws/input/gt.csv", "id,value\n1,1\n2,2\n");
    let predict = |second: &str| sandbox.write("ws/output/pred.csv", format!("id,value\n1,1\n2,{second}\n"));
    predict("2.5");
    assert_eq!(score(&sandbox, &[]).code, 0);
    keep(&sandbox, "before.json", "ws");
    for (second, code) in [("2.4", 0), ("2.6", 1), ("2.5", 0)] {
        predict(second);
        assert_eq!(score(&sandbox, &["--baseline", "before.json", "--fail-on-regression"]).code, code, "{second}");
    }
}

#[test]
fn baselines_of_many_are_paired_by_name_and_bad_ones_are_refused() {
    let sandbox = Sandbox::new();
    for name in ["runs/x", "runs/y", "runs/new"] {
        sandbox.workspace(name, "classification_f1");
    }
    assert_eq!(sandbox.run(&["score", "runs/x", "runs/y"]).code, 0);
    keep(&sandbox, "before/x.json", "runs/x");
    keep(&sandbox, "before/y.json", "runs/y");
    sandbox.write("runs/y/output/pred.csv", "id,label\n1,dog\n2,dog\n3,dog\n");
    let all = ["score", "runs/x", "runs/y", "runs/new", "--fail-on-regression", "--baseline"];
    let finished = sandbox.run(&[&all[..], &["before"]].concat());
    assert_eq!(finished.code, 1, "{}", finished.stderr);
    assert!(finished.stderr.contains("gate failed: runs/y: f1_macro"), "{}", finished.stderr);
    assert!(finished.stderr.contains("warning runs/new: the baseline has no score for it"), "{}", finished.stderr);
    assert_eq!(sandbox.run(&[&all[..], &["before/x.json"]].concat()).code, 2, "one result for three workspaces");

    sandbox.write("runs/x/input/gt.csv", "id,label\n1,cat\n2,dog\n3,dog\n");
    let other = sandbox.run(&["score", "runs/x", "--baseline", "before/x.json", "--fail-on-regression"]);
    assert!(other.stderr.contains("the ground truth differs: input/gt.csv"), "{}", other.stderr);
    let metric =
        sandbox.run(&["score", "runs/x", "-p", "average=micro", "--baseline", "before/x.json", "--fail-on-regression"]);
    assert_eq!(metric.code, 2, "that is no regression");
    assert!(metric.stderr.contains("the score is f1_micro, that of the baseline f1_macro"), "{}", metric.stderr);
    assert!(metric.stderr.contains("name a baseline that the same scorer made"), "{}", metric.stderr);

    sandbox.write("runs/x/output/pred.csv", "id,label\n");
    assert_eq!(sandbox.run(&["score", "runs/x"]).code, 3);
    keep(&sandbox, "failed.json", "runs/x");
    for (baseline, text) in [("failed.json", "is a failure and no score"), ("nowhere.json", "does not exist")] {
        let refused = sandbox.run(&["score", "runs/y", "--baseline", baseline]);
        assert_eq!(refused.code, 3, "{}", refused.stderr);
        assert!(refused.stderr.contains(text), "{}", refused.stderr);
    }
    assert_eq!(sandbox.run(&["score", "runs/y", "--fail-on-regression"]).code, 2);
}

#[test]
fn a_metric_that_some_workspaces_lack_is_one_mistake() {
    let sandbox = sandbox();
    for name in ["a", "b"] {
        sandbox.workspace(name, "classification_accuracy");
    }
    let lacking = sandbox.run(&["score", "a", "ws", "b", "--gate", "f1_macro>=0.6"]);
    assert_eq!(lacking.code, 2, "{}", lacking.stderr);
    let told = "the gate f1_macro>=0.6 is on a metric that 2 of 3 workspaces do not have, such as a";
    assert!(lacking.stderr.contains(told) && lacking.stderr.contains("'score' is the name"), "{}", lacking.stderr);
    let list = score(&sandbox, &["--gate", "f1_macro>=0.5,accuracy>=0.9"]);
    let help = "repeat --gate for each: --gate 'f1_macro>=0.5' --gate 'accuracy>=0.9'";
    assert!(list.code == 2 && list.stderr.contains(help), "{}", list.stderr);
}

#[test]
fn an_operator_the_wrong_way_round_is_no_part_of_the_metric() {
    let sandbox = sandbox();
    let slip = score(&sandbox, &["--gate", "f1_macro=>0.9"]);
    assert_eq!(slip.code, 2);
    assert!(slip.stderr.contains("expected one of >= > <= < ==, found \"=>\""), "{}", slip.stderr);
    let help = sandbox.run(&["score", "--help"]).stdout;
    assert!(help.contains("--gate <GATE>") && help.contains("'f1_macro>=0.8'"), "{help}");
}
