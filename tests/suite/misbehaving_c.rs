//! Libraries in C that misbehave: refused or contained, with a clear word, as those in Rust are.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use autoscorer_tests::{Finished, Live, Sandbox, compiled, eventually};
use insta::assert_snapshot;
use serde_json::{Value, json};

const TABLE: &str = "tests/misbehaving_c/table.c";

fn sinner() -> &'static [u8] {
    static SINNER: OnceLock<Vec<u8>> = OnceLock::new();
    SINNER.get_or_init(|| compiled("tests/misbehaving_c/sinner.c", &[]))
}

/// Drops one library after the other beside a live good one with the same scorer, and gives the refusals; the good one
/// scores to the end.
fn refusals(sins: &[&str], flags: &[&str]) -> String {
    let sandbox = Sandbox::new();
    let file = sandbox.drop_bytes(&compiled(TABLE, &[]), "good.so");
    let workspace = sandbox.workspace("ws", "c_good");
    let mut live = Live::start(&sandbox, flags);
    live.event("live", &file);
    let mut texts = Vec::new();
    for sin in sins {
        let bad = sandbox.drop_bytes(&compiled(TABLE, &[&format!("-DSIN_{sin}")]), &format!("{sin}.so"));
        let refused = live.event("refused", &bad);
        texts.push(sandbox.anonymous(&crate::misbehaving::text(&refused)));
        let scored = live.score(&workspace);
        assert_eq!(scored["data"]["metrics"]["half"], 0.5, "{sin}: {scored:#}");
        // What hangs is tried again and again.
        fs::remove_file(bad).unwrap();
    }
    assert_eq!(live.finish(), 0);
    texts.join("\n\n")
}

#[test]
fn what_can_be_seen_without_running_it() {
    let sins = ["NO_METADATA", "METADATA_NOT_JSON", "METADATA_INCOMPLETE", "OTHER_API"];
    // The compiler's name is in the metadata, and not as long everywhere.
    insta::with_settings!({filters => vec![(r"column \d+", "column [n]")]}, {
        assert_snapshot!(refusals(&sins, &[]));
    });
}

#[test]
fn tables_that_are_none() {
    let sins = [
        "NO_ENTRY",
        "NULL_TABLE",
        "ODD_TABLE",
        "TABLE_NOWHERE",
        "WRONG_MAGIC",
        "WRONG_VERSION",
        "TOO_SMALL",
        "NO_DESCRIBE",
        "NO_SCORE",
    ];
    assert_snapshot!(refusals(&sins, &[]));
}

#[test]
fn descriptions_that_are_none() {
    let sins = [
        "OTHER_NAME",
        "OTHER_PARAMS",
        "BAD_DEFAULT",
        "DESCRIBE_FAILS",
        "DESCRIBE_RETURNS_7",
        "DESCRIBE_SILENT",
        "DESCRIBE_TWICE",
        "DESCRIBE_NULL",
        "DESCRIBE_NOT_UTF8",
        "DESCRIBE_NOT_JSON",
        "DESCRIBE_HUGE",
    ];
    assert_snapshot!(refusals(&sins, &[]));
}

#[test]
fn crashes_and_hangs_while_it_is_opened() {
    let sins = ["CONSTRUCTOR_CRASHES", "DESCRIBE_CRASHES", "FUNCTION_NOWHERE", "ENTRY_HANGS", "DESCRIBE_HANGS"];
    assert_snapshot!(refusals(&sins, &["--probe-timeout", "1"]));
}

#[test]
fn a_larger_table_of_a_newer_header_loads() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&compiled(TABLE, &["-DLARGER"]), "larger.so");
    sandbox.workspace("ws", "c_good");
    assert_eq!(sandbox.run(&["score", "ws", "--json"]).json()["data"]["metrics"]["half"], 0.5);
    assert_eq!(sandbox.run(&["validate", "ws"]).code, 0);
}

#[test]
fn metadata_that_names_the_other_kind_is_found_out() {
    let library = compiled(TABLE, &[]);
    let (claim, lie) = (br#""abi":"c""#, br#""xbi":"c""#);
    let at = (0..library.len()).find(|at| library[*at..].starts_with(claim)).unwrap();
    let mut bytes = library.clone();
    bytes[at..at + lie.len()].copy_from_slice(lie);
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&bytes, "liar.so");
    sandbox.workspace("ws", "c_good");
    let error = sandbox.run(&["score", "ws", "--json"]).json()["error"].clone();
    assert_eq!(error["details"]["found"], "a library without abi_stable's root module", "{error:#}");
}

