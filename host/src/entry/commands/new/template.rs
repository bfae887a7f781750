//! The template of a crate: embedded texts, and the names that are written over its own.

use crate::entry::new_args::Kind;

/// A file of the crate: where it goes, and its text.
pub type File = (&'static str, &'static str);

/// `custom_scorers/template` is the crate for CSV as it stands; the others differ in these files.
macro_rules! original {
    ($path:literal) => {
        include_str!(concat!("../../../../../custom_scorers/template/", $path))
    };
}

const SHARED: [File; 3] = [
    ("Cargo.toml", original!("Cargo.toml")),
    ("README.md", original!("README.md")),
    (".gitignore", "/target\n/cases/*/output/result.json\n/cases/*/output/artifacts\n"),
];

const CSV: [File; 9] = [
    ("src/lib.rs", original!("src/lib.rs")),
    ("cases/good/meta.json", original!("cases/good/meta.json")),
    ("cases/good/input/gt.csv", original!("cases/good/input/gt.csv")),
    ("cases/good/output/pred.csv", original!("cases/good/output/pred.csv")),
    ("cases/good/expected.json", original!("cases/good/expected.json")),
    ("cases/bad/meta.json", original!("cases/bad/meta.json")),
    ("cases/bad/input/gt.csv", original!("cases/bad/input/gt.csv")),
    ("cases/bad/output/pred.csv", original!("cases/bad/output/pred.csv")),
    ("cases/bad/expected.json", original!("cases/bad/expected.json")),
];

const META: &str = "{\"scorer\": \"my_scorer\"}\n";

const JSON: [File; 9] = [
    ("src/lib.rs", include_str!("templates/json/lib.rs")),
    ("cases/good/meta.json", META),
    ("cases/good/input/gt.json", "{\"q1\": \"Paris\", \"q2\": \"blue\", \"q3\": 4}\n"),
    ("cases/good/output/pred.json", "{\"q1\": \"paris\", \"q2\": \"green\", \"q3\": 4}\n"),
    ("cases/good/expected.json", "{\"exact_match\": 0.6666666666666666, \"answered\": 3}\n"),
    ("cases/bad/meta.json", META),
    ("cases/bad/input/gt.json", "{\"q1\": \"Paris\"}\n"),
    ("cases/bad/output/pred.json", "{\"q1\": \"Par\n"),
    ("cases/bad/expected.json", "{\"error\": \"PARSE_ERROR\"}\n"),
];

const BLANK: [File; 8] = [
    ("src/lib.rs", include_str!("templates/blank/lib.rs")),
    ("cases/good/meta.json", META),
    ("cases/good/input/gt.txt", "yes\n"),
    ("cases/good/output/pred.txt", "yes\n"),
    ("cases/good/expected.json", "{\"equal\": 1}\n"),
    ("cases/bad/meta.json", META),
    ("cases/bad/input/gt.txt", "yes\n"),
    ("cases/bad/expected.json", "{\"error\": \"MISSING_FILE\"}\n"),
];

/// The files of a kind of crate.
pub fn files(kind: Kind) -> impl Iterator<Item = File> {
    let own: &[File] = match kind {
        Kind::Csv => &CSV,
        Kind::Json => &JSON,
        Kind::Blank => &BLANK,
    };
    SHARED.iter().chain(own).copied()
}

/// Where the template's own manifest finds the API.
pub const OWN_DEPENDENCY: &str = "autoscorer-plugin-api = { path = \"../../plugin-api\" }\n";

/// Writes other words over some, in one pass, so that what was written is not written over.
pub fn replace(text: &str, words: &[(&str, &str)]) -> String {
    let (mut replaced, mut rest) = (String::new(), text);
    while let Some(next) = rest.chars().next() {
        match words.iter().find(|(old, _)| rest.starts_with(old)) {
            Some((old, new)) => {
                replaced.push_str(new);
                rest = &rest[old.len()..];
            }
            None => {
                replaced.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_not_written_over() {
        let words = [("my-scorer", "x-my_scorer"), ("my_scorer", "x_my_scorer")];
        assert_eq!(replace("my-scorer is my_scorer, é", &words), "x-my_scorer is x_my_scorer, é");
    }

    #[test]
    fn the_manifest_has_the_line_that_is_replaced() {
        assert!(files(Kind::Csv).any(|(_, text)| text.contains(OWN_DEPENDENCY)));
    }
}
