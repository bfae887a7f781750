//! Agreement beyond chance: Matthews correlation and Cohen's kappa, from exact integers.

use crate::confusion::Confusion;

/// What both measures are made of. No answer counts as a label of its own that the ground truth never has.
struct Sums {
    /// Rows, squared.
    all: i128,
    /// Right rows, times rows.
    right: i128,
    /// Over labels: rows that have it, times rows that were given it.
    crossed: i128,
    /// Over labels: rows that have it, squared.
    truths: i128,
    /// Over labels: rows that were given it, squared.
    guesses: i128,
}

impl Sums {
    fn of(confusion: &Confusion<'_>) -> Self {
        let total = i128::from(confusion.total);
        let unanswered = i128::from(confusion.unanswered());
        let product = |a: u64, b: u64| i128::from(a) * i128::from(b);
        let sum = |of: &dyn Fn(u64, u64) -> i128| -> i128 {
            confusion.classes.iter().map(|class| of(class.support, class.predicted)).sum()
        };
        Self {
            all: total * total,
            right: total * i128::from(confusion.correct()),
            crossed: sum(&product),
            truths: sum(&|support, _| product(support, support)),
            guesses: sum(&|_, predicted| product(predicted, predicted)) + unanswered * unanswered,
        }
    }
}

/// The correlation of truth and guess, for any number of labels; 0 where one of the two never varies, as in scikit-learn.
pub(crate) fn matthews(confusion: &Confusion<'_>) -> f64 {
    let sums = Sums::of(confusion);
    let (truths, guesses) = (sums.all - sums.truths, sums.all - sums.guesses);
    if truths == 0 || guesses == 0 {
        return 0.0;
    }
    // One root of the product: two roots would make a perfect guess a little better than perfect.
    (sums.right - sums.crossed) as f64 / (truths as f64 * guesses as f64).sqrt()
}

/// How much better than chance: undefined where chance alone would be always right.
pub(crate) fn kappa(confusion: &Confusion<'_>) -> Option<f64> {
    let sums = Sums::of(confusion);
    let beyond_chance = sums.all - sums.crossed;
    (beyond_chance != 0).then(|| (sums.right - sums.crossed) as f64 / beyond_chance as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confusion::samples::Pairs;
    use proptest::prelude::*;

    fn both(list: &[(&str, &str)]) -> (f64, Option<f64>) {
        let pairs = Pairs::of(list.iter().map(|(truth, guess)| (*truth, Some(*guess))));
        (matthews(&pairs.confusion()), kappa(&pairs.confusion()))
    }

    #[test]
    fn worked_out_by_hand() {
        // 2 of a right, 1 of a given b, 1 of b right: c·s − Σtp = 3·4 − (3·2 + 1·2) = 4, of √(16−10)·√(16−8).
        let (matthews, kappa) = both(&[("a", "a"), ("a", "a"), ("a", "b"), ("b", "b")]);
        assert!((matthews - 4.0 / 48f64.sqrt()).abs() < 1e-15);
        assert_eq!(kappa, Some(4.0 / 8.0));
    }

    #[test]
    fn nothing_is_better_than_perfect() {
        for rows in 1..200 {
            let list: Vec<_> =
                (0..3 * rows).map(|row| ["a", "b", "c", "a"][row % 4]).map(|label| (label, label)).collect();
            assert_eq!(both(&list).0, 1.0, "{rows}");
        }
    }

    #[test]
    fn one_label_alone_says_nothing() {
        assert_eq!(both(&[("a", "a"), ("a", "a")]), (0.0, None));
    }

    /// The correlation by its definition: the covariance of indicators, summed over labels.
    fn slow_matthews(pairs: &[(String, Option<String>)]) -> f64 {
        let n = pairs.len() as f64;
        let labels = ["a", "b", "c", "d", "none"];
        let truth = |pair: &(String, Option<String>), label: &str| f64::from(u8::from(pair.0 == label));
        let guess = |pair: &(String, Option<String>), label: &str| {
            f64::from(u8::from(pair.1.as_deref().unwrap_or("none") == label))
        };
        type Indicator<'i> = &'i dyn Fn(&(String, Option<String>), &str) -> f64;
        let covariance = |x: Indicator<'_>, y: Indicator<'_>| -> f64 {
            let mean = |of: Indicator<'_>, label: &str| pairs.iter().map(|pair| of(pair, label)).sum::<f64>() / n;
            let of_label = |label: &&str| -> f64 {
                pairs.iter().map(|pair| (x(pair, label) - mean(x, label)) * (y(pair, label) - mean(y, label))).sum()
            };
            labels.iter().map(of_label).sum()
        };
        let spread = covariance(&truth, &truth) * covariance(&guess, &guess);
        if spread < 1e-9 { 0.0 } else { covariance(&truth, &guess) / spread.sqrt() }
    }

    proptest! {
        #[test]
        fn matthews_is_the_correlation_of_indicators(
            pairs in prop::collection::vec(("[a-d]", prop::option::weighted(0.9, "[a-d]")), 1..40)
        ) {
            prop_assert!((matthews(&Pairs::owned(&pairs).confusion()) - slow_matthews(&pairs)).abs() < 1e-9);
        }
    }
}
