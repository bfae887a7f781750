//! `review` as a command: what it makes of mistakes, gates, and the folder that it writes.

use std::fs;
use std::os::unix::fs::MetadataExt;

use autoscorer_tests::Finished;
use serde_json::json;

use crate::review::{block, good_comments, review, run, scored, warned};

#[test]
fn no_comment_file_that_takes_part_is_a_mistake_and_no_score() {
    let sandbox = review(&good_comments());
    sandbox.write("my notes.txt", good_comments());
    sandbox.write("badly/comments_cart_1.txt", b"<note>caf\xe9</note>");
    sandbox.write("formless/comments_cart_1.txt", "The index may be out of range.");
    let cases: [(&str, &[&str], &str); 5] = [
        ("my notes.txt", &[], "my notes.txt: no pull request of the references has this repository and number"),
        ("my notes.txt", &["--pr-url", "zzz"], "zzz is no address of a pull request"),
        (
            "my notes.txt",
            &["--pr-url", "https://github.com/a/b/pull/1"],
            "no references for https://github.com/a/b/pull/1",
        ),
        ("badly", &[], "comments_cart_1.txt is not UTF-8"),
        ("formless", &[], "there is no comment in it"),
    ];
    for (comments, flags, reason) in cases {
        let arguments = ["review", "--comments", comments, "--references", "references.json", "-o", "o"];
        let refused = sandbox.run(&[&arguments[..], flags].concat());
        assert_eq!(refused.code, 3, "{}", refused.stdout);
        assert!(refused.stderr.contains("MISMATCH") && refused.stderr.contains(reason), "{}", refused.stderr);
        assert!(refused.stderr.contains("--manifest, --pr-url"), "{}", refused.stderr);
    }
}

#[test]
fn a_reviewer_without_a_remark_has_found_nothing() {
    let data = scored(&review("\n"), &[]);
    assert_eq!((&data["metrics"]["recall"], &data["metrics"]["comments"]), (&json!(0.0), &json!(0.0)));
    assert!(warned(&data, "FILE_SKIPPED").contains("there is no comment in it"));
}