#[test]
fn a_c_library_that_is_cut_anywhere() {
    let library = compiled(TABLE, &[]);
    let sandbox = Sandbox::new();
    for n in 0..24 {
        let size = library.len() * n / 24;
        sandbox.drop_bytes(&library[..size], &format!("cut_{size}.so"));
    }
    let listed = sandbox.run(&["scorers", "list", "--json"]);
    let refused = listed.json()["data"]["refused"].as_array().unwrap().clone();
    assert_eq!((listed.code, refused.len()), (0, 24));
    assert!(refused.iter().all(|refusal| refusal["step"] == "check"), "{refused:#?}");
}

/// A live host with the sinner in its folder, and what comes of one sin after the other.
fn sins(sins: &[&str]) -> Vec<Value> {
    let sandbox = Sandbox::new();
    let file = sandbox.drop_bytes(sinner(), "sinner.so");
    let workspace = sandbox.workspace("ws", "c_sinner");
    let mut live = Live::start(&sandbox, &["--breaker", "0"]);
    live.event("live", &file);
    let answers = sins.iter().map(|sin| {
        let meta = json!({"scorer": "c_sinner", "params": {"sin": sin}, "time_limit": 30});
        sandbox.write("ws/meta.json", meta.to_string());
        let answer = live.score(&workspace);
        let result: Value = serde_json::from_slice(&fs::read(workspace.join("output/result.json")).unwrap()).unwrap();
        assert_eq!(result["summary"] == json!({}), answer["status"] != "ok", "a failure is never a score: {answer:#}");
        answer
    });
    let answers: Vec<Value> = answers.collect();
    live.assert_running();
    answers
}

/// Errors as their reader sees them, a line each.
fn told(names: &[&str]) -> String {
    let lines = names.iter().zip(sins(names)).map(|(name, answer)| {
        let error = &answer["error"];
        let mut line = format!("{name}: {} {}", error["code"].as_str().unwrap(), error["message"].as_str().unwrap());
        for member in ["file", "line", "found", "hint", "faults"] {
            if !error["details"][member].is_null() {
                line.push_str(&format!("\n    {member}: {}", error["details"][member]));
            }
        }
        line
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn garbage_that_is_given_to_the_host() {
    assert_snapshot!(told(&[
        "not_utf8",
        "not_json",
        "no_outcome",
        "empty",
        "nan",
        "too_large_a_number",
        "null",
        "huge",
        "twice",
        "never",
        "returns_3",
        "fault_and_success",
        "odd_faults",
    ]));
}

#[test]
fn artifacts_that_are_none() {
    assert_snapshot!(told(&[
        "artifact_outside",
        "artifact_without_name",
        "artifact_not_there",
        "artifact_too_large",
        "artifact_link",
        "artifact_unlisted",
    ]));
}

#[test]
fn an_artifact_that_the_scorer_wrote_itself() {
    let answer = &sins(&["artifact_own"])[0];
    let artifact = &answer["data"]["artifacts"]["own.txt"];
    assert_eq!((&artifact["size"], &artifact["content_type"]), (&json!(4), &json!("application/octet-stream")));
    // The sha256 of "mine".
    assert_eq!(artifact["sha256"], "3fd30542fe3f61b14bd4a4b2dc0b6fb30fa6f63ebce52dd1778aaa8c4dc02cff");
}

#[test]
fn crashes_and_hangs_cost_one_job() {
    let answers = sins(&["segfault", "abort", "exit", "none"]);
    let error = |n: usize| &answers[n]["error"];
    assert_eq!((&error(0)["code"], &error(0)["details"]["signal"]), (&json!("SCORER_CRASHED"), &json!("SIGSEGV")));
    assert_eq!(error(0)["details"]["log"], json!(["about to write to nowhere"]));
    assert_eq!((&error(1)["code"], &error(1)["details"]["signal"]), (&json!("SCORER_CRASHED"), &json!("SIGABRT")));
    assert_eq!(error(2)["message"], "the scorer ended its process with exit code 0");
    assert_eq!(answers[3]["status"], "ok");

    let sandbox = Sandbox::new();
    sandbox.drop_bytes(sinner(), "sinner.so");
    sandbox.workspace("ws", "c_sinner");
    for sin in ["hang", "until_cancelled"] {
        let scored = sandbox.run(&["score", "ws", "--json", "--timeout", "0.3", "-p", &format!("sin={sin}")]);
        assert_eq!(scored.json()["error"]["code"], "TIMEOUT_ERROR", "{sin}");
    }
}

#[test]
fn an_exception_that_leaves_its_entry_is_a_crash() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&compiled("tests/misbehaving_c/throws.cpp", &[]), "throws.so");
    sandbox.workspace("ws", "cpp_throws");
    let error = sandbox.run(&["score", "ws", "--json"]).json()["error"].clone();
    assert_eq!(
        (&error["code"], &error["details"]["signal"]),
        (&json!("SCORER_CRASHED"), &json!("SIGABRT")),
        "{error:#}"
    );
}

#[test]
fn a_cancelled_job_says_so() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(sinner(), "sinner.so");
    let workspace = sandbox.workspace("ws", "c_sinner");
    let mut command = sandbox.command(&["score", "ws", "--json", "-p", "sin=until_cancelled"]);
    let host = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("it has begun", || workspace.join("output/begun").exists().then_some(()));
    assert!(Command::new("kill").args(["-INT", &host.id().to_string()]).status().unwrap().success());
    let ended = Finished::from(host.wait_with_output().unwrap());
    let error = &ended.json()["error"];
    assert_eq!((ended.code, &error["code"]), (130, &json!("CANCELLED")));
    // It stopped by itself, when it was asked to.
    assert_eq!(error["message"], "the job was cancelled");
}

