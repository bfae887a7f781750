//! The confusion matrix: how often each label was taken for which. Knows no files.

use std::collections::BTreeMap;

/// Up to this many cells are counted in a plain table; more labels than that hardly ever meet in most of them.
const DENSE: usize = 1 << 20;

/// How often each label was taken for which.
#[derive(Debug, PartialEq)]
pub(crate) struct Confusion<'l> {
    /// Every label that occurs in the ground truth or the predictions, in order.
    pub(crate) labels: Vec<&'l str>,
    /// What there is to know about each label.
    pub(crate) classes: Vec<Class>,
    /// The cells that are not zero, in order.
    pub(crate) cells: Vec<Cell>,
    /// How many rows there are.
    pub(crate) total: u64,
}

/// How often one label was taken for another, or got no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    /// A number into the labels.
    pub(crate) truth: u32,
    /// A number into the labels, unless there is no prediction.
    pub(crate) guess: Option<u32>,
    pub(crate) count: u64,
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
    /// Counts pairs of true and predicted label, given as numbers into two lists of different names.
    pub(crate) fn of(
        true_names: &'l [String],
        guessed_names: &'l [String],
        pairs: impl Iterator<Item = (u32, Option<u32>)>,
    ) -> Self {
        let mut labels: Vec<&str> = true_names.iter().chain(guessed_names).map(String::as_str).collect();
        labels.sort_unstable();
        labels.dedup();
        let (truths, guesses) = (numbers(&labels, true_names), numbers(&labels, guessed_names));
        let mut cells: Vec<Cell> = count(true_names.len(), guessed_names.len(), pairs)
            .map(|(truth, guess, count)| Cell {
                truth: truths[truth as usize],
                guess: guess.map(|guess| guesses[guess as usize]),
                count,
            })
            .collect();
        cells.sort_unstable();
        let mut classes = vec![Class::default(); labels.len()];
        for cell in &cells {
            classes[cell.truth as usize].support += cell.count;
            let Some(guess) = cell.guess else { continue };
            classes[guess as usize].predicted += cell.count;
            if guess == cell.truth {
                classes[guess as usize].hits += cell.count;
            }
        }
        let total = cells.iter().map(|cell| cell.count).sum();
        Self { labels, classes, cells, total }
    }

    /// How many rows were given their own label.
    pub(crate) fn correct(&self) -> u64 {
        self.classes.iter().map(|class| class.hits).sum()
    }

    /// How many rows have no prediction.
    pub(crate) fn unanswered(&self) -> u64 {
        self.total - self.classes.iter().map(|class| class.predicted).sum::<u64>()
    }
}

/// Names as numbers into a sorted list of labels that has them all.
pub(crate) fn numbers(labels: &[&str], names: &[String]) -> Vec<u32> {
    names.iter().map(|name| labels.partition_point(|label| *label < name.as_str()) as u32).collect()
}