#[test]
fn errors_speak_of_files_and_flags_as_they_were_given() {
    let sandbox = review(&good_comments());
    sandbox.write("broken.json", "[{");
    let at = |flags: &[&str]| {
        let arguments = ["review", "--comments", "reviews", "-o", "o", "--references"];
        let refused = sandbox.run(&[&arguments[..], flags].concat());
        assert_eq!(refused.code, 3, "{}", refused.stdout);
        for word in ["input/", "params.", "semantic_matcher_type"] {
            assert!(!refused.stderr.contains(word), "{}", refused.stderr);
        }
        refused.stderr
    };
    let cases: [(&[&str], &str); 6] = [
        (&["broken.json"], "broken.json is no JSON"),
        (&["references.json", "--manifest", "broken.json"], "broken.json is no map from file to address"),
        (&["references.json", "--negatives", "broken.json"], "broken.json is no JSON"),
        (&["references.json", "--votes", "2"], "--votes: 2 votes can be without a majority"),
        (&["references.json", "--concurrency", "0"], "--concurrency: no call could ever be made"),
        (&["references.json", "--env-file", "nope"], "or use --matcher \"lexical\""),
    ];
    for (flags, words) in cases {
        let said = at(flags);
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_manifest_that_names_what_is_not_there_is_told() {
    let sandbox = review(&good_comments());
    sandbox.write("whose.json", r#"{"gone.txt": "https://github.com/shop/bank/pull/2"}"#);
    let data = scored(&sandbox, &["--manifest", "whose.json"]);
    assert_eq!(warned(&data, "FILE_ABSENT"), "whose.json names files that are not there: gone.txt");
}

#[test]
fn a_review_is_held_against_gates_and_a_baseline() {
    let sandbox = review(&good_comments());
    let kept = run(&sandbox, &["--gate", "f1>=0.6", "--junit", "junit.xml"]);
    assert_eq!(kept.code, 0, "{}", kept.stderr);
    let failed = run(&sandbox, &["--gate", "f1>=0.7", "--junit", "junit.xml", "--json"]);
    assert_eq!((failed.code, &failed.json()["data"]["gates"][0]["passed"]), (1, &json!(false)), "{}", failed.stderr);
    assert!(failed.stderr.contains("gate failed: out: f1 is 0.666"), "{}", failed.stderr);
    assert!(fs::read_to_string(sandbox.path().join("junit.xml")).unwrap().contains("<failure"));
    // The baseline is what is judged anew.
    sandbox.write("reviews/comments_cart_1.txt", block("a.go", 10, 10, "Index out of range is possible here"));
    let worse = run(&sandbox, &["--baseline", "out", "--fail-on-regression"]);
    assert_eq!(worse.code, 1, "{}", worse.stderr);
    assert!(worse.stderr.contains("f1 is 0.500000, the baseline 0.666667"), "{}", worse.stderr);
    let unknown = run(&sandbox, &["--gate", "f2>=0"]);
    assert_eq!((unknown.code, unknown.stderr.contains("its metrics are f1,")), (2, true), "{}", unknown.stderr);
}

#[test]
fn large_results_are_not_written_twice() {
    let sandbox = review(&good_comments());
    let inode = |name: &str| fs::metadata(sandbox.path().join(name)).unwrap().ino();
    for _ in 0..2 {
        scored(&sandbox, &[]);
        for name in ["report.html", "evaluation_results.json"] {
            assert_eq!(inode(&format!("out/{name}")), inode(&format!("out/output/artifacts/{name}")));
        }
    }
}

#[test]
fn a_preset_that_contradicts_the_matcher_is_refused_and_both_are_named() {
    let sandbox = review(&good_comments());
    let cases: [(&[&str], &str); 4] = [
        (&["--matcher", "lexical", "-p", "preset=embedding"], "\"embedding\" contradicts --matcher \"lexical\""),
        (&["--matcher", "llm", "-p", "preset=location_only"], "\"location_only\" contradicts --matcher \"llm\""),
        (&["--matcher", "llm", "-p", "preset=embedding"], "\"embedding\" contradicts --matcher \"llm\""),
        (&["-p", "preset=embedding", "-p", "enable_semantic_match=false"], "contradicts params.enable_semantic_match"),
    ];
    for (flags, words) in cases {
        let refused = run(&sandbox, flags);
        assert_eq!(refused.code, 3, "{}", refused.stdout);
        assert!(refused.stderr.contains("INVALID_PARAMS") && refused.stderr.contains(words), "{}", refused.stderr);
        assert!(!refused.stderr.contains("needs"), "{}", refused.stderr);
    }
    // What agrees is no contradiction, also when the workspace is scored again with the matcher that was chosen.
    assert_eq!(run(&sandbox, &["--matcher", "none", "-p", "preset=location_only"]).code, 0);
    assert_eq!(run(&sandbox, &["-p", "preset=location_only"]).code, 0);
    assert_eq!(sandbox.run(&["score", "out"]).code, 0);
    for profile in ["corrected", "upstream"] {
        let dry = run(&sandbox, &["-p", "preset=embedding", "--profile", profile, "--dry-run"]);
        assert_eq!(dry.code, 0, "{}", dry.stderr);
    }
}

#[test]
fn a_setting_that_is_wrong_is_told_alone_and_one_that_is_absent_by_its_name() {
    let sandbox = review(&good_comments());
    let with = |settings: &[(&str, &str)], flags: &[&str]| {
        let arguments = ["review", "--comments", "reviews", "--references", "references.json", "-o", "out"];
        let mut command = sandbox.command(&[&arguments[..], flags].concat());
        Finished::from(command.envs(settings.iter().copied()).output().unwrap())
    };
    let (url, model) = (("LLM_MODEL_URL", "http://localhost:1/v1"), ("LLM_MODEL", "m"));
    let refused = with(&[url, model, ("LLM_API_KEY", "a\nb")], &["--matcher", "llm"]);
    assert_eq!(refused.code, 3, "{}", refused.stdout);
    assert!(refused.stderr.contains("LLM_API_KEY: has characters"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("needs"), "{}", refused.stderr);
    for (half, words) in
        [(url, "LLM_MODEL_URL is set, LLM_MODEL is not"), (model, "LLM_MODEL is set, LLM_MODEL_URL is not")]
    {
        let estimated = with(&[half], &[]);
        assert_eq!(estimated.code, 0, "{}", estimated.stderr);
        assert!(estimated.stderr.contains(words), "{}", estimated.stderr);
    }
}
