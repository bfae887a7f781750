//! `scorers check`: every check passes for a library that behaves, and fails for one that does not.

use autoscorer_tests::{Finished, Sandbox, built, compiled};
use serde_json::Value;

/// Checks one scorer of a library.
fn check(library: &str, scorer: &str) -> Finished {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", scorer);
    let library = built().library(library);
    // Those that do not hear take a second for each call.
    let timeout = if scorer.ends_with("deaf") { "2" } else { "5" };
    sandbox.run(&["scorers", "check", library.to_str().unwrap(), "--workspace", "ws", "--timeout", timeout, "--json"])
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
    let document = finished.json();
    let mut checks = document["data"]["checks"].as_array().unwrap().iter();
    let cancel = checks.find(|check| check["check"] == "cancel").unwrap()["found"].as_str().unwrap();
    let latency = cancel.strip_prefix("stops in time: ").and_then(|rest| rest.split_once(" ms after it is asked"));
    assert!(latency.is_some_and(|(latency, _)| latency.parse::<u64>().is_ok_and(|ms| ms < 1000)), "{cancel}");
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

/// What the check of a careless scorer finds has these words.
fn assert_found(scorer: &str, name: &str, words: &[&str]) {
    let failed = failure("misbehaving_careless", &format!("careless_{scorer}"), name);
    for word in words {
        assert!(failed.contains(word), "{scorer}: {failed}");
    }
}

#[test]
fn what_is_not_the_same_twice_is_found() {
    assert_found("clock", "determinism", &["in one run and", "HashMap"]);
    assert_found("process", "determinism", &["deed is ", "in one run and"]);
}

#[test]
fn memory_that_is_never_freed_is_found() {
    assert_found("leak", "memory", &["KiB a call", "1000 calls", "statics that grow"]);
}

#[test]
fn a_panic_on_a_spoilt_workspace_is_found_with_its_place() {
    for (scorer, kind, how) in [
        ("index", "empty", "empty files"),
        ("large", "huge", "very large files"),
        ("ascii", "unicode", "text of all scripts"),
        ("trusting", "malformed", "bytes that are no text"),
    ] {
        let finished = check("misbehaving_careless", &format!("careless_{scorer}"));
        let document = finished.json();
        let found = document["data"]["checks"].as_array().unwrap().iter();
        let wanted = [format!("validate {kind}"), "errors, no panics".to_owned()];
        for check in found.filter(|check| wanted.iter().any(|name| check["check"] == **name)) {
            let text = check["found"].as_str().unwrap();
            assert!(text.starts_with(&format!("{how}: SCORER_PANIC")), "{scorer}: {text}");
            assert!(text.contains("careless/src/lib.rs:"), "{scorer}: {text}");
            assert!(check["help"].as_str().unwrap().contains("instead of unwrap"), "{check}");
        }
    }
}

#[test]
fn a_workspace_without_a_score_is_found() {
    assert_found("unable", "score", &["SCORE_ERROR: nothing is good enough", "try something else"]);
    let skipped = ended(&check("misbehaving_careless", "careless_unable"), "skip");
    assert_eq!(skipped, ["determinism", "cancel", "artifacts"]);
}

#[test]
fn what_is_left_behind_and_no_artifact_is_found() {
    assert_found("litter", "artifacts", &["output/notes.txt was written", "ctx.artifact()"]);
    assert_found("vandal", "artifacts", &["output/pred.csv was written or changed"]);
    assert_found("boast", "artifacts", &["the artifact real.txt is not there, or has another size"]);
}

#[test]
fn a_scorer_that_does_not_hear_is_found() {
    assert_found("deaf", "cancel", &["it had to be killed: asked after ", "150 ms later", "ctx.check()"]);
    // It does so in the beginning, and would pass if it were asked then only.
    assert_found("half_deaf", "cancel", &["it had to be killed: asked after "]);
}

#[test]
fn what_cannot_be_tried_is_skipped_and_no_pass() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "careless_steady");
    let library = built().library("misbehaving_careless");
    let checked = |flags: &[&str]| {
        let arguments = ["scorers", "check", library.to_str().unwrap(), "--workspace", "ws", "--timeout", "1"];
        sandbox.run(&[&arguments[..], flags].concat())
    };
    let finished = checked(&["--json"]);
    assert_eq!(
        (finished.code, ended(&finished, "skip").join(" ")),
        (0, "cancel memory".to_owned()),
        "{}",
        finished.stdout
    );
    let document = finished.json();
    assert_eq!((&document["data"]["skipped"], &document["data"]["failed"]), (&Value::from(2), &Value::from(0)));
    let shown = checked(&[]).stdout;
    for words in [
        "no call is long enough to be stopped: with files of ",
        "too few to tell; --timeout",
        "11 checks passed, 2 could not be made\n",
    ] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn an_answer_against_the_rules_is_no_error_of_the_workspace() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&compiled("tests/misbehaving_c/table.c", &["-DSIN_SCORE_SILENT"]), "silent.so");
    let checked = sandbox.run(&["scorers", "check", "custom/silent.so", "--json"]);
    assert_eq!(
        (checked.code, ended(&checked, "fail").join(", ")),
        // Its schema has no properties either.
        (4, "params, errors, no panics, score, memory, artifacts".to_owned()),
        "{}",
        checked.stdout
    );
    let found = "no files: SCORE_ERROR: the scorer's score returned without an answer";
    assert!(checked.stdout.contains(found), "{}", checked.stdout);
    assert!(checked.stdout.contains("docs/other_languages.md says what an entry answers"), "{}", checked.stdout);
}

