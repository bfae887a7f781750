//! What `review` tells about its input: every odd block, and what filters leave out.

use std::fs;

use serde_json::{Value, json};

use crate::review::{block, review, scored, warned};

#[test]
fn every_odd_block_is_listed_however_many_there_are() {
    let odd = "<path>a.go</path>\n<notesplit />\n";
    let sandbox = review(&(odd.repeat(250) + &block("a.go", 10, 12, "apple")));
    let warning = warned(&scored(&sandbox, &[]), "BLOCK_WITHOUT_NOTE");
    assert!(warning.ends_with("block 20 (line 39) and 230 more; output/artifacts/warnings.jsonl has all of them"));
    let list = fs::read_to_string(sandbox.path().join("out/output/artifacts/warnings.jsonl")).unwrap();
    let list: Vec<Value> = list.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(list.iter().enumerate().all(|(at, remark)| remark["block"] == at + 1), "{list:?}");
    let last = json!({"file": "comments_cart_1.txt", "block": 250, "line": 499, "code": "BLOCK_WITHOUT_NOTE",
                      "what": "no <note>, so no comment"});
    assert_eq!((list.len(), &list[249]), (250, &last));
    // A dry run leaves no artifact that could be pointed to, and input without oddities has none.
    assert!(warned(&scored(&sandbox, &["--dry-run"]), "BLOCK_WITHOUT_NOTE").ends_with("and 230 more"));
    sandbox.write("reviews/comments_cart_1.txt", block("a.go", 10, 12, "apple"));
    scored(&sandbox, &[]);
    assert!(!sandbox.path().join("out/output/artifacts/warnings.jsonl").exists());
}
