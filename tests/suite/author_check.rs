//! `scorers check`: every check passes for a library that behaves, and fails for one that does not.

use autoscorer_tests::{Finished, Sandbox, built};
use serde_json::Value;

/// Checks one scorer of a library.
fn check(library: &str, scorer: &str) -> Finished {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", scorer);
    let library = built().library(library);
    sandbox.run(&["scorers", "check", library.to_str().unwrap(), "--workspace", "ws", "--timeout", "5", "--json"])
}

/// The names of the checks that ended like this.
fn ended(finished: &Finished, status: &str) -> Vec<String> {
    let document = finished.json();
    let checks = document["data"]["checks"].as_array().unwrap().iter();
    checks.filter(|check| check["status"] == status).map(|check| check["check"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_library_that_behaves_passes_every_check() {
    let finished = check("fixture_good", "good");
    assert_eq!(finished.code, 0, "{}", finished.stdout);
    assert_eq!(
        ended(&finished, "pass"),
        [
            "metadata",
            "opens",
            "params",
            "validate empty",
            "validate huge",
            "validate unicode",
            "validate malformed",
            "errors, no panics",
            "score",
            "determinism",
            "cancel",
            "memory",
            "artifacts"
        ]
    );
}

/// The check that fails, with what it found and what helps.
fn failure(library: &str, scorer: &str, name: &str) -> String {
    let finished = check(library, scorer);
    assert_eq!(finished.code, 4, "{scorer}: {}", finished.stdout);
    let document = finished.json();
    let mut checks = document["data"]["checks"].as_array().unwrap().iter();
    let failed = checks.find(|check| check["check"] == name && check["status"] == "fail");
    let failed = failed.unwrap_or_else(|| panic!("{scorer} passes {name}: {document:#}"));
    let text = |key: &str| failed[key].as_str().unwrap_or_default().to_owned();
    format!("{} / {}", text("found"), text("help"))
}

#[test]
fn what_is_not_the_same_twice_is_found() {
    let failed = failure("misbehaving_careless", "careless_clock", "determinism");
    assert!(failed.contains("in one run and") && failed.contains("HashMap"), "{failed}");
}

#[test]
fn memory_that_is_never_freed_is_found() {
    let failed = failure("misbehaving_careless", "careless_leak", "memory");
    assert!(failed.contains("KiB a call") && failed.contains("1000 calls"), "{failed}");
}

#[test]
fn a_panic_on_a_spoilt_workspace_is_found_with_its_place() {
    let failed = failure("misbehaving_careless", "careless_index", "errors, no panics");
    assert!(failed.contains("empty files: SCORER_PANIC") && failed.contains("careless/src/lib.rs:"), "{failed}");
    let failed = failure("misbehaving_careless", "careless_index", "validate empty");
    assert!(failed.contains("return a ScoreError instead of unwrap"), "{failed}");
}

#[test]
fn a_file_that_is_no_artifact_is_found() {
    let failed = failure("misbehaving_careless", "careless_litter", "artifacts");
    assert!(failed.contains("output/notes.txt was written") && failed.contains("ctx.artifact()"), "{failed}");
}

#[test]
fn a_scorer_that_does_not_hear_is_found() {
    let failed = failure("misbehaving_careless", "careless_deaf", "cancel");
    assert!(failed.contains("had to be killed") && failed.contains("ctx.check()"), "{failed}");
}

#[test]
fn odd_descriptions_are_found() {
    let failed = failure("misbehaving_careless", "careless_any", "params");
    assert!(failed.contains("an unknown parameter was accepted"), "{failed}");
    let failed = failure("misbehaving_careless", "careless_silent", "metadata");
    assert!(failed.contains("careless_silent has no summary"), "{failed}");
}

#[test]
fn what_kills_a_process_kills_not_the_check() {
    let failed = failure("misbehaving_sinner", "sin_segfault", "errors, no panics");
    assert!(failed.contains("SIGSEGV"), "{failed}");
    for (library, name) in [("misbehaving_ctor_abort", "opens"), ("misbehaving_no_metadata", "metadata")] {
        let finished = check(library, "any");
        assert_eq!((finished.code, ended(&finished, "fail")), (4, vec![name.to_owned()]), "{library}");
    }
}

#[test]
fn the_list_is_readable() {
    let sandbox = Sandbox::new();
    let library = built().library("misbehaving_no_metadata");
    let finished = sandbox.run(&["scorers", "check", library.to_str().unwrap()]);
    assert_eq!(finished.code, 4);
    assert!(
        finished.stdout.contains("FAIL") && finished.stdout.ends_with("1 of 1 checks failed\n"),
        "{}",
        finished.stdout
    );
    assert!(finished.stderr.starts_with("metadata: call export_scorers!"), "{}", finished.stderr);
    let missing = sandbox.run(&["scorers", "check", "no.so", "--json"]).json();
    assert_eq!((&missing["status"], &missing["data"]["failed"]), (&Value::from("error"), &Value::from(1)));
}
