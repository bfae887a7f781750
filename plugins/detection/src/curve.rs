//! A precision-recall curve, kept only where recall grows: at the hits.
//!
//! Between two hits precision only falls, so the greatest precision at or beyond any recall is found at a hit.

use autoscorer_plugin_api::sum::Sum;

use crate::params::Interpolation;
use crate::plan::linspace;

/// The points of a curve at its hits, the most confident first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Curve<'h> {
    /// The greatest precision at or after each hit.
    precision: &'h [f64],
    /// How many true boxes there are to hit.
    truths: u64,
}

/// The recalls that curves are read at.
#[derive(Debug, Clone)]
pub(crate) struct Grids {
    pub(crate) coco: Vec<f64>,
    voc: Vec<f64>,
}

/// For each recall of the grids the hit that reaches it, which depends on the number of true boxes only.
#[derive(Debug, Clone)]
pub(crate) struct Steps {
    pub(crate) coco: Vec<usize>,
    voc: Vec<usize>,
}

impl Default for Grids {
    fn default() -> Self {
        Self { coco: linspace(0.0, 1.0, 101), voc: linspace(0.0, 1.0, 11) }
    }
}

impl Grids {
    /// The hits that reach the recalls if there are so many true boxes.
    pub(crate) fn steps(&self, truths: u64) -> Steps {
        let steps = |grid: &[f64]| grid.iter().map(|recall| first_hit(*recall, truths)).collect();
        Steps { coco: steps(&self.coco), voc: steps(&self.voc) }
    }
}

/// The first hit, counted from 0, at which the share of the true boxes that were hit reaches a recall.
fn first_hit(recall: f64, truths: u64) -> usize {
    let reaches = |hit: u64| (hit + 1) as f64 / truths as f64 >= recall;
    // The product may be off by a rounding; the quotient decides, as in COCO.
    let near = ((recall * truths as f64) as u64).saturating_sub(2);
    (near..).find(|hit| reaches(*hit)).unwrap_or_default() as usize
}

impl<'h> Curve<'h> {
    /// A curve from the precision at every hit.
    pub(crate) fn new(precision: &'h mut [f64], truths: u64) -> Self {
        let mut greatest = 0.0f64;
        for value in precision.iter_mut().rev() {
            greatest = greatest.max(*value);
            *value = greatest;
        }
        Self { precision, truths }
    }

    /// The precision after this many hits and misses; COCO adds the least number that changes 1.
    #[inline]
    pub(crate) fn precision(hits: f64, misses: f64) -> f64 {
        hits / (misses + hits + f64::EPSILON)
    }

    /// The share of the true boxes that were hit.
    pub(crate) fn recall(self) -> f64 {
        self.precision.len() as f64 / self.truths as f64
    }

    /// The precision at each of some hits, 0 where there are not so many.
    pub(crate) fn at<'s>(self, steps: &'s [usize]) -> impl Iterator<Item = f64> + use<'h, 's> {
        steps.iter().map(move |hit| self.precision.get(*hit).copied().unwrap_or(0.0))
    }

    /// The average precision.
    pub(crate) fn average(self, interpolation: Interpolation, steps: &Steps) -> f64 {
        let steps = match interpolation {
            Interpolation::Coco => &steps.coco,
            Interpolation::Voc11 => &steps.voc,
            Interpolation::Area => return Sum::of(self.precision.iter().copied()) / self.truths as f64,
        };
        Sum::of(self.at(steps)) / steps.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Of four true boxes two are hit: by the first and the third prediction.
        let mut hits = [1.0, 2.0 / 3.0];
        let curve = Curve::new(&mut hits, 4);
        let steps = Grids::default().steps(4);
        assert_eq!(curve.recall(), 0.5);
        // 26 recalls up to .25 at precision 1, 25 up to .5 at 2/3, none beyond.
        assert!((curve.average(Interpolation::Coco, &steps) - (26.0 + 25.0 * 2.0 / 3.0) / 101.0).abs() < 1e-15);
        // 0, .1, .2 at 1; .3, .4, .5 at 2/3.
        assert!((curve.average(Interpolation::Voc11, &steps) - 5.0 / 11.0).abs() < 1e-15);
        assert!((curve.average(Interpolation::Area, &steps) - (1.0 + 2.0 / 3.0) / 4.0).abs() < 1e-15);
    }

    #[test]
    fn precision_is_the_greatest_to_the_right() {
        let mut hits = [0.5, 0.4, 0.6, 0.1];
        let curve = Curve::new(&mut hits, 5);
        assert_eq!(curve.at(&[0, 1, 2, 3, 4]).collect::<Vec<_>>(), [0.6, 0.6, 0.6, 0.1, 0.0]);
        assert_eq!(Curve::new(&mut [], 3).average(Interpolation::Coco, &Grids::default().steps(3)), 0.0);
    }

    #[test]
    fn the_step_to_a_recall_is_the_first_hit_that_reaches_it() {
        let grids = Grids::default();
        for truths in [1, 2, 3, 7, 10, 99, 100, 101, 1000, 36_781] {
            for (recall, step) in grids.coco.iter().zip(grids.steps(truths).coco) {
                let slow = (0..truths).find(|hit| (hit + 1) as f64 / truths as f64 >= *recall).unwrap();
                assert_eq!(step as u64, slow, "{recall} of {truths}");
            }
        }
    }

    #[test]
    fn a_single_hit_is_one_bit_from_perfect_as_in_coco() {
        assert_eq!(Curve::precision(1.0, 0.0), 1.0 - f64::EPSILON);
        assert_eq!(Curve::precision(2.0, 0.0), 1.0);
    }
}
