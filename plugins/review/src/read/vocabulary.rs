//! The words that PRs and comments are sorted by: four closed lists, with "did you mean" for what is not on them.

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::suggest;

/// One of the closed lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    PrCategory,
    Language,
    CommentCategory,
    CommentContext,
}

impl List {
    /// All words of the list.
    pub(crate) const fn words(self) -> &'static [&'static str] {
        match self {
            Self::PrCategory => &[
                "Bug Fix",
                "Code Refactoring / Architectural Improvement",
                "New Feature Additions",
                "Performance Optimizations",
                "Security Patches / Vulnerability Fixes",
                "Documentation Update",
                "Code Style, Linting, Formatting Fixes",
                "Test Suite / CI Enhancements",
                "Dependency Updates & Environment Compatibility",
            ],
            Self::Language => &["Python", "Java", "JavaScript", "TypeScript", "Go", "Rust", "C", "C++", "C#", "PHP"],
            Self::CommentCategory => {
                &["Code Defect", "Maintainability and Readability", "Performance", "Security Vulnerability"]
            }
            Self::CommentContext => &["Diff Level", "File Level", "Repo Level"],
        }
    }

    /// What a word of the list is.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::PrCategory => "PR category",
            Self::Language => "language",
            Self::CommentCategory => "comment category",
            Self::CommentContext => "comment context",
        }
    }

    /// Whether the list has the word, spelled exactly so.
    pub(crate) fn has(self, word: &str) -> bool {
        self.words().contains(&word)
    }

    /// The word of the list that was probably meant.
    pub(crate) fn nearest(self, word: &str) -> Option<&'static str> {
        let same = |known: &&&str| known.eq_ignore_ascii_case(word);
        let near = || {
            let lower = word.to_lowercase();
            let words = self.words().iter().map(|known| (known.to_lowercase(), *known)).collect::<Vec<_>>();
            let found = suggest::nearest(&lower, words.iter().map(|(lower, _)| lower.as_str()))?;
            words.iter().find(|(lower, _)| lower == found).map(|(_, known)| *known)
        };
        self.words().iter().find(same).copied().or_else(near)
    }

    /// The fault of a parameter with a word that is not on the list.
    pub(crate) fn unknown(self, param: &str, word: &str) -> ScoreError {
        let message = format!("params.{param}: there is no {} {word:?}", self.noun());
        let error = ScoreError::new(ErrorCode::InvalidParams, message)
            .expected(format!("any of {}", self.words().join(" | ")))
            .detail("key", param);
        match self.nearest(word) {
            Some(near) => error.hint(format!("did you mean '{near}'?")),
            None => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_met_with_the_word_that_was_meant() {
        assert_eq!(List::PrCategory.nearest("bugfix"), Some("Bug Fix"));
        assert_eq!(List::Language.nearest("typescript"), Some("TypeScript"));
        assert_eq!(List::CommentContext.nearest("Diff-Level"), Some("Diff Level"));
        assert_eq!(List::CommentCategory.nearest("poetry"), None);
        let fault = List::Language.unknown("project_languages", "Pyton");
        assert_eq!(fault.details.hint.as_deref(), Some("did you mean 'Python'?"));
    }
}
