//! The totals of a batch: the document's, over the files that were evaluated, and ours, over all selected pull requests.

use serde::Serialize;

use super::evaluation::{Case, Evaluation, Skip};
use super::rate::{f1, rounded, share};

/// The document's totals. A pull request whose file was skipped is in none of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Totals {
    pub(crate) total_files: usize,
    pub(crate) evaluated_files: usize,
    pub(crate) total_generated_comments: usize,
    pub(crate) total_reference_comments: usize,
    pub(crate) total_line_matches: usize,
    pub(crate) total_semantic_matches: usize,
    pub(crate) overall_line_match_rate: f64,
    pub(crate) overall_semantic_match_rate: f64,
    pub(crate) overall_line_recall: f64,
    pub(crate) overall_semantic_recall: f64,
    /// Pairs that the procedure compares when it goes through the files one by one, whoever judges them.
    pub(crate) judge_calls: usize,
}

impl Totals {
    /// Adds up what was evaluated.
    pub(crate) fn of(evaluation: &Evaluation, files: usize) -> Self {
        let evaluated: Vec<&Case> = evaluation.cases.iter().filter(|case| case.skipped.is_none()).collect();
        let sum = |count: fn(&Case) -> usize| evaluated.iter().map(|case| count(case)).sum();
        let (generated, expected) = (sum(|case| case.task.comments.len()), sum(|case| case.task.expected()));
        let (lines, matches) = (sum(Case::line_matches), sum(Case::matches));
        Self {
            total_files: files,
            evaluated_files: evaluated.len(),
            total_generated_comments: generated,
            total_reference_comments: expected,
            total_line_matches: lines,
            total_semantic_matches: matches,
            overall_line_match_rate: rounded(lines, generated, 4),
            overall_semantic_match_rate: rounded(matches, generated, 4),
            overall_line_recall: rounded(lines, expected, 4),
            overall_semantic_recall: rounded(matches, expected, 4),
            judge_calls: sum(|case| case.judgements.len()),
        }
    }
}

/// Counts that add up over pull requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) generated: usize,
    pub(crate) expected: usize,
    pub(crate) lines: usize,
    pub(crate) matches: usize,
}

impl Counts {
    /// Of one pull request.
    pub(crate) fn of(case: &Case) -> Self {
        Self {
            generated: case.task.comments.len(),
            expected: case.task.references.len(),
            lines: case.line_matches(),
            matches: case.matches(),
        }
    }

    /// Of all that a filter has left, the silent ones too.
    pub(crate) fn of_all(evaluation: &Evaluation) -> Vec<Self> {
        evaluation.cases.iter().filter(|case| case.is_selected()).map(Self::of).collect()
    }

    pub(crate) fn add(self, other: &Self) -> Self {
        Self {
            generated: self.generated + other.generated,
            expected: self.expected + other.expected,
            lines: self.lines + other.lines,
            matches: self.matches + other.matches,
        }
    }

    /// A measure of matches, or of places where meaning does not count.
    pub(crate) fn measures(&self) -> Measures {
        Measures {
            precision: share(self.matches, self.generated),
            recall: share(self.matches, self.expected),
            f1: f1(self.matches, self.generated, self.expected),
            line_precision: share(self.lines, self.generated),
            line_recall: share(self.lines, self.expected),
            line_f1: f1(self.lines, self.generated, self.expected),
        }
    }
}

/// Precision, recall and their mean, by meaning and by place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(crate) struct Measures {
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) f1: f64,
    pub(crate) line_precision: f64,
    pub(crate) line_recall: f64,
    pub(crate) line_f1: f64,
}

impl Measures {
    /// By name.
    pub(crate) fn named(&self) -> [(&'static str, f64); 6] {
        [
            ("precision", self.precision),
            ("recall", self.recall),
            ("f1", self.f1),
            ("line_precision", self.line_precision),
            ("line_recall", self.line_recall),
            ("line_f1", self.line_f1),
        ]
    }
}

/// Pull requests that nothing was said about.
pub(crate) fn silent(evaluation: &Evaluation) -> Vec<&str> {
    let silent = evaluation.cases.iter().filter(|case| case.skipped == Some(Skip::Silent));
    silent.map(|case| case.pull.url.as_str()).collect()
}
