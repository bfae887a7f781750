//! Documents that are made from the program: compared with what it says, and written anew with `INSTA_UPDATE=always`.

use std::fs;

use crate::built::built;

/// A document has to be this text.
pub fn keep_document(document: &str, text: &str) {
    let path = built().root.join(document);
    if fs::read_to_string(&path).unwrap_or_default() == text {
        return;
    }
    assert!(may_update(), "{document} is not what the program says; INSTA_UPDATE=always writes it anew");
    fs::write(path, text).unwrap();
}

/// A part of a document, between `<!-- NAME -->` and `<!-- end of NAME -->`, has to be this text.
pub fn keep_part(document: &str, name: &str, text: &str) {
    let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let old = fs::read_to_string(built().root.join(document)).unwrap();
    let missing = || panic!("{document} has no part {name}");
    let (before, rest) = old.split_once(&begin).unwrap_or_else(missing);
    let (_, after) = rest.split_once(&end).unwrap_or_else(missing);
    keep_document(document, &format!("{before}{begin}{text}{end}{after}"));
}

fn may_update() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always")
}
