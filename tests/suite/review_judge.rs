//! `review` with a judge: a stand-in server on a free port says what means the same.

#[path = "../../plugins/judge/tests/standin/mod.rs"]
pub mod standin;

use std::fs;
use std::path::Path;

use std::process::{Command, Stdio};
use std::time::Duration;

use autoscorer_tests::{AUTHORITY, Finished, Sandbox, Tls, eventually};
use serde_json::{Value, json};
use standin::{Act, Call, Standin, say, status};

use crate::review::{block, review};

const KEY: &str = "sk-very-secret";

pub fn run(sandbox: &Sandbox, server: &Standin, flags: &[&str]) -> Finished {
    Finished::from(command(sandbox, &server.url, flags).output().unwrap())
}

fn command(sandbox: &Sandbox, url: &str, flags: &[&str]) -> Command {
    let mut arguments =
        vec!["review", "--comments", "reviews", "--references", "references.json", "-o", "out", "--json"];
    arguments.extend(flags);
    let mut command = sandbox.command(&arguments);
    for prefix in ["LLM", "EMBEDDING"] {
        command.env(format!("{prefix}_MODEL_URL"), url).env(format!("{prefix}_MODEL"), "m");
        command.env(format!("{prefix}_API_KEY"), KEY);
    }
    command
}

/// To the stand-in, comments mean the same if they begin with the same word.
pub fn comments() -> String {
    block("a.go", 11, 11, "apple: too far")
        + &block("a.go", 11, 11, "pear: again and again")
        + &block("a.go", 12, 12, "cherry: something else")
}

fn assert_no_key(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_no_key(&path);
        } else {
            assert!(!String::from_utf8_lossy(&fs::read(&path).unwrap()).contains(KEY), "{}", path.display());
        }
    }
}

#[test]
fn a_judge_is_asked_what_the_procedure_asks_and_never_twice() {
    let server = Standin::start(|call| call.judged());
    let sandbox = review(&comments());
    let first = run(&sandbox, &server, &[]);
    assert_eq!(first.code, 0, "{}{}", first.stdout, first.stderr);
    let data = first.json()["data"].clone();
    assert_eq!(
        (&data["metrics"]["references_matched"], &data["details"]["semantic_matcher_type"]),
        (&json!(2.0), &json!("llm"))
    );
    // apple-apple; pear-pear, since apple is taken; cherry finds both taken.
    assert_eq!(server.calls(), 2);
    let second = run(&sandbox, &server, &[]);
    assert_eq!((second.code, server.calls()), (0, 2));
    assert_eq!(second.json()["data"]["metrics"], data["metrics"]);
    assert!(!format!("{}{}{}", first.stdout, first.stderr, second.stderr).contains(KEY));
    assert_no_key(&sandbox.path().join("out"));
}

#[test]
fn strict_asks_about_every_pair_at_the_same_place() {
    let server = Standin::start(|call| call.judged());
    let finished = run(&review(&comments()), &server, &["--profile", "strict"]);
    assert_eq!((finished.code, server.calls()), (0, 6), "{}", finished.stderr);
    assert_eq!(finished.json()["data"]["metrics"]["references_matched"], 2.0);
}

