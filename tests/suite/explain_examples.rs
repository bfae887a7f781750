//! The examples of `explain` are what the program prints: every code is provoked, and its message held against the example.

use std::fs;
use std::process::{Command, Stdio};

use autoscorer_tests::{Finished, Sandbox, built, compiled, eventually};

/// Rows of digits are told apart by nothing but that they are digits; and where it happened has a line of its own, which an
/// example does not need.
fn shape(printed: &str) -> String {
    let lines =
        printed.lines().filter(|line| !["workspace ", "also "].iter().any(|word| line.trim_start().starts_with(word)));
    let mut shape = String::new();
    let printed = lines.collect::<Vec<_>>().join("\n").replace("tests/misbehaving/careless/", "");
    for c in printed.chars() {
        match c {
            '0'..='9' if shape.ends_with('#') => {}
            '0'..='9' => shape.push('#'),
            _ => shape.push(c),
        }
    }
    shape
}

/// Holds what a command printed against the example of a code.
fn assert_example(code: &str, finished: &Finished) {
    let sandbox = Sandbox::new();
    let explained = sandbox.run(&["explain", code, "--json"]).json();
    let (example, exit) = (explained["data"]["example"].as_str().unwrap(), explained["data"]["exit"].as_i64().unwrap());
    let printed = finished.stderr.find("error[").map_or("", |at| &finished.stderr[at..]);
    assert_eq!(shape(printed), shape(example), "{code}: {}", finished.stderr);
    assert_eq!(i64::from(finished.code), exit, "{code}");
}

#[test]
fn every_code_is_provoked() {
    let codes = Sandbox::new().run(&["explain", "--json"]).json()["data"]["codes"].clone();
    for code in codes.as_array().unwrap() {
        let code = code["code"].as_str().unwrap();
        assert!(include_str!("explain_examples.rs").contains(&format!("assert_example(\"{code}\"")), "{code}");
    }
}

#[test]
fn faults_of_a_workspace_look_as_told() {
    let sandbox = Sandbox::new();
    assert_example("WORKSPACE_NOT_FOUND", &sandbox.run(&["score", "runs/17"]));
    sandbox.workspace("ws", "classification_f1");
    assert_example("INVALID_PARAMS", &sandbox.run(&["score", "ws", "-p", "pass_treshold=0.5"]));
    assert_example("SCORER_NOT_FOUND", &sandbox.run(&["score", "ws", "--scorer", "clasification_f1"]));
    sandbox.write("ws/output/pred.csv", "id,label\n1,cat\n2,dog\n3,cat\n4,dog\n");
    assert_example("MISMATCH", &sandbox.run(&["score", "ws"]));
    sandbox.write("ws/output/pred.csv", "id,prediction\n1,cat\n");
    assert_example("BAD_FORMAT", &sandbox.run(&["score", "ws"]));
    fs::remove_file(sandbox.path().join("ws/output/pred.csv")).unwrap();
    assert_example("MISSING_FILE", &sandbox.run(&["score", "ws"]));
    sandbox.write("ws/meta.json", "{\n  \"scorer\":\n");
    assert_example("PARSE_ERROR", &sandbox.run(&["score", "ws"]));
}

#[test]
fn numbers_that_are_none_look_as_told() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "regression_rmse");
    sandbox.write("ws/input/gt.csv", "id,value\n1,1.5\n2,3.8\n");
    sandbox.write("ws/output/pred.csv", "id,value\n1,1.5\n2,\"3,8\"\n");
    assert_example("TYPE_ERROR", &sandbox.run(&["score", "ws"]));
    sandbox.write("ws/output/pred.csv", "id,value\n1,1e200\n2,3.8\n");
    assert_example("SCORE_ERROR", &sandbox.run(&["score", "ws"]));
}

#[test]
fn failures_of_a_library_look_as_told() {
    let sandbox = Sandbox::new();
    sandbox.write("custom_scorers/mine.so", "hello\n");
    assert_example("LOAD_ERROR", &sandbox.run(&["scorers", "inspect", "custom_scorers/mine.so"]));
    sandbox.drop_library("misbehaving_sinner", "sinner.so");
    let sin = |scorer: &str, flags: &[&str]| {
        sandbox.workspace("ws", scorer);
        sandbox.run(&[&["score", "ws"], flags].concat())
    };
    assert_example("TIMEOUT_ERROR", &sin("sin_sleep", &["--timeout", "1"]));
    assert_example("MEMORY_LIMIT", &sin("sin_allocate", &["--memory", "256Mi"]));
    assert_example("SCORER_CRASHED", &sin("sin_segfault", &[]));
    sandbox.drop_library("misbehaving_careless", "careless.so");
    sandbox.workspace("ws", "careless_index");
    sandbox.write("ws/input/gt.csv", "id,label\n");
    assert_example("SCORER_PANIC", &sandbox.run(&["score", "ws"]));
}

#[test]
fn a_job_that_is_stopped_looks_as_told() {
    let sandbox = Sandbox::new();
    let marker = sandbox.path().join("ws/output/waiting");
    sandbox.drop_library("fixture_good", "good.so");
    sandbox.workspace("ws", "good");
    let announce = format!("announce={}", marker.display());
    let mut command = sandbox.command(&["score", "ws", "-p", &announce, "-p", "wait_for=/nowhere"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the scorer waits", || marker.exists().then_some(()));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_example("CANCELLED", &Finished::from(child.wait_with_output().unwrap()));
}

#[test]
fn a_judge_that_does_not_answer_looks_as_told() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["demo", "demo"]).code, 0);
    let arguments =
        ["review", "--comments", "demo/review/careful", "--references", "demo/review/references.json", "-o", "out"];
    let mut command = sandbox.command(&[&arguments[..], &["--matcher", "llm", "-p", "retries=0"]].concat());
    command.env("LLM_MODEL_URL", "http://127.0.0.1:9/v1").env("LLM_MODEL", "m").env("LLM_API_KEY", "k");
    assert_example("JUDGE_ERROR", &Finished::from(command.output().unwrap()));
}

/// A code that this version does not know is the one that can be provoked.
#[test]
fn a_code_from_the_future_looks_as_told() {
    let sandbox = Sandbox::new();
    let source = fs::read_to_string(built().root.join("custom_scorers/c/accuracy.c")).unwrap();
    let source = sandbox.write("newer.c", source.replace("\"BAD_FORMAT\"", "\"FROM_THE_FUTURE\""));
    sandbox.drop_bytes(&compiled(source.to_str().unwrap(), &[]), "newer.so");
    sandbox.workspace("ws", "c_accuracy");
    sandbox.write("ws/input/gt.csv", "");
    assert_example("UNHANDLED_ERROR", &sandbox.run(&["score", "ws"]));
}
