//! The name of a new crate, and the names that follow from it.

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};

/// Words that no crate can be called: Rust's own, now or later.
const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Names that the compiler, cargo or the new crate itself already use.
const TAKEN: [&str; 10] =
    ["alloc", "autoscorer_plugin_api", "build", "core", "deps", "examples", "incremental", "proc_macro", "std", "test"];

const LONGEST: usize = 60;

/// The names of a new crate.
#[derive(Debug, PartialEq)]
pub struct Names {
    /// The crate, as it was given.
    pub package: String,
    /// The scorer and the library.
    pub id: String,
    /// The type of the scorer.
    pub scorer: String,
    /// The type of its parameters.
    pub params: String,
}

impl Names {
    /// The names that follow from the crate's, if that is one.
    pub fn of(package: &str) -> Result<Self, ScoreError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let starts = package.starts_with(|c: char| c.is_ascii_lowercase());
        let ends = package.ends_with(|c: char| c.is_ascii_alphanumeric());
        let lower = !package.contains(|c: char| c.is_ascii_uppercase());
        if !(starts && ends && lower && package.chars().all(plain)) || package.len() > LONGEST {
            let expected = format!("at most {LONGEST} lower-case letters, digits, '-' and '_', a letter first");
            return Err(wrong(package, "is no name of a crate", &expected, "try one such as my-scorer"));
        }
        let id = package.replace('-', "_");
        if KEYWORDS.contains(&id.as_str()) {
            let hint = format!("try {package}-scorer");
            return Err(wrong(package, "is a word of the Rust language", "a name that is free", &hint));
        }
        if TAKEN.contains(&id.as_str()) {
            let hint = format!("try {package}-scorer");
            return Err(wrong(package, "is a name of Rust's own tools", "a name that is free", &hint));
        }
        let camel: String = id.split('_').map(capitalised).collect();
        // A type called like one of the API's would hide it.
        let stem = camel.strip_suffix("Scorer").filter(|stem| !stem.is_empty()).unwrap_or(&camel).to_owned();
        Ok(Self { package: package.to_owned(), id, scorer: format!("{stem}Scorer"), params: format!("{stem}Params") })
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// The error of a name that cannot be used.
pub fn wrong(name: &str, what: &str, expected: &str, hint: &str) -> ScoreError {
    ScoreError::new(ErrorCode::InvalidParams, format!("'{name}' {what}"))
        .found(name)
        .expected(expected)
        .hint(hint)
        .at_stage("usage")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_after_the_crate_and_hide_nothing() {
        for (package, id, scorer, params) in [
            ("my-scorer", "my_scorer", "MyScorer", "MyParams"),
            ("bleu", "bleu", "BleuScorer", "BleuParams"),
            ("scorer", "scorer", "ScorerScorer", "ScorerParams"),
            ("word_error-rate2", "word_error_rate2", "WordErrorRate2Scorer", "WordErrorRate2Params"),
        ] {
            let names = Names::of(package).unwrap();
            assert_eq!((names.id.as_str(), names.scorer.as_str(), names.params.as_str()), (id, scorer, params));
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for name in ["", "2d", "My", "a b", "../up", "naïve", "a-", "fn", "self", "test", "-x", &"a".repeat(61)] {
            assert_eq!(Names::of(name).unwrap_err().stage.as_deref(), Some("usage"), "{name}");
        }
    }
}
