//! What `review` tells about its input: every odd block, and what filters leave out.

use std::fs;

use serde_json::{Value, json};

use crate::review::{block, good_comments, references, review, run, scored, warned};

#[test]
fn every_odd_block_is_listed_however_many_there_are() {
    let odd = "<path>a.go</path>\n<notesplit />\n";
    let sandbox = review(&(odd.repeat(250) + &block("a.go", 10, 12, "apple")));
    let warning = warned(&scored(&sandbox, &[]), "BLOCK_WITHOUT_NOTE");
    assert!(warning.starts_with(
        "no <note>, so no comment (250 times, all in output/artifacts/warnings.jsonl): comments_cart_1.txt block 1 "
    ));
    assert!(warning.ends_with("block 20 (line 39) and 230 more"), "{warning}");
    let terminal = run(&sandbox, &[]).stderr;
    assert!(terminal.contains("(250 times, all in output/artifacts/warnings.jsonl)"), "{terminal}");
    let list = fs::read_to_string(sandbox.path().join("out/output/artifacts/warnings.jsonl")).unwrap();
    let list: Vec<Value> = list.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(list.iter().enumerate().all(|(at, remark)| remark["block"] == at + 1), "{list:?}");
    let last = json!({"file": "comments_cart_1.txt", "block": 250, "line": 499, "code": "BLOCK_WITHOUT_NOTE",
                      "what": "no <note>, so no comment"});
    assert_eq!((list.len(), &list[249]), (250, &last));
    // A dry run leaves no artifact that could be pointed to, and input without oddities has none.
    assert!(!warned(&scored(&sandbox, &["--dry-run"]), "BLOCK_WITHOUT_NOTE").contains("artifacts"));
    sandbox.write("reviews/comments_cart_1.txt", block("a.go", 10, 12, "apple"));
    scored(&sandbox, &[]);
    assert!(!sandbox.path().join("out/output/artifacts/warnings.jsonl").exists());
}

#[test]
fn a_filter_that_leaves_nothing_is_a_mistake_and_no_score() {
    let sandbox = review(&good_comments());
    sandbox.write("reviews/notes.txt", "");
    let cases: [(&[&str], &str, &str); 4] = [
        (
            &["--language", "PHP"],
            "--language [\"PHP\"] leaves none of the 2 pull requests, so there is no score",
            "Go (1), Rust (1)",
        ),
        (
            &["--language", "Rust", "--pr-category", "Bug Fix"],
            "--pr-category [\"Bug Fix\"] with --language [\"Rust\"] leaves none of the 2 pull requests",
            "Bug Fix (1), New Feature Additions (1), Go (1), Rust (1)",
        ),
        // There is a Rust pull request, but what was written is about the other one.
        (&["--language", "Rust"], "leaves none of the 1 pull requests with a comment file", "Go (1)"),
        (
            &["--language", "Go", "--context", "Repo Level"],
            "--context [\"Repo Level\"] leaves none of the 2 references",
            "Diff Level (1), File Level (1)",
        ),
    ];
    for (flags, message, found) in cases {
        for dry in [&[][..], &["--dry-run"]] {
            let refused = run(&sandbox, &[flags, dry].concat());
            let said = refused.stderr.replace('\n', " ");
            assert_eq!(refused.code, 3, "{}", refused.stdout);
            assert!(said.contains("MISMATCH") && said.contains(message) && said.contains(found), "{said}");
        }
    }
    let again = sandbox.run(&["validate", "out"]);
    assert!(again.code == 3 && again.stderr.contains("leaves none"), "{}{}", again.stdout, again.stderr);
    // A reviewer who has nothing to say about what is left has found nothing.
    sandbox.write("reviews/comments_bank_2.txt", "");
    assert_eq!(scored(&sandbox, &["--language", "Rust"])["metrics"]["recall"], 0.0);
}

#[test]
fn what_filters_leave_out_is_counted() {
    let sandbox = review(&good_comments());
    let mut all = references();
    let list = all.as_array_mut().unwrap();
    let mut third = list[1].clone();
    third["githubPrUrl"] = "https://github.com/shop/till/pull/3".into();
    list.push(third);
    sandbox.write("references.json", all.to_string());
    sandbox.write("reviews/comments_bank_2.txt", block("b.rs", 5, 5, "one") + &block("b.rs", 6, 6, "two"));
    let names = ["pull_requests", "comment_files", "comments_of_pull_requests", "references_of_pull_requests"];
    let left_out = |flags: &[&str]| {
        let metrics = scored(&sandbox, flags)["metrics"].clone();
        names.map(|name| metrics[format!("{name}_filtered")].as_f64().unwrap())
    };
    assert_eq!(left_out(&[]), [0.0; 4]);
    assert_eq!(left_out(&["--language", "Go"]), [2.0, 1.0, 2.0, 2.0]);
    let shown = |flags: &[&str]| run(&sandbox, flags).stdout;
    assert!(!shown(&[]).contains("filtered"), "{}", shown(&[]));
    let some = shown(&["--language", "Go", "--category", "Performance"]);
    for (name, count) in
        [("pull_requests_filtered", "2"), ("comment_files_filtered", "1"), ("references_filtered", "1")]
    {
        let line = some.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("no {name} in {some}"));
        assert!(line.ends_with(count), "{line}");
    }
}

#[test]
fn half_a_surrogate_pair_costs_one_character_and_no_file() {
    let sandbox = review(&good_comments());
    let cut = references().to_string().replace("apple: ", "apple\\ud83d: ");
    sandbox.write("references.json", format!("\n{cut}"));
    let data = scored(&sandbox, &[]);
    assert_eq!(data["metrics"]["references_matched"], 2.0);
    assert!(warned(&data, "CHARACTER_REPLACED").ends_with("read as U+FFFD: references.json line 2"));
}
