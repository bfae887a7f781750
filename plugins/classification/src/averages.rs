//! Averages over classes: of precision, recall and F1, in the three ways of scikit-learn.

use crate::confusion::{Class, ratio};

/// One measure averaged over classes in three ways.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Average {
    /// Every class counts the same.
    pub(crate) over_classes: f64,
    /// Every row counts the same: from the sums of the counts.
    pub(crate) over_rows: f64,
    /// Every class counts by its rows in the ground truth.
    pub(crate) weighted: f64,
}

/// The averages of all measures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Averages {
    pub(crate) f1: Average,
    pub(crate) precision: Average,
    pub(crate) recall: Average,
}

impl Averages {
    /// The averages over these classes; there is at least one.
    pub(crate) fn of(classes: &[Class]) -> Self {
        let sum = |of: fn(&Class) -> u64| classes.iter().map(of).sum::<u64>();
        let all = Class {
            hits: sum(|class| class.hits),
            support: sum(|class| class.support),
            predicted: sum(|class| class.predicted),
        };
        let average = |measure: fn(&Class) -> f64| {
            let weighted: f64 = classes.iter().map(|class| measure(class) * class.support as f64).sum();
            Average {
                over_classes: classes.iter().map(measure).sum::<f64>() / classes.len() as f64,
                over_rows: measure(&all),
                weighted: if all.support == 0 { 0.0 } else { weighted / all.support as f64 },
            }
        };
        Self { f1: average(Class::f1), precision: average(Class::precision), recall: average(Class::recall) }
    }
}

/// The mean recall of the classes that the ground truth has.
pub(crate) fn balanced_accuracy(classes: &[Class]) -> f64 {
    let with_rows = classes.iter().filter(|class| class.support > 0);
    with_rows.clone().map(Class::recall).sum::<f64>() / with_rows.count() as f64
}

/// The share of rows that were given their own label.
pub(crate) fn accuracy(classes: &[Class], total: u64) -> f64 {
    ratio(classes.iter().map(|class| class.hits).sum(), total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confusion::samples::Pairs;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn where_all_rows_are_answered_the_average_over_rows_is_the_accuracy(pairs in prop::collection::vec(("[a-d]", "[a-e]"), 1..60)) {
            let pairs: Vec<_> = pairs.into_iter().map(|(truth, guess)| (truth, Some(guess))).collect();
            let counted = Pairs::owned(&pairs);
            let confusion = counted.confusion();
            let averages = Averages::of(&confusion.classes);
            let accuracy = accuracy(&confusion.classes, confusion.total);
            for measure in [averages.f1, averages.precision, averages.recall] {
                prop_assert_eq!(measure.over_rows, accuracy);
            }
            // Weighting recall by rows undoes its division.
            prop_assert!((averages.recall.weighted - accuracy).abs() < 1e-12);
        }

        #[test]
        fn what_is_all_right_is_one_everywhere(labels in prop::collection::vec("[a-d]", 1..40)) {
            let pairs: Vec<_> = labels.into_iter().map(|label| (label.clone(), Some(label))).collect();
            let classes = Pairs::owned(&pairs).confusion().classes;
            let one = Average { over_classes: 1.0, over_rows: 1.0, weighted: 1.0 };
            prop_assert_eq!(Averages::of(&classes), Averages { f1: one, precision: one, recall: one });
            prop_assert_eq!(balanced_accuracy(&classes), 1.0);
        }
    }
}