/// The counts that are not zero, in any order.
fn count(
    truths: usize,
    guesses: usize,
    pairs: impl Iterator<Item = (u32, Option<u32>)>,
) -> Box<dyn Iterator<Item = (u32, Option<u32>, u64)>> {
    // The last column is for no answer.
    let width = guesses + 1;
    let column = move |guess: Option<u32>| guess.map_or(guesses, |guess| guess as usize);
    let answer = move |column: usize| (column < guesses).then_some(column as u32);
    if truths.saturating_mul(width) <= DENSE {
        let mut table = vec![0u64; truths * width];
        for (truth, guess) in pairs {
            table[truth as usize * width + column(guess)] += 1;
        }
        let cells = table.into_iter().enumerate().filter(|(_, count)| *count > 0);
        return Box::new(cells.map(move |(at, count)| ((at / width) as u32, answer(at % width), count)));
    }
    let mut table: BTreeMap<(u32, usize), u64> = BTreeMap::new();
    for (truth, guess) in pairs {
        *table.entry((truth, column(guess))).or_default() += 1;
    }
    Box::new(table.into_iter().map(move |((truth, column), count)| (truth, answer(column), count)))
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
pub(crate) mod samples {
    //! Pairs of labels for tests.
    use super::*;

    /// Pairs of labels as codes with their names.
    pub(crate) struct Pairs {
        truths: Vec<String>,
        guesses: Vec<String>,
        codes: Vec<(u32, Option<u32>)>,
    }

    impl Pairs {
        pub(crate) fn of<'p>(pairs: impl IntoIterator<Item = (&'p str, Option<&'p str>)>) -> Self {
            let (mut truths, mut guesses) = (Vec::new(), Vec::new());
            let pairs = pairs.into_iter();
            let codes = pairs.map(|(t, g)| (code(&mut truths, t), g.map(|g| code(&mut guesses, g)))).collect();
            Self { truths, guesses, codes }
        }

        pub(crate) fn owned(pairs: &[(String, Option<String>)]) -> Self {
            Self::of(pairs.iter().map(|(truth, guess)| (truth.as_str(), guess.as_deref())))
        }

        pub(crate) fn confusion(&self) -> Confusion<'_> {
            Confusion::of(&self.truths, &self.guesses, self.codes.iter().copied())
        }
    }

    fn code(names: &mut Vec<String>, name: &str) -> u32 {
        let place = names.iter().position(|known| known == name);
        place.unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        }) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::samples::Pairs;
    use super::*;
    use proptest::prelude::*;

    /// F1 by its textbook definition, from precision and recall.
    fn textbook_f1(pairs: &[(String, Option<String>)], label: &str) -> f64 {
        let count = |hit: &dyn Fn(&str, Option<&str>) -> bool| {
            pairs.iter().filter(|(t, g)| hit(t, g.as_deref())).count() as f64
        };
        let hits = count(&|truth, guess| truth == label && guess == Some(label));
        if hits == 0.0 {
            return 0.0;
        }
        let precision = hits / count(&|_, guess| guess == Some(label));
        let recall = hits / count(&|truth, _| truth == label);
        2.0 * precision * recall / (precision + recall)
    }

    fn some_pairs() -> impl Strategy<Value = Vec<(String, Option<String>)>> {
        prop::collection::vec(("[a-d]", prop::option::weighted(0.9, "[a-e]")), 1..60)
    }

    #[test]
    fn many_labels_are_counted_without_a_table_of_all() {
        let names: Vec<String> = (0..3_000).map(|n| format!("{n:04}")).collect();
        let codes = || (0..3_000).map(|n| (n, Some((n + 1) % 3_000)));
        let confusion = Confusion::of(&names, &names, codes());
        assert_eq!((confusion.cells.len(), confusion.total, confusion.correct()), (3_000, 3_000, 0));
        assert_eq!(confusion.cells[0], Cell { truth: 0, guess: Some(1), count: 1 });
    }

    proptest! {
        #[test]
        fn f1_is_the_textbook_s(pairs in some_pairs()) {
            let counted = Pairs::owned(&pairs);
            let confusion = counted.confusion();
            for (label, class) in confusion.labels.iter().zip(&confusion.classes) {
                prop_assert!((class.f1() - textbook_f1(&pairs, label)).abs() < 1e-12);
            }
        }

        #[test]
        fn the_order_of_rows_changes_nothing(pairs in some_pairs()) {
            let mut reversed = pairs.clone();
            reversed.reverse();
            let (pairs, reversed) = (Pairs::owned(&pairs), Pairs::owned(&reversed));
            prop_assert_eq!(pairs.confusion(), reversed.confusion());
        }

        #[test]
        fn renaming_labels_changes_only_names(pairs in some_pairs()) {
            // In the same order, so that the classes stand at the same places.
            let renamed: Vec<_> =
                pairs.iter().map(|(t, g)| (format!("x{t}"), g.as_ref().map(|g| format!("x{g}")))).collect();
            let (plain, other) = (Pairs::owned(&pairs), Pairs::owned(&renamed));
            let (plain, other) = (plain.confusion(), other.confusion());
            prop_assert_eq!((&plain.classes, &plain.cells), (&other.classes, &other.cells));
        }

        #[test]
        fn exchanging_truth_and_guess_exchanges_precision_and_recall(pairs in prop::collection::vec(("[a-d]", "[a-d]"), 1..60)) {
            let there: Vec<_> = pairs.iter().map(|(truth, guess)| (truth.clone(), Some(guess.clone()))).collect();
            let back: Vec<_> = pairs.into_iter().map(|(truth, guess)| (guess, Some(truth))).collect();
            let (there, back) = (Pairs::owned(&there), Pairs::owned(&back));
            for (class, other) in there.confusion().classes.iter().zip(&back.confusion().classes) {
                prop_assert_eq!((class.precision(), class.f1()), (other.recall(), other.f1()));
            }
        }
    }
}
