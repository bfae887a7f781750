//! The breaker: a generation that keeps failing is taken out, the good one before it comes back, and a new file lifts it.

use autoscorer_tests::{Live, Sandbox, versioned};
use serde_json::{Value, json};

/// A host whose good library, of version 2, aborts for as long as the returned file exists. Version 1 was good.
fn with_a_failing_version(sandbox: &Sandbox) -> (Live, std::path::PathBuf, std::path::PathBuf) {
    let file = sandbox.drop_bytes(&versioned(1), "good.so");
    let sick = sandbox.path().join("sick");
    let workspace = sandbox.workspace("ws", "good");
    sandbox.write("ws/meta.json", json!({"scorer": "good", "params": {"abort_if": sick}}).to_string());
    let mut live = Live::start(sandbox, &["--breaker", "3", "--jobs", "1"]);
    live.assert_good(&workspace, 1);
    sandbox.drop_bytes(&versioned(2), "good.so");
    live.live(&file, 2);
    sandbox.write("sick", "");
    (live, file, workspace)
}

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or("none")
}

#[test]
fn repeated_crashes_bring_the_earlier_generation_back() {
    let sandbox = Sandbox::new();
    let (mut live, file, workspace) = with_a_failing_version(&sandbox);
    for _ in 0..2 {
        assert_eq!(code(&live.score(&workspace)), "SCORER_CRASHED");
    }
    // A success in between begins the count anew.
    std::fs::remove_file(sandbox.path().join("sick")).unwrap();
    live.assert_good(&workspace, 2);
    sandbox.write("sick", "");
    for _ in 0..3 {
        assert_eq!(code(&live.score(&workspace)), "SCORER_CRASHED");
    }
    let is_quarantined = |line: &Value| line["event"] == "quarantined";
    if !live.seen.iter().any(is_quarantined) {
        live.wait("it is quarantined", is_quarantined);
    }
    let event = live.seen.iter().find(|line| is_quarantined(line)).unwrap().clone();
    assert_eq!((&event["scorers"][0], &event["restored"][0]), (&json!("good@7.7.0002"), &json!("good@7.7.0001")));
    assert!(
        event["reason"].as_str().unwrap().contains("SCORER_CRASHED: the scorer was killed by SIGABRT"),
        "{event:#}"
    );
    std::fs::remove_file(sandbox.path().join("sick")).unwrap();
    live.assert_good(&workspace, 1);

    // The same file again is still the same library.
    sandbox.drop_bytes(&versioned(2), "good.so");
    let refused = live.event("refused", &file);
    assert_eq!(refused["step"], "publish");
    live.assert_good(&workspace, 1);
    // A new build is live as ever.
    sandbox.drop_bytes(&versioned(3), "good.so");
    live.live(&file, 3);
    live.assert_good(&workspace, 3);
    assert_eq!(live.finish(), 4);
}

#[test]
fn repeated_timeouts_count_as_well() {
    let sandbox = Sandbox::new();
    let file = sandbox.drop_library("misbehaving_sinner", "sinner.so");
    let workspace = sandbox.workspace("ws", "sin_spin");
    let settings = sandbox.write("host.toml", "timeout = 0.2\nbreaker = 2\n");
    let mut live = Live::start(&sandbox, &["--config", settings.to_str().unwrap(), "--jobs", "1"]);
    live.event("live", &file);
    for _ in 0..2 {
        assert_eq!(code(&live.score(&workspace)), "TIMEOUT_ERROR");
    }
    assert_eq!(code(&live.score(&workspace)), "LOAD_ERROR");
}

#[test]
fn a_command_lifts_the_quarantine() {
    let sandbox = Sandbox::new();
    let (mut live, file, workspace) = with_a_failing_version(&sandbox);
    for _ in 0..3 {
        assert_eq!(code(&live.score(&workspace)), "SCORER_CRASHED");
    }
    std::fs::remove_file(sandbox.path().join("sick")).unwrap();
    live.assert_good(&workspace, 1);
    live.submit(r#"{"lift": "good"}"#);
    live.live(&file, 2);
    live.assert_good(&workspace, 2);
    live.submit(r#"{"lift": "good"}"#);
    live.wait("nothing to lift", |line| line["error"]["message"] == "no library with scorer 'good' was taken out");
}

#[test]
fn a_quarantined_library_without_an_earlier_one_is_explained() {
    let sandbox = Sandbox::new();
    let file = sandbox.drop_library("misbehaving_sinner", "sinner.so");
    let workspace = sandbox.workspace("ws", "sin_abort");
    let mut live = Live::start(&sandbox, &["--breaker", "2", "--jobs", "1"]);
    live.event("live", &file);
    for _ in 0..2 {
        assert_eq!(code(&live.score(&workspace)), "SCORER_CRASHED");
    }
    let answer = live.score(&workspace);
    assert_eq!(code(&answer), "LOAD_ERROR", "{answer:#}");
    insta::assert_snapshot!(sandbox.anonymous(&answer["error"]["details"].to_string()));
}
