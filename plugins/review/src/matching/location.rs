//! Whether two comments are about the same place: path, then side, then lines.

use serde::Serialize;

use crate::read::comment::{Place, forward_slashes};
use crate::read::line::Line;

/// Which of the three agree. The first that does not ends the comparison, and those behind it stay true.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Agreement {
    pub(crate) path_match: bool,
    pub(crate) side_match: bool,
    pub(crate) line_overlap: bool,
}

impl Agreement {
    /// All three agree.
    pub(crate) const FULL: Self = Self { path_match: true, side_match: true, line_overlap: true };
}

/// How places are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// As the document's program does: what is missing matches everything, ends are taken as they are.
    Document,
    /// Paths and sides normalised, ranges put right, nothing matches everything; a side that is missing is unknown.
    Normalised,
}

/// Compares two places. Lines agree when the ranges share one or are at most `threshold` apart.
pub(crate) fn compare(rule: Rule, generated: &Place, reference: &Place, threshold: u64) -> Agreement {
    let (paths, sides, lines) = rule.parts();
    if !paths(generated, reference) {
        return Agreement { path_match: false, ..Agreement::FULL };
    }
    if !sides(generated, reference) {
        return Agreement { side_match: false, ..Agreement::FULL };
    }
    Agreement { line_overlap: lines(generated, reference, Line::from(threshold)), ..Agreement::FULL }
}

/// Whether all three agree. The cheapest goes first: most pairs differ in their lines already.
pub(crate) fn agree(rule: Rule, generated: &Place, reference: &Place, threshold: u64) -> bool {
    let (paths, sides, lines) = rule.parts();
    lines(generated, reference, Line::from(threshold)) && sides(generated, reference) && paths(generated, reference)
}

type Places = fn(&Place, &Place) -> bool;
type Lines = fn(&Place, &Place, Line) -> bool;

impl Rule {
    fn parts(self) -> (Places, Places, Lines) {
        match self {
            Self::Document => (document_paths, document_sides, document_lines),
            Self::Normalised => (normal_paths, normal_sides, normal_lines),
        }
    }
}

fn document_paths(generated: &Place, reference: &Place) -> bool {
    !generated.has_path()
        || !reference.has_path()
        || forward_slashes(generated.shown_path()) == forward_slashes(reference.shown_path())
}

fn document_sides(generated: &Place, reference: &Place) -> bool {
    generated.side.is_none() || reference.side.is_none() || generated.side == reference.side
}

fn document_lines(generated: &Place, reference: &Place, threshold: Line) -> bool {
    let (Some((from, to)), Some((start, end))) = (generated.range(), reference.range()) else { return true };
    from <= end && start <= to || apart(from, end).min(apart(start, to)) <= threshold
}

fn normal_paths(generated: &Place, reference: &Place) -> bool {
    generated.has_path() && reference.has_path() && normal_path(generated) == normal_path(reference)
}

/// A path without what differs between tools: backslashes, doubled slashes, `./`, and the prefixes of a diff.
pub(crate) fn normal_path(place: &Place) -> String {
    let slashes = forward_slashes(place.shown_path().trim());
    let segments: Vec<&str> = slashes.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
    let prefixed = segments.len() > 1 && matches!(segments[0], "a" | "b");
    segments[usize::from(prefixed)..].join("/")
}

fn normal_sides(generated: &Place, reference: &Place) -> bool {
    let side = |place: &Place| Some(place.side.as_deref()?.trim().to_lowercase()).filter(|side| !side.is_empty());
    match (side(generated), side(reference)) {
        (Some(generated), Some(reference)) => generated == reference,
        _ => true,
    }
}

fn normal_lines(generated: &Place, reference: &Place, threshold: Line) -> bool {
    gap(generated, reference).is_some_and(|gap| gap <= threshold)
}

/// How many lines two ranges are apart when put right, 0 if they share one; nothing where one of them is missing.
pub(crate) fn gap(generated: &Place, reference: &Place) -> Option<Line> {
    let ordered = |(from, to): (Line, Line)| (from.min(to), from.max(to));
    let ((from, to), (start, end)) = (ordered(generated.range()?), ordered(reference.range()?));
    Some(start.saturating_sub(to).max(from.saturating_sub(end)).max(0))
}

fn apart(one: Line, other: Line) -> Line {
    one.saturating_sub(other).saturating_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str, side: &str, from: Line, to: Line) -> Place {
        Place { path: Some(path.to_owned()), from: Some(from), to: Some(to), side: Some(side.to_owned()) }
    }

    fn same(rule: Rule, generated: &Place, reference: &Place, threshold: u64) -> bool {
        let full = compare(rule, generated, reference, threshold) == Agreement::FULL;
        assert_eq!(full, agree(rule, generated, reference, threshold));
        full
    }

    #[test]
    fn lines_agree_within_the_threshold() {
        let reference = at("a.go", "right", 10, 12);
        for (from, to, threshold, agree) in [(12, 20, 0, true), (13, 13, 0, false), (13, 13, 1, true), (5, 7, 3, true)]
        {
            for rule in [Rule::Document, Rule::Normalised] {
                assert_eq!(same(rule, &at("a.go", "right", from, to), &reference, threshold), agree, "{from}-{to}");
            }
        }
    }

    #[test]
    fn what_is_missing_matches_everything_only_in_the_document() {
        let reference = at("a.go", "right", 10, 12);
        let nowhere = Place { path: Some(String::new()), from: None, to: None, side: None };
        assert!(same(Rule::Document, &nowhere, &reference, 0));
        assert!(!same(Rule::Normalised, &nowhere, &reference, 0));
        assert!(!same(Rule::Document, &at("a.go", "", 10, 10), &reference, 0));
        assert!(same(Rule::Normalised, &at("a.go", "", 10, 10), &reference, 0));
    }

    #[test]
    fn spelling_counts_only_in_the_document() {
        let reference = at("src/a.go", "right", 12, 10);
        for (path, side) in [("b/src/a.go", "right"), ("./src//a.go", "right"), ("src/a.go", " RIGHT")] {
            assert!(!same(Rule::Document, &at(path, side, 12, 10), &reference, 0));
            assert!(same(Rule::Normalised, &at(path, side, 12, 10), &reference, 0));
        }
        assert!(same(Rule::Document, &at("src\\a.go", "right", 10, 10), &reference, 0));
        assert!(!same(Rule::Normalised, &at("../src/a.go", "right", 10, 10), &reference, 0));
        // A reversed range does not even match itself there.
        assert!(!same(Rule::Document, &reference, &reference, 0));
    }

    #[test]
    fn lines_beyond_all_files_do_not_overflow() {
        let far = at("a.go", "right", Line::MIN, Line::MAX);
        for rule in [Rule::Document, Rule::Normalised] {
            assert!(same(rule, &far, &at("a.go", "right", Line::MAX, Line::MIN), u64::MAX));
        }
    }
}
