//! The density of points: how many are in each square of a plot.

use crate::canvas::digits;
use crate::range::Range;
use crate::scale::Scale;
use crate::style::SHADE_COUNT;

/// Counts of points by square, rows from the top.
pub(crate) struct Density {
    columns: usize,
    counts: Vec<u64>,
}

impl Density {
    /// Counts the finite points; ranges must hold them all.
    pub(crate) fn of(
        points: impl Iterator<Item = (f64, f64)>,
        (x, y): (Range, Range),
        columns: usize,
        rows: usize,
    ) -> Self {
        let (x, y) = (Scale::new(x, 0.0, columns as f64), Scale::new(y, rows as f64, 0.0));
        let mut counts = vec![0; columns * rows];
        for (at_x, at_y) in points.filter(|(x, y)| x.is_finite() && y.is_finite()) {
            let column = (x.at(at_x) as usize).min(columns - 1);
            let row = (y.at(at_y) as usize).min(rows - 1);
            counts[row * columns + column] += 1;
        }
        Self { columns, counts }
    }

    /// The count of the fullest square.
    pub(crate) fn most(&self) -> u64 {
        self.counts.iter().copied().max().unwrap_or(0)
    }

    /// A path for each shade, in units of squares. Shades are logarithmic: a tail of single points stays visible.
    pub(crate) fn paths(&self) -> [String; SHADE_COUNT] {
        let mut paths = [const { String::new() }; SHADE_COUNT];
        let per_shade = SHADE_COUNT as f64 / (self.most() as f64 + 1.0).ln();
        let shade = |count: u64| (((count as f64).ln() * per_shade) as usize).min(SHADE_COUNT - 1);
        for (row, counts) in self.counts.chunks(self.columns).enumerate() {
            let mut column = 0;
            for run in counts.chunk_by(|a, b| (*a == 0) == (*b == 0) && shade(*a) == shade(*b)) {
                if run[0] > 0 {
                    let path = &mut paths[shade(run[0])];
                    for (mark, value) in [('M', column), (' ', row), ('h', run.len())] {
                        path.push(mark);
                        digits(path, value as u64);
                    }
                }
                column += run.len();
            }
        }
        paths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_point_is_counted_where_it_is() {
        let unit = Range::between(0.0, 1.0);
        let points = [(0.0, 0.0), (1.0, 1.0), (0.9, 0.9), (f64::NAN, 0.5), (0.4, 0.6)];
        let density = Density::of(points.into_iter(), (unit, unit), 2, 2);
        assert_eq!(density.counts, [1, 2, 1, 0]);
        let [faint, .., full] = density.paths();
        assert_eq!((faint.as_str(), full.as_str()), ("M0 0h1M0 1h1", ""));
        assert_eq!(density.paths().concat(), "M0 0h1M0 1h1M1 0h1");
    }
}
