//! What stays of a judged review: in a dry run, in a shell without a model, and where pairs got no verdict.

use std::fs;
use std::path::Path;

use autoscorer_tests::{Finished, Sandbox};
use serde_json::{Value, json};

use crate::review::review;
use crate::review_judge::standin::{Act, Standin, status};
use crate::review_judge::{comments, embedded, run};

/// Every file below a folder with its content.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(contents(&path));
        } else {
            all.push((path.display().to_string(), fs::read(&path).unwrap()));
        }
    }
    all.sort();
    all
}

/// A command in a shell that knows of no model.
fn elsewhere(sandbox: &Sandbox, arguments: &[&str], settings: &[(&str, &str)]) -> Finished {
    Finished::from(sandbox.command(arguments).envs(settings.iter().copied()).output().unwrap())
}

#[test]
fn a_dry_run_leaves_what_was_judged_and_knows_it() {
    let server = Standin::start(|call| call.judged());
    let sandbox = review(&comments());
    let fresh = run(&sandbox, &server, &["--dry-run"]);
    assert!(fresh.code == 0 && !sandbox.path().join("out").exists(), "{}", fresh.stderr);
    assert_eq!(run(&sandbox, &server, &[]).code, 0);
    let before = contents(&sandbox.path().join("out"));
    for flags in [&["--dry-run"][..], &["-p", "dry_run=true"]] {
        let dry = run(&sandbox, &server, flags);
        let data = dry.json()["data"].clone();
        assert_eq!((dry.code, &data["summary"]), (0, &json!({})), "{data:#}");
        // Both verdicts that the procedure needs are known; four of the six pairs at the same place are not.
        let numbers =
            ["pairs", "pairs_known", "calls", "calls_most", "tokens"].map(|name| data["metrics"][name].as_f64());
        assert_eq!(numbers, [6.0, 2.0, 0.0, 4.0, 0.0].map(Some));
        assert_eq!(contents(&sandbox.path().join("out")), before);
    }
    assert_eq!(server.calls(), 2);
    let vectors = Standin::start(embedded);
    let embedding = |flags: &[&str]| run(&sandbox, &vectors, &[&["--matcher", "embedding"][..], flags].concat());
    assert_eq!(embedding(&[]).code, 0);
    assert_eq!(embedding(&["--dry-run"]).json()["data"]["metrics"]["calls"], 0.0);
    let gate = run(&sandbox, &server, &["--dry-run", "--gate", "calls<1"]);
    assert_eq!(gate.code, 0, "{}", gate.stderr);
}

#[test]
fn a_dry_run_needs_no_settings() {
    let sandbox = review(&comments());
    let arguments = ["review", "--comments", "reviews", "--references", "references.json", "-o", "out", "--dry-run"];
    for (matcher, calls) in [("llm", "calls_most   6"), ("embedding", "calls        1")] {
        let dry = elsewhere(&sandbox, &[&arguments[..], &["--matcher", matcher]].concat(), &[]);
        assert_eq!(dry.code, 0, "{}", dry.stderr);
        assert!(dry.stdout.contains(&format!("meaning by {matcher}")) && dry.stdout.contains(calls), "{}", dry.stdout);
    }
}

#[test]
fn where_nothing_was_judged_there_is_no_score_to_allow() {
    let dead = Standin::start(|_| Act::Drop);
    let nothing = run(&review(&comments()), &dead, &["-p", "retries=0", "--allow-errors"]);
    let error = nothing.json()["error"].clone();
    assert_eq!((nothing.code, &error["code"]), (4, &json!("JUDGE_ERROR")), "{error:#}");
    assert_eq!((&error["details"]["coverage"], &nothing.json()["data"]["summary"]), (&json!(0.0), &json!({})));
    assert!(!error.to_string().contains("allow"), "{error:#}");
}

#[test]
fn a_score_of_some_pairs_says_so() {
    let server = Standin::start(|call| {
        if call.pair().1.starts_with("pear") {
            status(400, "", r#"{"error": {"message": "no"}}"#)
        } else {
            call.judged()
        }
    });
    let sandbox = review(&comments());
    let arguments = ["review", "--comments", "reviews", "--references", "references.json", "-o", "out"];
    let settings = [("LLM_MODEL_URL", server.url.as_str()), ("LLM_MODEL", "m")];
    let flags = ["-p", "retries=0"];
    let failed = elsewhere(&sandbox, &[&arguments[..], &flags].concat(), &settings);
    assert!(failed.code == 4 && failed.stderr.contains("or --allow-errors"), "{}", failed.stderr);
    let allowed = elsewhere(&sandbox, &[&arguments[..], &flags, &["--allow-errors"]].concat(), &settings);
    assert_eq!(allowed.code, 0, "{}", allowed.stderr);
    assert!(allowed.stdout.contains("meaning by llm, verdicts for 33.3 % of the pairs"), "{}", allowed.stdout);
    assert!(allowed.stderr.contains("2 of 3 pairs got no verdict"), "{}", allowed.stderr);
}

#[test]
fn a_judged_workspace_stays_with_its_matcher_and_model() {
    let server = Standin::start(|call| call.judged());
    let sandbox = review(&comments());
    let data = run(&sandbox, &server, &[]).json()["data"].clone();
    let meta = || serde_json::from_slice::<Value>(&fs::read(sandbox.path().join("out/meta.json")).unwrap()).unwrap();
    assert_eq!(meta()["params"], json!({"semantic_matcher_type": "llm", "llm_model": "m"}));
    // All verdicts are remembered, so neither address nor key is needed, and no other model's name is taken.
    let again = elsewhere(&sandbox, &["score", "out", "--json"], &[("LLM_MODEL", "other")]);
    assert_eq!(again.code, 0, "{}{}", again.stdout, again.stderr);
    assert_eq!(again.json()["data"]["metrics"], data["metrics"]);
    let replayed = elsewhere(&sandbox, &["replay", "out/output/result.json"], &[]);
    assert_eq!((replayed.code, server.calls()), (0, 2), "{}", replayed.stdout);
    // What is not remembered has to be asked.
    let strict = elsewhere(&sandbox, &["score", "out", "-p", "profile=strict"], &[]);
    assert_eq!(strict.code, 3, "{}", strict.stdout);
    assert!(strict.stderr.contains("needs LLM_MODEL_URL,"), "{}", strict.stderr);
    // Nor does a workspace that was estimated begin to make calls.
    let arguments = ["review", "--comments", "reviews", "--references", "references.json", "-o", "out"];
    assert_eq!(elsewhere(&sandbox, &arguments, &[]).code, 0);
    assert_eq!(meta()["params"], json!({"semantic_matcher_type": "lexical"}));
    let settings = [("LLM_MODEL_URL", server.url.as_str()), ("LLM_MODEL", "m")];
    assert_eq!((elsewhere(&sandbox, &["score", "out"], &settings).code, server.calls()), (0, 2));
}

#[test]
fn a_judging_that_failed_goes_on_with_the_same_matcher() {
    let server = Standin::start(|call| if call.nth > 0 { status(400, "", "{}") } else { call.judged() });
    let sandbox = review(&comments());
    assert_eq!(run(&sandbox, &server, &["-p", "retries=0", "--concurrency", "1"]).code, 4);
    let offline = elsewhere(&sandbox, &["score", "out"], &[]);
    assert_eq!(offline.code, 3, "{}", offline.stdout);
    assert!(offline.stderr.contains("LLM_MODEL_URL"), "{}", offline.stderr);
}
