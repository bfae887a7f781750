//! A precision-recall curve, kept only where recall grows: at the hits.
//!
//! Between two hits precision only falls, so the greatest precision at or beyond any recall is found at a hit.

use crate::params::Interpolation;
use crate::plan::linspace;

/// The points of a curve at its hits, the most confident first.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Curve {
    /// The greatest precision at or after each hit.
    precision: Vec<f64>,
    /// How many true boxes there are to hit.
    truths: u64,
}

/// The recalls that curves are read at.
#[derive(Debug, Clone)]
pub(crate) struct Grids {
    pub(crate) coco: Vec<f64>,
    voc: Vec<f64>,
}

impl Default for Grids {
    fn default() -> Self {
        Self { coco: linspace(0.0, 1.0, 101), voc: linspace(0.0, 1.0, 11) }
    }
}

impl Curve {
    /// A curve from the precision at every hit.
    pub(crate) fn new(mut precision: Vec<f64>, truths: u64) -> Self {
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
    pub(crate) fn recall(&self) -> f64 {
        self.precision.len() as f64 / self.truths as f64
    }

    /// For each recall of a grid the first hit that reaches it.
    pub(crate) fn hits_at<'g>(&self, grid: &'g [f64]) -> impl Iterator<Item = Option<usize>> + use<'_, 'g> {
        let mut hit = 0;
        grid.iter().map(move |recall| {
            while hit < self.precision.len() && ((hit + 1) as f64 / self.truths as f64) < *recall {
                hit += 1;
            }
            (hit < self.precision.len()).then_some(hit)
        })
    }

    /// The precision at each recall of a grid, 0 where it is not reached.
    pub(crate) fn precisions_at<'g>(&self, grid: &'g [f64]) -> impl Iterator<Item = f64> + use<'_, 'g> {
        self.hits_at(grid).map(|hit| hit.map_or(0.0, |hit| self.precision[hit]))
    }

    /// The average precision.
    pub(crate) fn average(&self, interpolation: Interpolation, grids: &Grids) -> f64 {
        let grid = match interpolation {
            Interpolation::Coco => &grids.coco,
            Interpolation::Voc11 => &grids.voc,
            Interpolation::Area => return self.precision.iter().sum::<f64>() / self.truths as f64,
        };
        self.precisions_at(grid).sum::<f64>() / grid.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Of four true boxes two are hit: by the first and the third prediction.
        let curve = Curve::new(vec![1.0, 2.0 / 3.0], 4);
        let grids = Grids::default();
        assert_eq!(curve.recall(), 0.5);
        // 26 recalls up to .25 at precision 1, 25 up to .5 at 2/3, none beyond.
        assert!((curve.average(Interpolation::Coco, &grids) - (26.0 + 25.0 * 2.0 / 3.0) / 101.0).abs() < 1e-15);
        // 0, .1, .2 at 1; .3, .4, .5 at 2/3.
        assert!((curve.average(Interpolation::Voc11, &grids) - 5.0 / 11.0).abs() < 1e-15);
        assert!((curve.average(Interpolation::Area, &grids) - (1.0 + 2.0 / 3.0) / 4.0).abs() < 1e-15);
    }

    #[test]
    fn precision_is_the_greatest_to_the_right() {
        let curve = Curve::new(vec![0.5, 0.4, 0.6, 0.1], 5);
        assert_eq!(
            curve.precisions_at(&[0.0, 0.2, 0.4, 0.6, 0.8, 0.9]).collect::<Vec<_>>(),
            [0.6, 0.6, 0.6, 0.6, 0.1, 0.0]
        );
        assert_eq!(Curve::new(vec![], 3).average(Interpolation::Coco, &Grids::default()), 0.0);
    }

    #[test]
    fn a_single_hit_is_one_bit_from_perfect_as_in_coco() {
        assert_eq!(Curve::precision(1.0, 0.0), 1.0 - f64::EPSILON);
        assert_eq!(Curve::precision(2.0, 0.0), 1.0);
    }
}
