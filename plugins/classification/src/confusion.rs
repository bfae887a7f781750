//! The confusion matrix: how often each label was taken for which. Knows no files.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How often each label was taken for which.
#[derive(Debug, Default)]
pub(crate) struct Confusion<'l> {
    cells: HashMap<(&'l str, &'l str), u64>,
}

/// What there is to know about one label.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Class {
    /// Rows that have the label and were given it.
    pub(crate) hits: u64,
    /// Rows that have the label.
    pub(crate) support: u64,
    /// Rows that were given the label.
    pub(crate) predicted: u64,
}

impl<'l> Confusion<'l> {
    /// Counts pairs of true and predicted label.
    pub(crate) fn of(pairs: impl Iterator<Item = (&'l str, &'l str)>) -> Self {
        let mut cells = HashMap::new();
        for pair in pairs {
            *cells.entry(pair).or_default() += 1;
        }
        Self { cells }
    }

    /// Every label that occurs in the ground truth or the predictions.
    pub(crate) fn classes(&self) -> BTreeMap<&'l str, Class> {
        let mut classes: BTreeMap<&str, Class> = BTreeMap::new();
        for (&(truth, guess), &count) in &self.cells {
            classes.entry(truth).or_default().support += count;
            classes.entry(guess).or_default().predicted += count;
            if truth == guess {
                classes.entry(truth).or_default().hits += count;
            }
        }
        classes
    }

    /// The labels of the ground truth.
    pub(crate) fn true_labels(&self) -> BTreeSet<&'l str> {
        self.cells.keys().map(|(truth, _)| *truth).collect()
    }

    /// How many rows there are.
    pub(crate) fn total(&self) -> u64 {
        self.cells.values().sum()
    }

    /// How many rows were given their own label.
    pub(crate) fn correct(&self) -> u64 {
        self.cells.iter().filter(|((truth, guess), _)| truth == guess).map(|(_, count)| count).sum()
    }

    /// The cells that are not zero, the largest first.
    pub(crate) fn cells(&self) -> Vec<(&'l str, &'l str, u64)> {
        let mut cells: Vec<_> = self.cells.iter().map(|(&(truth, guess), &count)| (truth, guess, count)).collect();
        cells.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| (a.0, a.1).cmp(&(b.0, b.1))));
        cells
    }
}

impl Class {
    /// The share of rows given the label that have it; 0 where none was given it.
    pub(crate) fn precision(&self) -> f64 {
        ratio(self.hits, self.predicted)
    }

    /// The share of rows with the label that were given it; 0 where none has it.
    pub(crate) fn recall(&self) -> f64 {
        ratio(self.hits, self.support)
    }

    /// From counts, so that no 0/0 of precision and recall needs a rule.
    pub(crate) fn f1(&self) -> f64 {
        ratio(2 * self.hits, self.support + self.predicted)
    }
}

/// A share, 0 of nothing being 0, as scikit-learn with `zero_division=0`.
pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// F1 by its textbook definition, from precision and recall.
    fn textbook_f1(pairs: &[(String, String)], label: &str) -> f64 {
        let count = |hit: &dyn Fn(&(String, String)) -> bool| pairs.iter().filter(|pair| hit(pair)).count() as f64;
        let hits = count(&|(truth, guess)| truth == label && guess == label);
        if hits == 0.0 {
            return 0.0;
        }
        let precision = hits / count(&|(_, guess)| guess == label);
        let recall = hits / count(&|(truth, _)| truth == label);
        2.0 * precision * recall / (precision + recall)
    }

    fn borrowed(pairs: &[(String, String)]) -> Confusion<'_> {
        Confusion::of(pairs.iter().map(|(truth, guess)| (truth.as_str(), guess.as_str())))
    }

    proptest! {
        #[test]
        fn f1_is_the_textbook_s(pairs in prop::collection::vec(("[a-d]", "[a-e]"), 1..60)) {
            for (label, class) in borrowed(&pairs).classes() {
                prop_assert!((class.f1() - textbook_f1(&pairs, label)).abs() < 1e-12);
            }
        }

        #[test]
        fn the_order_of_rows_changes_nothing(pairs in prop::collection::vec(("[a-d]", "[a-d]"), 1..60)) {
            let mut reversed = pairs.clone();
            reversed.reverse();
            prop_assert_eq!(borrowed(&pairs).classes(), borrowed(&reversed).classes());
            prop_assert_eq!(borrowed(&pairs).cells(), borrowed(&reversed).cells());
        }

        #[test]
        fn exchanging_truth_and_guess_exchanges_precision_and_recall(pairs in prop::collection::vec(("[a-d]", "[a-d]"), 1..60)) {
            let swapped: Vec<_> = pairs.iter().map(|(truth, guess)| (guess.clone(), truth.clone())).collect();
            let (there, back) = (borrowed(&pairs), borrowed(&swapped));
            for ((_, class), (_, other)) in there.classes().iter().zip(back.classes().iter()) {
                prop_assert_eq!((class.precision(), class.f1()), (other.recall(), other.f1()));
            }
        }
    }
}
