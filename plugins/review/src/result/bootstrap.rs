//! Confidence intervals: pull requests are drawn anew, with repetition, and what varies then is what chance could have done.

use indexmap::IndexMap;

use super::totals::Counts;

/// The middle 95 % of a measure over all draws.
pub(crate) type Intervals = IndexMap<&'static str, (f64, f64)>;

/// The intervals of all measures. The same seed gives the same intervals.
pub(crate) fn intervals(counts: &[Counts], resamples: usize, seed: u64) -> Intervals {
    let mut random = Random(seed);
    let mut drawn: IndexMap<&'static str, Vec<f64>> = IndexMap::new();
    if counts.is_empty() {
        return Intervals::new();
    }
    for _ in 0..resamples {
        let sum = (0..counts.len()).fold(Counts::default(), |sum, _| sum.add(&counts[random.below(counts.len())]));
        for (name, value) in sum.measures().named() {
            drawn.entry(name).or_default().push(value);
        }
    }
    drawn.into_iter().map(|(name, values)| (name, middle(values))).collect()
}

fn middle(mut values: Vec<f64>) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    (at(0.025), at(0.975))
}

/// SplitMix64: few lines, and good enough to draw from a list.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((u128::from(mixed) * end as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(matches: &[usize]) -> Vec<Counts> {
        matches.iter().map(|one| Counts { generated: 10, expected: 10, lines: 10, matches: *one }).collect()
    }

    #[test]
    fn an_interval_holds_the_value_and_repeats_itself() {
        let sample = counts(&[0, 2, 4, 6, 8, 10, 3, 5, 7, 5]);
        let once = intervals(&sample, 500, 7);
        let (low, high) = once["recall"];
        assert!(low < 0.5 && 0.5 < high && low > 0.2 && high < 0.8, "{low} {high}");
        assert_eq!(once, intervals(&sample, 500, 7));
        assert_eq!(once["line_recall"], (1.0, 1.0));
    }

    #[test]
    fn equal_pull_requests_leave_nothing_to_chance() {
        assert_eq!(intervals(&counts(&[4; 6]), 100, 1)["f1"], (0.4, 0.4));
        assert!(intervals(&[], 100, 1).is_empty());
    }
}
