//! The errors of predictions: everything that is measured of them, from two slices of numbers. Knows no files.

use std::ops::Range;

use autoscorer_plugin_api::parallel::Workers;
use autoscorer_plugin_api::sum::Sum;

/// What there is to know about the errors of predictions. What is undefined is absent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Errors {
    pub(crate) rmse: f64,
    pub(crate) mse: f64,
    pub(crate) mae: f64,
    pub(crate) median: f64,
    pub(crate) max: f64,
    pub(crate) gt_mean: f64,
    pub(crate) pred_mean: f64,
    /// The mean share of the error in the true number; absent where a true number is 0.
    pub(crate) mape: Option<f64>,
    /// Absent where the truth never varies.
    pub(crate) r_squared: Option<f64>,
    /// Absent where the truth never varies.
    pub(crate) explained_variance: Option<f64>,
    /// Absent where truth or predictions never vary.
    pub(crate) pearson_r: Option<f64>,
    /// How many true numbers are 0.
    pub(crate) zeros: usize,
    /// Whether the errors are not 0 but their squares are too small to be told from it.
    pub(crate) vanishing: bool,
}

impl Errors {
    /// Compares every number with its prediction; there is at least one.
    pub(crate) fn of(truths: &[f64], guesses: &[f64]) -> Self {
        let rows = truths.len();
        let (totals, median) = workers(rows).both(|| Totals::of(truths, guesses), || median(truths, guesses));
        let count = rows as f64;
        let means = [totals.truth.value() / count, totals.guess.value() / count, totals.error.value() / count];
        let spreads = Spreads::of(truths, guesses, means);
        let squares = totals.square.value();
        let mse = squares / count;
        let varies = totals.truths.varies();
        Self {
            rmse: mse.sqrt(),
            mse,
            mae: totals.absolute.value() / count,
            median,
            max: totals.max,
            gt_mean: means[0],
            pred_mean: means[1],
            mape: (totals.zeros == 0).then(|| totals.share.value() / count).filter(|share| share.is_finite()),
            r_squared: one_minus(squares, spreads.truth, varies),
            explained_variance: one_minus(spreads.error, spreads.truth, varies),
            pearson_r: spreads.correlation().filter(|_| varies && totals.guesses.varies()),
            zeros: totals.zeros,
            // Below this a sum of squares has lost digits, or all of them.
            vanishing: totals.max > 0.0 && mse < f64::MIN_POSITIVE / f64::EPSILON,
        }
    }
}

fn one_minus(part: f64, whole: f64, defined: bool) -> Option<f64> {
    (defined && whole > 0.0).then(|| 1.0 - part / whole)
}

/// Few rows are measured before a second thread has started.
fn workers(rows: usize) -> Workers {
    if rows < 1 << 15 { Workers::new(1) } else { Workers::all() }
}

/// The smallest and the largest of some numbers.
#[derive(Debug, Clone, Copy)]
struct Extent(f64, f64);

impl Extent {
    const EMPTY: Self = Self(f64::INFINITY, f64::NEG_INFINITY);

    fn add(&mut self, other: Self) {
        *self = Self(self.0.min(other.0), self.1.max(other.1));
    }

    fn varies(&self) -> bool {
        self.0 < self.1
    }
}

/// What one pass over the rows gives.
struct Totals {
    truth: Sum,
    guess: Sum,
    error: Sum,
    square: Sum,
    absolute: Sum,
    share: Sum,
    max: f64,
    zeros: usize,
    truths: Extent,
    guesses: Extent,
}

impl Totals {
    fn of(truths: &[f64], guesses: &[f64]) -> Self {
        let none = Sum::default();
        let mut totals = Self {
            truth: none,
            guess: none,
            error: none,
            square: none,
            absolute: none,
            share: none,
            max: 0.0,
            zeros: 0,
            truths: Extent::EMPTY,
            guesses: Extent::EMPTY,
        };
        let pieces = workers(truths.len()).map_rows(truths.len(), |piece| {
            let mut part = Self { ..totals };
            part.add_rows(&truths[piece.clone()], &guesses[piece]);
            part
        });
        pieces.iter().for_each(|piece| totals.join(piece));
        totals
    }

    fn add_rows(&mut self, truths: &[f64], guesses: &[f64]) {
        for (&truth, &guess) in truths.iter().zip(guesses) {
            let error = guess - truth;
            self.truth.add(truth);
            self.guess.add(guess);
            self.error.add(error);
            self.square.add(error * error);
            self.absolute.add(error.abs());
            if truth == 0.0 {
                self.zeros += 1;
            } else {
                self.share.add((error / truth).abs());
            }
            self.max = self.max.max(error.abs());
            self.truths.add(Extent(truth, truth));
            self.guesses.add(Extent(guess, guess));
        }
    }

