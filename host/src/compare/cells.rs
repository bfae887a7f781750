//! Rows of two classifications of the same ground truth, counted by what they are and what each side took them for.
//!
//! Wrong rows are listed and right ones are not, but their labels are known by count: that is all that a metric needs.

use std::collections::BTreeMap;

use super::interval::Both;

/// A classification: its wrong rows by id, and how many rows there are of each label.
#[derive(Debug, Clone, Default)]
pub struct Classified {
    /// All rows.
    pub rows: u64,
    /// Rows by true label; empty where that is not known.
    pub support: BTreeMap<String, u64>,
    /// True label and prediction, if there is one, of each wrong row.
    pub wrong: BTreeMap<String, (String, Option<String>)>,
}

/// A kind of row: its true label, and what each side says.
type Kind = (usize, [Option<usize>; 2]);

/// How many rows there are of each kind.
#[derive(Debug)]
pub struct Cells {
    kinds: Vec<Kind>,
    /// In the order of the kinds.
    pub counts: Vec<u64>,
    labels: usize,
}

impl Cells {
    /// Joins two classifications.
    pub fn of(sides: [&Classified; 2]) -> Self {
        let mut names: BTreeMap<String, usize> = BTreeMap::new();
        let mut number = |name: &str| {
            let next = names.len();
            *names.entry(name.to_owned()).or_insert(next)
        };
        let mut kinds: BTreeMap<Kind, u64> = BTreeMap::new();
        let mut left = sides[0].support.clone();
        let ids = sides[0].wrong.keys().chain(sides[1].wrong.keys().filter(|id| !sides[0].wrong.contains_key(*id)));
        let mut listed = 0;
        for id in ids {
            let Some((name, _)) = sides.iter().find_map(|side| side.wrong.get(id)) else { continue };
            let truth = number(name);
            let guesses = sides.map(|side| match side.wrong.get(id) {
                Some((_, guess)) => guess.as_deref().map(&mut number),
                None => Some(truth),
            });
            *kinds.entry((truth, guesses)).or_default() += 1;
            listed += 1;
            if let Some(count) = left.get_mut(name) {
                *count = count.saturating_sub(1);
            }
        }
        if left.values().sum::<u64>() + listed != sides[0].rows {
            // The labels of right rows are not known; as one label they still tell how many are right.
            left = BTreeMap::from([("\u{0}right".to_owned(), sides[0].rows.saturating_sub(listed))]);
        }
        for (name, count) in left.into_iter().filter(|(_, count)| *count > 0) {
            let label = number(&name);
            *kinds.entry((label, [Some(label); 2])).or_default() += count;
        }
        let (kinds, counts) = kinds.into_iter().unzip();
        Self { kinds, counts, labels: names.len() }
    }

    /// What a classification is measured by, for both sides, with so many rows of each kind.
    pub fn measure(&self, counts: &[u64]) -> Vec<Both> {
        let [a, b] = [0, 1].map(|side| self.measures(side, counts));
        a.into_iter().zip(b).map(|((name, a), (_, b))| (name, a, b)).collect()
    }

    fn measures(&self, side: usize, counts: &[u64]) -> [(&'static str, f64); 4] {
        let mut tallies = vec![Tally::default(); self.labels];
        for ((truth, guesses), count) in self.kinds.iter().zip(counts) {
            let guess = guesses[side];
            tallies[*truth].truths += count;
            if let Some(guess) = guess {
                tallies[guess].guesses += count;
            }
            if guess == Some(*truth) {
                tallies[*truth].hits += count;
            }
        }
        let sum = |one: fn(&Tally) -> u64| tallies.iter().map(one).sum::<u64>();
        let (hits, truths) = (sum(|tally| tally.hits), sum(|tally| tally.truths));
        let occurring: Vec<&Tally> = tallies.iter().filter(|tally| tally.truths + tally.guesses > 0).collect();
        let of_all: f64 = occurring.iter().map(|tally| tally.f1()).sum();
        let weighted: f64 = tallies.iter().map(|tally| tally.truths as f64 * tally.f1()).sum();
        [
            ("accuracy", share(hits, truths)),
            ("f1_macro", if occurring.is_empty() { 0.0 } else { of_all / occurring.len() as f64 }),
            ("f1_micro", share(2 * hits, truths + sum(|tally| tally.guesses))),
            ("f1_weighted", if truths == 0 { 0.0 } else { weighted / truths as f64 }),
        ]
    }
}

/// One label on one side.
#[derive(Debug, Clone, Default)]
struct Tally {
    truths: u64,
    guesses: u64,
    hits: u64,
}

impl Tally {
    fn f1(&self) -> f64 {
        share(2 * self.hits, self.truths + self.guesses)
    }
}

/// A share; 0 of nothing.
pub(super) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LABELS: [&str; 3] = ["cat", "dog", "fox"];

    fn classified(rows: &[(usize, usize, usize)], guess: fn(&(usize, usize, usize)) -> usize) -> Classified {
        let mut side = Classified { rows: rows.len() as u64, ..Classified::default() };
        for (at, row) in rows.iter().enumerate() {
            *side.support.entry(LABELS[row.0].to_owned()).or_default() += 1;
            if guess(row) != row.0 {
                let guess = LABELS.get(guess(row)).map(|name| (*name).to_owned());
                side.wrong.insert(format!("row {at}"), (LABELS[row.0].to_owned(), guess));
            }
        }
        side
    }

    proptest! {
        /// A guess of 3 is none.
        #[test]
        fn measures_are_those_of_all_rows(rows in prop::collection::vec((0..3usize, 0..4usize, 0..4usize), 1..40)) {
            let (a, b) = (classified(&rows, |row| row.1), classified(&rows, |row| row.2));
            let cells = Cells::of([&a, &b]);
            prop_assert_eq!(cells.counts.iter().sum::<u64>(), rows.len() as u64);
            let measured = cells.measure(&cells.counts);
            let right = rows.iter().filter(|row| row.0 == row.2).count();
            prop_assert_eq!(measured[0].2, right as f64 / rows.len() as f64);
            let f1 = |label: usize| {
                let count = |wanted: &dyn Fn(&(usize, usize, usize)) -> bool| rows.iter().filter(|row| wanted(row)).count();
                let both = count(&|row| row.0 == label) + count(&|row| row.1 == label);
                (both > 0).then(|| 2.0 * count(&|row| row.0 == label && row.1 == label) as f64 / both as f64)
            };
            let values: Vec<f64> = (0..3).filter_map(f1).collect();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            prop_assert!((measured[1].1 - mean).abs() < 1e-12);
            // Without labels of the right rows the share of right ones is still known.
            let blind = Cells::of([&Classified { support: BTreeMap::new(), ..a }, &b]);
            prop_assert_eq!(blind.measure(&blind.counts)[0], measured[0]);
        }
    }
}