/// The metric of one sin after the other, in one worker.
fn deeds(names: &[&str]) -> Vec<f64> {
    let answers = sins(names);
    answers
        .iter()
        .map(|answer| answer["data"]["metrics"]["deed"].as_f64().unwrap_or_else(|| panic!("{answer:#}")))
        .collect()
}

#[test]
fn functions_that_are_called_after_their_call_do_nothing() {
    // All seven of them, once in the next call, once by a thread that outlived its call.
    assert_eq!(deeds(&["remember", "late", "stray", "stray_end", "none"]), [0.0, 7.0, 0.0, 7.0, 0.0]);
}

#[test]
fn functions_may_be_called_from_another_thread() {
    let answer = &sins(&["thread"])[0];
    assert_eq!(answer["data"]["metrics"]["deed"], 1.0, "{answer:#}");
    assert_eq!(answer["data"]["artifacts"]["threads/one.txt"]["size"], 3);
}

#[test]
fn params_and_time_are_told() {
    // A text of 7 bytes in a buffer for 4; a key that is not there; the limit of the job in milliseconds.
    assert_eq!(deeds(&["param", "no_param", "time_left"]), [73.0, -1.0, 30000.0]);
}

#[test]
fn odd_log_lines_are_cut_and_shown() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(sinner(), "sinner.so");
    sandbox.workspace("ws", "c_sinner");
    let scored = sandbox.run(&["score", "ws", "--verbose", "-p", "sin=log"]);
    assert_eq!(scored.code, 0);
    assert!(scored.stderr.contains("ws: \u{fffd} of no alphabet\n"), "{}", scored.stderr);
    assert!(scored.stderr.contains("ws: printed\n"), "{}", scored.stderr);
    assert!(scored.stderr.len() < 20_000, "{}", scored.stderr.len());
}

#[test]
fn validating_goes_wrong_in_its_own_ways() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(sinner(), "sinner.so");
    sandbox.workspace("ws", "c_sinner");
    let validated = |sin: &str| sandbox.run(&["validate", "ws", "--json", "-p", &format!("sin={sin}")]);
    assert_eq!(validated("none").code, 0);
    for (sin, code, message) in [
        ("answers", "SCORE_ERROR", "the scorer's validate gave an answer, where faults are named with fault"),
        ("returns_3", "SCORE_ERROR", "the scorer's validate returned 3 without naming a fault"),
        ("abort", "SCORER_CRASHED", "the scorer was killed by SIGABRT"),
    ] {
        let finished = validated(sin);
        let error = &finished.json()["error"];
        assert_eq!((finished.code, &error["code"]), (4, &json!(code)), "{sin}");
        assert!(error["message"].as_str().unwrap().ends_with(message), "{sin}: {error:#}");
    }
    let many = validated("many");
    assert_eq!(many.code, 3);
    assert!(many.stdout.contains("250"), "{}", many.stdout);
}