#[test]
fn a_pair_without_a_verdict_is_an_error_and_never_a_difference() {
    let server = Standin::start(|call| {
        if call.pair().1.starts_with("pear") {
            status(400, "", r#"{"error": {"message": "no"}}"#)
        } else {
            call.judged()
        }
    });
    let sandbox = review(&comments());
    let failed = run(&sandbox, &server, &["-p", "retries=0"]);
    let error = failed.json()["error"].clone();
    assert_eq!((failed.code, &error["code"]), (4, &json!("JUDGE_ERROR")), "{error:#}");
    assert_eq!(error["details"]["coverage"], 1.0 / 3.0, "{error:#}");
    assert!(failed.json()["data"]["metrics"].as_object().unwrap().is_empty());
    let allowed = run(&sandbox, &server, &["-p", "retries=0", "--allow-errors"]);
    let data = allowed.json()["data"].clone();
    assert_eq!((allowed.code, &data["metrics"]["coverage"]), (0, &json!(1.0 / 3.0)), "{data:#}");
    assert!(data["warnings"].as_array().unwrap().iter().any(|warning| warning["code"] == "NOT_JUDGED"));
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let server =
        Standin::start(|call| if call.nth > 0 && call.nth < 3 { status(400, "", "{}") } else { call.judged() });
    let sandbox = review(&comments());
    assert_eq!(run(&sandbox, &server, &["-p", "retries=0", "--concurrency", "1"]).code, 4);
    let resumed = run(&sandbox, &server, &[]);
    let whole = run(&sandbox, &Standin::start(|call| call.judged()), &["-p", "cache=fresh"]);
    assert_eq!(resumed.json()["data"]["metrics"], whole.json()["data"]["metrics"], "{}", resumed.stderr);
}

#[test]
fn a_judge_without_settings_is_an_error_that_names_them_and_a_dry_run_asks_nobody() {
    let sandbox = review(&comments());
    let arguments =
        ["review", "--comments", "reviews", "--references", "references.json", "-o", "out", "--matcher", "llm"];
    let missing = sandbox.run(&arguments);
    assert_eq!(missing.code, 3);
    assert!(missing.stderr.contains("LLM_MODEL_URL and LLM_MODEL"), "{}", missing.stderr);
    let server = Standin::start(|call| call.judged());
    let dry = run(&sandbox, &server, &["--dry-run", "--matcher", "llm"]).json();
    let metrics: &Value = &dry["data"]["metrics"];
    assert_eq!((&metrics["pairs"], &metrics["calls_most"], server.calls()), (&json!(6.0), &json!(6.0), 0));
    assert!(metrics["tokens"].as_f64().unwrap() > 0.0);
    sandbox.write("model.env", format!("LLM_MODEL_URL={}\nLLM_MODEL=m\n", server.url));
    let from_file = sandbox.run(&[&arguments[..], &["--env-file", "model.env"]].concat());
    assert_eq!((from_file.code, server.calls()), (0, 2), "{}", from_file.stderr);
}

/// A vector of its own for each first word.
pub fn embedded(call: &Call) -> Act {
    let texts = call.body["input"].as_array().unwrap();
    let vector = |text: &Value| match text.as_str().unwrap().split(':').next().unwrap() {
        "apple" => [1.0, 0.0, 0.0],
        "pear" => [0.0, 1.0, 0.0],
        _ => [0.0, 0.0, 1.0],
    };
    let data: Vec<_> =
        texts.iter().enumerate().map(|(index, text)| json!({"index": index, "embedding": vector(text)})).collect();
    status(200, "", &json!({"data": data, "usage": {"total_tokens": 7}}).to_string())
}

#[test]
fn vectors_are_compared_by_cosine_and_remembered() {
    let server = Standin::start(|call| {
        assert!(call.path.ends_with("/embeddings"), "{}", call.path);
        embedded(call)
    });
    let sandbox = review(&comments());
    let dry = run(&sandbox, &server, &["--matcher", "embedding", "--dry-run"]).json();
    assert_eq!((&dry["data"]["metrics"]["calls"], server.calls()), (&json!(1.0), 0));
    let first = run(&sandbox, &server, &["--matcher", "embedding"]);
    assert_eq!(first.code, 0, "{}{}", first.stdout, first.stderr);
    assert_eq!(first.json()["data"]["metrics"]["references_matched"], 2.0);
    assert_eq!(server.calls(), 1, "as the dry run said");
    let second = run(&sandbox, &server, &["--matcher", "embedding"]);
    assert_eq!((second.code, server.calls()), (0, 1));
    let rows = fs::read_to_string(sandbox.path().join("out/output/artifacts/judgements.jsonl")).unwrap();
    assert!(rows.contains("\"reason\":\"cosine 1.000\""), "{rows}");
}

#[test]
fn the_majority_of_votes_decides() {
    // The first vote on each pair is wrong, the others are right.
    let server = Standin::start(|call| {
        let (left, right) = call.pair();
        let same = left.split(' ').next() == right.split(' ').next();
        say(&json!({"same": same == (call.seen > 0)}).to_string())
    });
    let sandbox = review(&comments());
    let voted = run(&sandbox, &server, &["--votes", "3"]);
    assert_eq!(voted.code, 0, "{}", voted.stderr);
    assert_eq!(voted.json()["data"]["metrics"]["references_matched"], 2.0);
    // Two pairs, three votes each; what was voted on is known the next time, but not to a single vote.
    assert_eq!(server.calls(), 6);
    assert_eq!((run(&sandbox, &server, &["--votes", "3"]).code, server.calls()), (0, 6));
    assert_eq!(voted.json()["data"]["metrics"]["judge_calls"], 2.0);
    let even = run(&sandbox, &server, &["--votes", "2"]);
    assert_eq!((even.code, server.calls()), (3, 6), "{}", even.stderr);
}

#[test]
fn the_whole_answer_is_in_the_document_and_verdicts_kept_without_it_still_count() {
    let server = Standin::start(|call| call.judged());
    let sandbox = review(&comments());
    let raw = || {
        assert_eq!((run(&sandbox, &server, &[]).code, server.calls()), (0, 2));
        let document = fs::read(sandbox.path().join("out/evaluation_results.json")).unwrap();
        let row = serde_json::from_slice::<Value>(&document).unwrap()["results"][0].clone();
        let said = &row["match_details"][0]["llm_comparison"];
        assert_eq!((&said["is_similar"], &said["reason"]), (&json!(true), &json!("by the first word")));
        assert_eq!(said["raw_response"], row["llm_comparisons"][0]["llm_response"]);
        said["raw_response"].as_str().unwrap().to_owned()
    };
    let answer = json!({"same": true, "confidence": 0.9, "reason": "by the first word"}).to_string();
    assert_eq!((raw(), raw()), (answer.clone(), answer));
    let kept = sandbox.path().join("out/output/.verdicts/verdicts.jsonl");
    let lines = fs::read_to_string(&kept).unwrap();
    let without_answers = lines.lines().filter(|line| !line.is_empty()).map(|line| {
        let mut record: Value = serde_json::from_str(line).unwrap();
        record["value"].as_object_mut().unwrap().remove("raw").unwrap();
        format!("{record}\n")
    });
    fs::write(&kept, without_answers.collect::<String>()).unwrap();
    assert_eq!(raw(), "by the first word");
}

#[test]
fn comparisons_of_the_procedure_and_calls_made_are_told_apart() {
    let server = Standin::start(|call| call.judged());
    let sandbox = review(&(block("a.go", 11, 11, "cherry: one") + &block("a.go", 11, 11, "cherry: one")));
    let data = run(&sandbox, &server, &[]).json()["data"].clone();
    assert_eq!((&data["metrics"]["judge_calls"], server.calls()), (&json!(4.0), 2));
    let document: Value =
        serde_json::from_slice(&fs::read(sandbox.path().join("out/evaluation_results.json")).unwrap()).unwrap();
    assert_eq!(document["summary"]["judge_calls"], 4);
    let usage = &document["usage"];
    let told = ["pairs", "calls_made", "equal_texts", "known_before"].map(|name| usage[name].as_u64());
    assert_eq!(told, [Some(4), Some(2), Some(2), Some(0)]);
}

#[test]
fn a_judge_is_asked_by_https_where_its_certificate_is_trusted() {
    let server = Standin::start(|call| call.judged());
    let plain = server.url.trim_start_matches("http://").trim_end_matches("/v1").parse().unwrap();
    let url = format!("https://{}", Tls::before(plain).address());
    let sandbox = review(&comments());
    let trusted = Finished::from(command(&sandbox, &url, &[]).env("SSL_CERT_FILE", AUTHORITY).output().unwrap());
    assert_eq!((trusted.code, server.calls()), (0, 2), "{}{}", trusted.stdout, trusted.stderr);
    let others = command(&sandbox, &url, &["-p", "cache="]).env_remove("SSL_CERT_FILE").output().unwrap();
    let others = Finished::from(others);
    let error = others.json()["error"].to_string();
    assert_eq!((others.code, server.calls()), (4, 2), "{error}");
    assert!(error.contains("SSL_CERT_FILE") && !error.contains(KEY), "{error}");
}

#[test]
fn an_interrupt_keeps_what_was_judged() {
    let server = Standin::start(|call| if call.nth == 1 { Act::Hang } else { call.judged() });
    let sandbox = review(&comments());
    let mut command = command(&sandbox, &server.url, &["--concurrency", "1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the second call", || (server.calls() == 2).then_some(()));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let again = Standin::start(|call| call.judged());
    let resumed = run(&sandbox, &again, &[]);
    assert_eq!((resumed.code, again.calls()), (0, 1), "{}", resumed.stderr);
    assert_eq!(resumed.json()["data"]["metrics"]["references_matched"], 2.0);
}

#[test]
fn progress_is_told_in_lines_only_if_asked_for() {
    let slow = || Standin::slow(Duration::from_millis(1500), |call| call.judged());
    let quiet = run(&review(&comments()), &slow(), &[]);
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
    let told = run(&review(&comments()), &slow(), &["--progress"]);
    let words = ["of 6 pairs at most", "/s", "at most ", "s left", " known", " errors", " calls", " tokens"];
    assert!(words.iter().all(|word| told.stderr.contains(word)), "{}", told.stderr);
}

#[test]
fn no_failure_shows_the_key() {
    let repeat = || status(500, "", &json!({"error": {"message": format!("Bearer {KEY} is tired")}}).to_string());
    let refuse = || status(401, "", &json!({"error": {"message": format!("no such key: {KEY}")}}).to_string());
    let servers = [Standin::start(move |_| repeat()), Standin::start(move |_| refuse()), Standin::start(|_| Act::Drop)];
    for server in &servers {
        for matcher in ["llm", "embedding"] {
            let sandbox = review(&comments());
            let failed = run(&sandbox, server, &["-p", "retries=1", "--progress", "--matcher", matcher]);
            assert_eq!(failed.code, 4, "{}{}", failed.stdout, failed.stderr);
            assert!(!format!("{}{}", failed.stdout, failed.stderr).contains(KEY), "{}{}", failed.stdout, failed.stderr);
            assert_no_key(&sandbox.path().join("out"));
        }
    }
    let sandbox = review(&comments());
    sandbox.write("odd.env", format!("LLM_MODEL_URL=nowhere\nLLM_MODEL=m\nexport LLM_API_KEY=\"{KEY}\" # mine\n"));
    let flags = ["--comments", "reviews", "--references", "references.json", "-o", "out", "--env-file", "odd.env"];
    let failed = sandbox.run(&[&["review"][..], &flags[..]].concat());
    assert_eq!(failed.code, 3, "{}", failed.stderr);
    assert!(failed.stderr.contains("LLM_MODEL_URL") && !failed.stderr.contains(KEY), "{}", failed.stderr);
    assert_no_key(&sandbox.path().join("out"));
}

#[test]
fn an_env_file_may_have_quotes_comments_and_exports() {
    let server = Standin::start(|call| {
        assert_eq!(call.authorization.as_deref(), Some("Bearer sk#quoted"));
        call.judged()
    });
    let sandbox = review(&comments());
    let url = &server.url;
    sandbox.write(
        ".env",
        format!("# judge\nexport LLM_MODEL_URL='{url}' # here\nLLM_MODEL = \"m\"\nLLM_API_KEY=sk#quoted # key\n"),
    );
    let flags = ["review", "--comments", "reviews", "--references", "references.json", "-o", "out"];
    let finished = sandbox.run(&flags);
    assert_eq!((finished.code, server.calls()), (0, 2), "{}", finished.stderr);
    assert!(finished.stdout.contains("meaning by llm"), "{}", finished.stdout);
}
