//! The paired bootstrap: items are drawn anew, the same for both sides, and what the difference does then is what chance could have done.

use serde::Serialize;

use super::random::Random;

/// How often items are drawn anew.
const RESAMPLES: usize = 2_000;

/// The same in every run, so that the same results give the same interval.
const SEED: u64 = 8;

/// With fewer items an interval is hardly one.
const FEW: u64 = 20;

/// Where the middle 95 % of a metric's difference lie.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interval {
    /// The metric.
    pub metric: &'static str,
    /// The difference.
    pub difference: f64,
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// How many items were drawn from.
    pub items: u64,
    /// How often.
    pub resamples: usize,
    /// Where the random numbers begin.
    pub seed: u64,
}

/// A metric of both sides.
pub type Both = (&'static str, f64, f64);

impl Interval {
    /// Whether 0 is outside.
    pub fn excludes_zero(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// Whether there are so few items that the interval says little.
    pub fn is_thin(&self) -> bool {
        self.items < FEW
    }

    /// The intervals of all measures. `counts` says how many items there are of each kind.
    pub fn of_all(counts: &[u64], measure: impl Fn(&[u64]) -> Vec<Both>) -> Vec<Self> {
        let items = counts.iter().sum();
        let measured = measure(counts);
        let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(RESAMPLES); measured.len()];
        let mut random = Random(SEED);
        for _ in 0..RESAMPLES {
            let again = measure(&random.redraw(counts));
            for (values, (_, a, b)) in drawn.iter_mut().zip(again) {
                values.push(b - a);
            }
        }
        let interval = |((metric, a, b), values): (Both, Vec<f64>)| {
            let (low, high) = middle(values);
            Self { metric, difference: b - a, low, high, items, resamples: RESAMPLES, seed: SEED }
        };
        measured.into_iter().zip(drawn).map(interval).collect()
    }
}

fn middle(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    (at(0.025), at(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Right in A only, right in B only, the same in both.
    fn accuracy(counts: &[u64]) -> Vec<Both> {
        let total = counts.iter().sum::<u64>() as f64;
        vec![("accuracy", (counts[0] + counts[2]) as f64 / total, (counts[1] + counts[2]) as f64 / total)]
    }

    #[test]
    fn the_interval_is_as_wide_as_theory_says() {
        for total in [400u64, 40_000, 40_000_000] {
            let counts = [total / 10, total / 5, total / 10 * 7];
            let [interval] = &Interval::of_all(&counts, accuracy)[..] else { panic!() };
            // Each item gives -1, 1 or 0: the variance of their mean.
            let deviation = ((0.3 - 0.1 * 0.1) / total as f64).sqrt();
            assert!((interval.low - (0.1 - 1.96 * deviation)).abs() < 0.3 * deviation, "{interval:?}");
            assert!((interval.high - (0.1 + 1.96 * deviation)).abs() < 0.3 * deviation, "{interval:?}");
            assert!(interval.excludes_zero());
        }
    }

    #[test]
    fn sides_that_are_equal_item_by_item_leave_nothing_to_chance() {
        let [interval] = &Interval::of_all(&[0, 0, 50], accuracy)[..] else { panic!() };
        assert_eq!((interval.low, interval.high, interval.excludes_zero()), (0.0, 0.0, false));
    }
}
