//! `explain`: every code has its meaning, and docs/errors.md is made of the same texts.

use std::fs;
use std::path::Path;

use autoscorer_tests::{Sandbox, built, keep_document};
use serde_json::Value;

fn codes() -> Vec<Value> {
    let sandbox = Sandbox::new();
    sandbox.run(&["explain", "--json"]).json()["data"]["codes"].as_array().unwrap().clone()
}

#[test]
fn every_code_of_the_enum_is_explained() {
    let source = fs::read_to_string(built().root.join("plugin-api/src/error.rs")).unwrap();
    let body = source.split("pub enum ErrorCode {").nth(1).unwrap().split("\n}").next().unwrap();
    let variants = body.lines().filter(|line| line.starts_with("    ") && line.trim_end().ends_with(','));
    assert_eq!(codes().len(), variants.count());
    let sandbox = Sandbox::new();
    for code in codes() {
        let name = code["code"].as_str().unwrap();
        assert!(code["example"].as_str().unwrap().starts_with(&format!("error[{name}] ")), "{name}");
        assert!(!code["causes"].as_array().unwrap().is_empty() && !code["remedies"].as_array().unwrap().is_empty());
        let shown = sandbox.run(&["explain", &name.to_lowercase().replace('_', "-")]);
        assert_eq!(shown.code, 0);
        assert!(shown.stdout.starts_with(&format!("{name} (exit code {})", code["exit"])), "{}", shown.stdout);
    }
}

#[test]
fn the_exit_code_that_is_told_is_the_one_that_comes() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "nobody");
    let told = sandbox.run(&["explain", "SCORER_NOT_FOUND", "--json"]).json()["data"]["exit"].as_i64().unwrap();
    assert_eq!(i64::from(sandbox.run(&["score", "ws"]).code), told);
}

#[test]
fn an_unknown_code_is_met_with_one_that_is_known() {
    let sandbox = Sandbox::new();
    let slip = sandbox.run(&["explain", "mismach"]);
    assert_eq!((slip.code, slip.stdout.as_str()), (2, ""));
    assert!(slip.stderr.contains("did you mean MISMATCH?"), "{}", slip.stderr);
    let stranger = sandbox.run(&["explain", "zzz", "--json"]).json();
    assert!(stranger["error"]["details"]["hint"].as_str().unwrap().contains("lists all codes of errors"));
}

#[test]
fn every_code_of_the_daemon_is_explained() {
    let sandbox = Sandbox::new();
    let told = sandbox.run(&["explain", "--json"]).json()["data"].clone();
    let known: Vec<&str> = ["codes", "server_codes"]
        .iter()
        .flat_map(|list| told[list].as_array().unwrap())
        .map(|code| code["code"].as_str().unwrap())
        .collect();
    let sources = ["host/src/entry/http", "host/src/entry/client"].map(|folder| built().root.join(folder));
    let used: Vec<String> = sources.iter().flat_map(|folder| words_in(folder)).collect();
    assert!(used.len() > 15, "{used:?}");
    for word in used {
        assert!(known.contains(&word.as_str()), "{word} is not explained");
    }
    let shown = sandbox.run(&["explain", "queue-full"]);
    assert!(shown.stdout.starts_with("QUEUE_FULL (HTTP status 429)"), "{}", shown.stdout);
}

/// The texts of sources that look like codes: capitals, at least four, in quotes.
fn words_in(folder: &Path) -> Vec<String> {
    let is_code = |word: &&str| word.len() > 3 && word.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    let not_codes = ["DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "POST", "HEAD"];
    let mut words = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            words.extend(words_in(&entry.path()));
        } else if entry.path().extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(entry.path()).unwrap();
            let quoted =
                text.lines().filter(|line| !line.contains("env")).flat_map(|line| line.split('"').skip(1).step_by(2));
            words.extend(quoted.filter(is_code).filter(|word| !not_codes.contains(word)).map(str::to_owned));
        }
    }
    words
}

#[test]
fn the_document_of_errors_is_what_explain_says() {
    let mut text =
        "# Error codes\n\nMade from the texts of `autoscorer explain`; `tests/suite/explain.rs` keeps it so.\n"
            .to_owned();
    let list = |values: &Value| -> String {
        values.as_array().unwrap().iter().map(|line| format!("* {}\n", line.as_str().unwrap())).collect()
    };
    for code in codes() {
        let word = |key: &str| code[key].as_str().unwrap().to_owned();
        text.push_str(&format!(
            "\n## {}\n\n{} Exit code {}.\n\nUsual causes:\n\n{}\nWhat to do:\n\n{}\n```\n{}\n```\n",
            word("code"),
            word("summary"),
            code["exit"],
            list(&code["causes"]),
            list(&code["remedies"]),
            word("example"),
        ));
    }
    text.push_str("\n## Codes of the daemon\n\nBeside those above, answers over HTTP have these.\n\n");
    text.push_str("| code | status | meaning | what to do |\n|---|---|---|---|\n");
    let told = Sandbox::new().run(&["explain", "--json"]).json()["data"]["server_codes"].clone();
    for code in told.as_array().unwrap() {
        let word = |key: &str| code[key].as_str().unwrap().to_owned();
        let status = code["status"].as_u64().map_or_else(|| "no answer".to_owned(), |status| status.to_string());
        text.push_str(&format!("| `{}` | {status} | {} | {} |\n", word("code"), word("summary"), word("remedy")));
    }
    keep_document("docs/errors.md", &text);
}
