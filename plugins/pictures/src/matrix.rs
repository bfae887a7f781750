//! The matrix behind a heatmap: its cells merged, in order, and with their share of the row.

use std::cmp::Reverse;

use crate::style::SHADE_COUNT;

/// Where shades begin, as shares of a row: closer together where errors are.
pub(crate) const EDGES: [f64; SHADE_COUNT] = [0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8];

/// A cell that is not empty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cell {
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) count: u64,
    pub(crate) share: f64,
    /// How strongly the cell is coloured.
    pub(crate) shade: usize,
    /// Whether row and column have the same label.
    pub(crate) right: bool,
}

/// The cells of a matrix by row and column, and the sums of its rows.
#[derive(Debug)]
pub(crate) struct Matrix {
    pub(crate) cells: Vec<Cell>,
    pub(crate) totals: Vec<u64>,
}

impl Matrix {
    /// Cells without a label or a count are left out; of the same place, they are added up.
    pub(crate) fn of(rows: &[&str], columns: &[&str], cells: &[(usize, usize, u64)]) -> Self {
        let inside = |cell: &&(usize, usize, u64)| cell.0 < rows.len() && cell.1 < columns.len() && cell.2 > 0;
        let mut merged: Vec<_> = cells.iter().filter(inside).copied().collect();
        merged.sort_unstable_by_key(|(row, column, _)| (*row, *column));
        merged.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 = kept.2.saturating_add(next.2);
            }
            same
        });
        let mut totals = vec![0_u64; rows.len()];
        for (row, _, count) in &merged {
            totals[*row] = totals[*row].saturating_add(*count);
        }
        let cell = |(row, column, count): (usize, usize, u64)| {
            let share = count as f64 / totals[row] as f64;
            Cell { row, column, count, share, shade: shade(share), right: rows[row] == columns[column] }
        };
        Self { cells: merged.into_iter().map(cell).collect(), totals }
    }

    pub(crate) fn total(&self) -> u64 {
        self.totals.iter().fold(0, |sum, total| sum.saturating_add(*total))
    }

    pub(crate) fn right(&self) -> u64 {
        self.cells.iter().filter(|cell| cell.right).fold(0, |sum, cell| sum.saturating_add(cell.count))
    }

    /// The largest cells off the diagonal, the largest first.
    pub(crate) fn largest_errors(&self, most: usize) -> Vec<&Cell> {
        let mut errors: Vec<&Cell> = self.cells.iter().filter(|cell| !cell.right).collect();
        let order = |cell: &&Cell| (Reverse(cell.count), cell.row, cell.column);
        if errors.len() > most {
            errors.select_nth_unstable_by_key(most, order);
            errors.truncate(most);
        }
        errors.sort_unstable_by_key(order);
        errors
    }
}

fn shade(share: f64) -> usize {
    EDGES.iter().rposition(|edge| share > *edge).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_merged_and_measured_by_their_row() {
        let labels = ["a", "b"];
        let matrix = Matrix::of(&labels, &labels, &[(1, 0, 1), (0, 0, 2), (1, 0, 2), (1, 1, 1), (9, 0, 5), (0, 1, 0)]);
        assert_eq!(matrix.totals, [2, 4]);
        assert_eq!((matrix.total(), matrix.right()), (6, 3));
        let error = Cell { row: 1, column: 0, count: 3, share: 0.75, shade: 7, right: false };
        assert_eq!(matrix.largest_errors(9), [&error]);
        assert_eq!(matrix.cells[0].shade, 8);
    }

    #[test]
    fn the_largest_errors_come_first_and_the_same_ones_each_time() {
        let labels = ["a", "b", "c", "d"];
        let cells = [(3, 0, 2), (0, 1, 2), (1, 1, 9), (1, 0, 7), (2, 0, 2), (0, 2, 1)];
        let places: Vec<_> =
            Matrix::of(&labels, &labels, &cells).largest_errors(3).iter().map(|c| (c.row, c.column)).collect();
        assert_eq!(places, [(1, 0), (0, 1), (2, 0)]);
    }

    #[test]
    fn the_diagonal_is_where_labels_are_the_same() {
        let matrix = Matrix::of(&["a", "b"], &["b", "a"], &[(0, 0, 1), (0, 1, 1)]);
        assert_eq!(matrix.cells.iter().map(|cell| cell.right).collect::<Vec<_>>(), [false, true]);
    }
}