    fn join(&mut self, other: &Self) {
        self.truth.join(&other.truth);
        self.guess.join(&other.guess);
        self.error.join(&other.error);
        self.square.join(&other.square);
        self.absolute.join(&other.absolute);
        self.share.join(&other.share);
        self.max = self.max.max(other.max);
        self.zeros += other.zeros;
        self.truths.add(other.truths);
        self.guesses.add(other.guesses);
    }
}

/// Sums of squares about means, from a second pass. A mean is rounded; what that adds to the squares is taken off again.
struct Spreads {
    truth: f64,
    guess: f64,
    error: f64,
    crossed: f64,
}

impl Spreads {
    fn of(truths: &[f64], guesses: &[f64], means: [f64; 3]) -> Self {
        let [truth_mean, guess_mean, error_mean] = means;
        let pieces = workers(truths.len()).map_rows(truths.len(), |piece: Range<usize>| {
            let mut sums = [Sum::default(); 7];
            for (&truth, &guess) in truths[piece.clone()].iter().zip(&guesses[piece]) {
                let (t, g, e) = (truth - truth_mean, guess - guess_mean, (guess - truth) - error_mean);
                let terms = [t, g, e, t * t, g * g, e * e, t * g];
                sums.iter_mut().zip(terms).for_each(|(sum, term)| sum.add(term));
            }
            sums
        });
        let mut sums = [Sum::default(); 7];
        for piece in &pieces {
            sums.iter_mut().zip(piece).for_each(|(sum, part)| sum.join(part));
        }
        let [t, g, e, tt, gg, ee, tg] = sums.map(|sum| sum.value());
        let count = truths.len() as f64;
        Self {
            truth: tt - t * t / count,
            guess: gg - g * g / count,
            error: ee - e * e / count,
            crossed: tg - t * g / count,
        }
    }

    fn correlation(&self) -> Option<f64> {
        let spread = self.truth.sqrt() * self.guess.sqrt();
        (spread > 0.0).then(|| (self.crossed / spread).clamp(-1.0, 1.0))
    }
}

/// The bits of the absolute errors: in the same order as these, and compared faster, since none is negative.
pub(crate) fn sizes(truths: &[f64], guesses: &[f64]) -> Vec<u64> {
    truths.iter().zip(guesses).map(|(truth, guess)| (guess - truth).abs().to_bits()).collect()
}