#[test]
fn authors_are_advised_in_their_own_language() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&compiled("tests/misbehaving_c/sinner.c", &[]), "sinner.so");
    let advice = |sin: &str| {
        sandbox.workspace("ws", "c_sinner");
        sandbox.write("ws/meta.json", format!(r#"{{"scorer": "c_sinner", "params": {{"sin": "{sin}"}}}}"#));
        let arguments = ["scorers", "check", "custom/sinner.so", "--workspace", "ws", "--timeout", "0.3"];
        let checked = sandbox.run(&arguments);
        assert_eq!(checked.code, 4, "{sin}: {}", checked.stdout);
        assert!(!checked.stderr.contains("author") && !checked.stderr.contains("meta.json"), "{}", checked.stderr);
        checked.stderr.lines().find_map(|line| line.strip_prefix("score: ").map(str::to_owned)).unwrap_or_default()
    };
    assert!(advice("hang").contains("ask host->cancelled(call) in long ones"));
    assert!(advice("segfault").contains("look for pointers and sizes that are wrong"));
}

#[test]
fn odd_descriptions_are_found() {
    assert_found("any", "params", &["an unknown parameter was accepted", "INVALID_PARAMS"]);
    assert_found("refuses", "params", &["INVALID_PARAMS: not depth", "have to be accepted"]);
    assert_found("mute", "params", &["'depth' has no description"]);
    assert_found("open", "params", &["'depth' has no default"]);
    assert_found("vague", "params", &["'depth' has no type"]);
    assert_found("bare", "params", &["a schema without properties", "NoParams"]);
    let failed = failure("misbehaving_silent", "silent", "metadata");
    assert!(failed.contains("silent has no summary / fill in summary in ABOUT"), "{failed}");
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
}

#[test]
fn a_file_that_is_not_there_is_met_with_one_that_is() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(b"text", "libmy_scorer.so");
    let missing = sandbox.run(&["scorers", "check", "custom/libmy-scorer.so", "--json"]).json();
    let check = &missing["data"]["checks"][0];
    assert_eq!((&missing["status"], &missing["data"]["failed"]), (&Value::from("error"), &Value::from(1)));
    assert_eq!(
        (&check["check"], &check["found"]),
        (&Value::from("metadata"), &Value::from("nothing: the file does not exist"))
    );
    for (file, help) in [
        ("custom/libmy-scorer.so", "did you mean custom/libmy_scorer.so?"),
        ("custom/other.so", "build the library, or put it there (again)"),
        ("other.so", "build the library, or put it there (again)"),
        ("target/release/libmy_scorer.so", "there is no folder target/release: build the library first"),
    ] {
        let inspected = sandbox.run(&["scorers", "inspect", file]);
        assert_eq!(inspected.code, 4);
        assert!(inspected.stderr.contains("does not exist") && inspected.stderr.contains(help), "{}", inspected.stderr);
        let checked = sandbox.run(&["scorers", "check", file]);
        assert!(checked.code == 4 && checked.stderr.contains(help), "{}", checked.stderr);
    }
}

/// What a command prints on a terminal; `script` is that of util-linux.
fn on_a_terminal(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let command = sandbox.command(arguments);
    let words = std::iter::once(command.get_program()).chain(command.get_args()).map(|word| word.to_str().unwrap());
    let line = words.map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").current_dir(sandbox.path());
    String::from_utf8(script.output().unwrap().stdout).unwrap()
}

#[test]
fn a_bar_tells_how_far_it_is_to_those_who_look() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "careless_steady");
    let library = built().library("misbehaving_careless");
    let arguments = ["scorers", "check", library.to_str().unwrap(), "--workspace", "ws", "--timeout", "0.5"];
    let shown = on_a_terminal(&sandbox, &arguments);
    assert!(shown.contains("/13 checks, ") && shown.contains(" of 1000 calls"), "{shown}");
    let silent = sandbox.run(&arguments);
    assert!(!silent.stderr.contains("checks") && !silent.stdout.contains("/13"), "{}", silent.stderr);
}
