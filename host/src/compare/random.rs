//! Random numbers that are the same in every run, and draws from them.

/// SplitMix64: few lines, and good enough to draw from counts.
#[derive(Debug)]
pub struct Random(pub u64);

/// Below so many expected hits a draw is exact; above, a normal curve is nearer than the width of a line.
const EXACT: f64 = 100.0;

impl Random {
    /// A number from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// How many of `trials` hit, each with the same chance.
    pub fn hits(&mut self, trials: u64, chance: f64) -> u64 {
        if chance > 0.5 {
            return trials - self.hits(trials, 1.0 - chance);
        }
        let mean = trials as f64 * chance;
        if mean <= 0.0 {
            return 0;
        }
        if mean > EXACT {
            let deviation = (mean * (1.0 - chance)).sqrt();
            let (radius, angle) = ((-2.0 * (1.0 - self.unit()).ln()).sqrt(), std::f64::consts::TAU * self.unit());
            return (mean + deviation * radius * angle.cos()).round().clamp(0.0, trials as f64) as u64;
        }
        self.few_hits(trials, chance)
    }

    /// Goes up the distribution until the drawn share of it is passed.
    fn few_hits(&mut self, trials: u64, chance: f64) -> u64 {
        let (mut left, odds) = (self.unit(), chance / (1.0 - chance));
        let mut probability = (trials as f64 * (1.0 - chance).ln()).exp();
        let mut hits = 0;
        while left > probability && hits < trials {
            left -= probability;
            probability *= (trials - hits) as f64 / (hits + 1) as f64 * odds;
            hits += 1;
            if probability == 0.0 {
                break;
            }
        }
        hits
    }

    /// Draws as many items as there are, with repetition; gives how often each kind was drawn.
    pub fn redraw(&mut self, counts: &[u64]) -> Vec<u64> {
        let total: u64 = counts.iter().sum();
        let (mut kinds_left, mut draws_left) = (total, total);
        let mut drawn = Vec::with_capacity(counts.len());
        for count in counts {
            let hits = if *count == kinds_left {
                draws_left
            } else {
                self.hits(draws_left, *count as f64 / kinds_left as f64)
            };
            drawn.push(hits);
            kinds_left -= count;
            draws_left -= hits;
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_redraw_has_as_many_items(counts in prop::collection::vec(0..1_000_000u64, 0..20), seed: u64) {
            let drawn = Random(seed).redraw(&counts);
            prop_assert_eq!(drawn.iter().sum::<u64>(), counts.iter().sum::<u64>());
            prop_assert!(counts.iter().zip(&drawn).all(|(count, drawn)| *count > 0 || *drawn == 0));
            prop_assert_eq!(Random(seed).redraw(&counts), drawn);
        }
    }

    #[test]
    fn mean_and_spread_are_those_of_a_binomial() {
        for (trials, chance) in [(5u64, 0.3), (40, 0.9), (100_000, 0.0004), (100_000, 0.37)] {
            let mut random = Random(1);
            let draws: Vec<f64> = (0..20_000).map(|_| random.hits(trials, chance) as f64).collect();
            let mean = draws.iter().sum::<f64>() / draws.len() as f64;
            let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / draws.len() as f64;
            let (wanted, spread) = (trials as f64 * chance, trials as f64 * chance * (1.0 - chance));
            assert!((mean - wanted).abs() < 5.0 * (spread / 20_000.0).sqrt(), "{trials} {chance}: {mean}");
            assert!((variance / spread - 1.0).abs() < 0.06, "{trials} {chance}: {variance}");
        }
    }
}