/// The middle one of the absolute errors, or the mean of the middle two.
fn median(truths: &[f64], guesses: &[f64]) -> f64 {
    let mut errors = sizes(truths, guesses);
    let half = errors.len() / 2;
    let even = errors.len().is_multiple_of(2);
    let (below, middle, _) = errors.select_nth_unstable(half);
    let upper = f64::from_bits(*middle);
    match below.iter().max() {
        Some(lower) if even => (f64::from_bits(*lower) + upper) / 2.0,
        _ => upper,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-3)
    }

    fn close_if_any(a: Option<f64>, b: f64) -> bool {
        a.is_none_or(|a| close(a, b))
    }

    /// The same by the formulas as they stand in a book.
    fn slow(truths: &[f64], guesses: &[f64]) -> Errors {
        let n = truths.len() as f64;
        let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / n;
        let spread = |numbers: &[f64]| numbers.iter().map(|x| (x - mean(numbers)).powi(2)).sum::<f64>();
        let errors: Vec<f64> = truths.iter().zip(guesses).map(|(truth, guess)| guess - truth).collect();
        let mut sorted: Vec<f64> = errors.iter().map(|error| error.abs()).collect();
        sorted.sort_by(f64::total_cmp);
        let middle = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
        let squares = errors.iter().map(|error| error * error).sum::<f64>();
        let product = |(t, g): (&f64, &f64)| (t - mean(truths)) * (g - mean(guesses));
        let crossed = truths.iter().zip(guesses).map(product).sum::<f64>();
        Errors {
            rmse: (squares / n).sqrt(),
            mse: squares / n,
            mae: mean(&sorted),
            median: middle,
            max: sorted[sorted.len() - 1],
            gt_mean: mean(truths),
            pred_mean: mean(guesses),
            mape: Some(truths.iter().zip(&errors).map(|(truth, error)| (error / truth).abs()).sum::<f64>() / n),
            r_squared: Some(1.0 - squares / spread(truths)),
            explained_variance: Some(1.0 - spread(&errors) / spread(truths)),
            pearson_r: Some(crossed / (spread(truths) * spread(guesses)).sqrt()),
            zeros: 0,
            vanishing: false,
        }
    }

    fn rows() -> impl Strategy<Value = Vec<(f64, f64)>> {
        prop::collection::vec((1.0..100f64, 1.0..100f64), 1..50)
    }

    #[test]
    fn a_large_offset_takes_no_digits() {
        // The spread of 0, 1, 2, 3, 4 thousandths about any mean is 10 millionths.
        let truths: Vec<f64> = (0..5).map(|n| 1e9 + f64::from(n) / 1024.0).collect();
        let guesses: Vec<f64> = truths.iter().map(|truth| truth + 1.0 / 2048.0).collect();
        let errors = Errors::of(&truths, &guesses);
        assert_eq!(errors.r_squared, Some(1.0 - 5.0 / 4.0 / 10.0));
        assert_eq!(errors.explained_variance, Some(1.0));
        assert!(close_if_any(errors.pearson_r, 1.0));
    }

    #[test]
    fn many_rows_are_measured_in_pieces() {
        let truths: Vec<f64> = (0..200_000).map(|n| f64::from(n % 1_000)).collect();
        let guesses: Vec<f64> = truths.iter().enumerate().map(|(n, truth)| truth + (n % 3) as f64).collect();
        let errors = Errors::of(&truths, &guesses);
        assert!(close(errors.mae, (0..200_000).map(|n| f64::from(n % 3)).sum::<f64>() / 200_000.0));
        assert_eq!((errors.median, errors.max, errors.zeros), (1.0, 2.0, 200));
    }

    proptest! {
        #[test]
        fn everything_is_what_the_books_say(rows in rows()) {
            let (truths, guesses): (Vec<f64>, Vec<f64>) = rows.into_iter().unzip();
            let (fast, slow) = (Errors::of(&truths, &guesses), slow(&truths, &guesses));
            prop_assert!(close(fast.rmse, slow.rmse) && close(fast.mse, slow.mse) && close(fast.mae, slow.mae));
            prop_assert_eq!((fast.median, fast.max), (slow.median, slow.max));
            prop_assert!(close(fast.gt_mean, slow.gt_mean) && close(fast.pred_mean, slow.pred_mean));
            prop_assert!(close_if_any(fast.mape, slow.mape.unwrap()));
            prop_assert!(close_if_any(fast.r_squared, slow.r_squared.unwrap()));
            prop_assert!(close_if_any(fast.explained_variance, slow.explained_variance.unwrap()));
            prop_assert!(close_if_any(fast.pearson_r, slow.pearson_r.unwrap()));
            prop_assert_eq!(fast.r_squared.is_some(), truths.iter().any(|truth| *truth != truths[0]));
        }

        #[test]
        fn the_order_of_rows_changes_nothing(rows in rows()) {
            let (truths, guesses): (Vec<f64>, Vec<f64>) = rows.iter().copied().unzip();
            let (back_truths, back_guesses): (Vec<f64>, Vec<f64>) = rows.into_iter().rev().unzip();
            prop_assert_eq!(Errors::of(&truths, &guesses), Errors::of(&back_truths, &back_guesses));
        }

        #[test]
        fn a_perfect_prediction_has_no_error(truths in prop::collection::vec(-1e6..1e6f64, 2..40)) {
            let errors = Errors::of(&truths, &truths);
            prop_assert_eq!((errors.rmse, errors.mae, errors.max), (0.0, 0.0, 0.0));
            prop_assert!(errors.r_squared.is_none_or(|r_squared| r_squared == 1.0));
        }

        #[test]
        fn shifting_predictions_changes_r_squared_but_not_the_explained_variance(rows in rows()) {
            let (truths, guesses): (Vec<f64>, Vec<f64>) = rows.into_iter().unzip();
            let shifted: Vec<f64> = guesses.iter().map(|guess| guess + 64.0).collect();
            let (plain, shifted) = (Errors::of(&truths, &guesses), Errors::of(&truths, &shifted));
            if let Some(share) = plain.explained_variance {
                prop_assert!(close_if_any(shifted.explained_variance, share));
                prop_assert!(close_if_any(shifted.pearson_r, plain.pearson_r.unwrap()));
            }
        }
    }
}
