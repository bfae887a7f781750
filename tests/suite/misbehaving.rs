//! A misbehaving library, dropped over a live good one, is refused or contained, and the good one keeps scoring.

use std::fs;
use std::process::Stdio;

use autoscorer_tests::{Live, Sandbox, eventually, versioned};
use insta::assert_snapshot;
use serde_json::Value;

/// Drops a library over the live good one, waits for the refusal, and shows that the good one still scores.
fn refusal_of(library: &str) -> String {
    let sandbox = Sandbox::new();
    let file = sandbox.drop_bytes(&versioned(1), "good.so");
    let workspace = sandbox.workspace("ws", "good");
    let settings = sandbox.write("host.toml", "memory = '96Mi'\nprobe-timeout = 2\n");
    let mut live = Live::start(&sandbox, &["--config", settings.to_str().unwrap()]);
    live.assert_good(&workspace, 1);
    sandbox.drop_library(library, "good.so");
    let refused = live.event("refused", &file);
    live.assert_good(&workspace, 1);
    assert_eq!(live.finish(), 0);
    sandbox.anonymous(&text(&refused))
}

/// A refusal as its author reads it.
pub fn text(refused: &Value) -> String {
    let field = |name: &str| refused[name].as_str().unwrap().to_owned();
    format!(
        "{} at {}\nfound:    {}\nexpected: {}\nhelp:     {}",
        field("file"),
        field("step"),
        field("found"),
        field("expected"),
        field("help")
    )
}

#[test]
fn panic_in_describe() {
    assert_snapshot!(refusal_of("misbehaving_panic_describe"));
}

#[test]
fn wrong_api() {
    assert_snapshot!(refusal_of("misbehaving_wrong_api"));
}

#[test]
fn no_metadata() {
    assert_snapshot!(refusal_of("misbehaving_no_metadata"));
}

#[test]
fn constructor_that_aborts() {
    assert_snapshot!(refusal_of("misbehaving_ctor_abort"));
}

#[test]
fn constructor_that_segfaults() {
    assert_snapshot!(refusal_of("misbehaving_ctor_segfault"));
}

#[test]
fn constructor_that_never_returns() {
    assert_snapshot!(refusal_of("misbehaving_ctor_hang"));
}

#[test]
fn constructor_that_allocates_without_end() {
    assert_snapshot!(refusal_of("misbehaving_ctor_allocate"));
}

#[test]
fn describe_that_never_returns() {
    assert_snapshot!(refusal_of("misbehaving_describe_hang"));
}

#[test]
fn missing_dependency() {
    assert_snapshot!(refusal_of("misbehaving_missing_dependency"));
}

#[test]
fn two_faced() {
    assert_snapshot!(refusal_of("misbehaving_two_faced"));
}

#[test]
fn panics_in_score_and_validate_are_contained() {
    let sandbox = Sandbox::new();
    let good = sandbox.drop_bytes(&versioned(1), "good.so");
    let other = sandbox.drop_library("misbehaving_panic_score", "panic.so");
    let workspace = sandbox.workspace("ws", "good");
    let text = sandbox.workspace("with text", "panic_score");
    let odd = sandbox.workspace("without text", "panic_score");
    sandbox.write("without text/meta.json", r#"{"scorer": "panic_score", "params": {"with_text": false}}"#);
    let mut live = Live::start(&sandbox, &[]);
    assert!(good.exists() && other.exists());
    for _ in 0..3 {
        let error = live.score(&text)["error"].clone();
        assert_eq!(error["code"], "SCORER_PANIC");
        assert_eq!(error["message"], "the scorer panicked in score: cannot score with text");
        let location = error["details"]["location"].as_str().unwrap();
        assert!(location.starts_with("tests/misbehaving/panic_score/src/lib.rs:"), "{location}");
        let error = live.score(&odd)["error"].clone();
        assert_eq!(error["message"], "the scorer panicked in score: a payload that is no text");
        live.assert_good(&workspace, 1);
    }
    assert_eq!(live.finish(), 4);

    let validated = sandbox.run(&["validate", "with text"]);
    assert_eq!(validated.code, 4);
    assert_snapshot!(sandbox.anonymous(&validated.stderr));
}

#[test]
fn no_probe_outlives_its_host() {
    // A store of its own makes the probe's command line this test's.
    let sandbox = Sandbox::with_own_store();
    sandbox.drop_library("misbehaving_ctor_hang", "hang.so");
    let probes = || {
        let processes = fs::read_dir("/proc").unwrap().flatten();
        let commands = processes.filter_map(|process| fs::read_to_string(process.path().join("cmdline")).ok());
        commands.filter(|line| line.contains("__worker") && line.contains(sandbox.path().to_str().unwrap())).count()
    };
    let mut command = sandbox.command(&["score", "-", "--probe-timeout", "1"]);
    let mut host = command.stdin(Stdio::piped()).spawn().unwrap();
    eventually("a probe runs", || (probes() > 0).then_some(()));
    host.kill().unwrap();
    host.wait().unwrap();
    eventually("the probe ends by itself", || (probes() == 0).then_some(()));
}
