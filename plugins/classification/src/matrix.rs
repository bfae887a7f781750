//! The confusion matrix as people and pages get it: a plain square, with rare labels folded into one when there are many.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::json;

use crate::confusion::{Confusion, ratio};

/// More labels than this are no picture any more.
const MOST: usize = 200;

/// What the label of all folded ones is called.
const OTHER: &str = "(other)";

/// What the column of rows without a prediction is called.
const UNANSWERED: &str = "(no prediction)";

/// The confusion matrix of at most [`MOST`] labels.
pub(crate) struct Matrix<'l> {
    /// The labels of rows and columns.
    pub(crate) labels: Vec<&'l str>,
    /// One more column where some rows have no prediction.
    pub(crate) columns: Vec<&'l str>,
    /// By row, then by column.
    pub(crate) counts: Vec<Vec<u64>>,
    /// How many labels are one row and one column together.
    pub(crate) folded: usize,
}

impl<'l> Matrix<'l> {
    /// The matrix of all labels, or of those with most rows.
    pub(crate) fn of(confusion: &Confusion<'l>) -> Self {
        let places = places(confusion);
        let folded = confusion.labels.len() - places.iter().filter(|place| place.is_some()).count();
        let mut labels: Vec<&str> =
            places.iter().zip(&confusion.labels).filter_map(|(p, label)| p.map(|_| *label)).collect();
        let other = labels.len();
        labels.extend((folded > 0).then_some(OTHER));
        let mut columns = labels.clone();
        columns.extend((confusion.unanswered() > 0).then_some(UNANSWERED));
        let mut counts = vec![vec![0; columns.len()]; labels.len()];
        for cell in &confusion.cells {
            let place = |label: u32| places[label as usize].unwrap_or(other);
            counts[place(cell.truth)][cell.guess.map_or(labels.len(), place)] += cell.count;
        }
        Self { labels, columns, counts, folded }
    }

    /// The matrix with counts and the share of each row's cells, a row a line.
    pub(crate) fn write_json(&self, file: &mut dyn Write, total: u64) -> io::Result<()> {
        let share = |row: &Vec<u64>| -> Vec<f64> {
            let sum = row.iter().sum();
            row.iter().map(|count| ratio(*count, sum)).collect()
        };
        let shares: Vec<Vec<f64>> = self.counts.iter().map(share).collect();
        writeln!(file, "{{\n\"total\": {total},\n\"folded_labels\": {},", self.folded)?;
        writeln!(file, "\"labels\": {},\n\"columns\": {},", json!(self.labels), json!(self.columns))?;
        write_rows(file, "counts", &self.counts)?;
        writeln!(file, ",")?;
        write_rows(file, "row_shares", &shares)?;
        writeln!(file, "\n}}")
    }
}

fn write_rows<T: Serialize>(file: &mut dyn Write, name: &str, rows: &[Vec<T>]) -> io::Result<()> {
    write!(file, "\"{name}\": [")?;
    for (number, row) in rows.iter().enumerate() {
        write!(file, "{}\n  ", if number == 0 { "" } else { "," })?;
        serde_json::to_writer(&mut *file, row)?;
    }
    write!(file, "\n]")
}

/// The place of each label in the matrix, none for those that are folded: the ones with fewest rows.
fn places(confusion: &Confusion<'_>) -> Vec<Option<usize>> {
    let mut by_rows: Vec<usize> = (0..confusion.labels.len()).collect();
    if by_rows.len() > MOST {
        let rows = |label: &usize| confusion.classes[*label].support + confusion.classes[*label].predicted;
        by_rows.sort_by_key(|label| (std::cmp::Reverse(rows(label)), *label));
        by_rows.truncate(MOST - 1);
        by_rows.sort_unstable();
    }
    let mut places = vec![None; confusion.labels.len()];
    for (place, label) in by_rows.into_iter().enumerate() {
        places[label] = Some(place);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confusion::samples::Pairs;
    use serde_json::Value;

    fn parsed(matrix: &Matrix<'_>, total: u64) -> Value {
        let mut text = Vec::new();
        matrix.write_json(&mut text, total).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    #[test]
    fn counts_and_shares_with_a_column_for_no_answer() {
        let pairs = Pairs::of([("a", Some("a")), ("a", Some("b")), ("a", None), ("a", None), ("b", Some("b"))]);
        let confusion = pairs.confusion();
        let json = parsed(&Matrix::of(&confusion), confusion.total);
        assert_eq!(json["columns"], json!(["a", "b", "(no prediction)"]));
        assert_eq!(json["counts"], json!([[1, 1, 2], [0, 1, 0]]));
        assert_eq!(json["row_shares"], json!([[0.25, 0.25, 0.5], [0.0, 1.0, 0.0]]));
    }

    #[test]
    fn rare_labels_are_folded_and_no_row_is_lost() {
        let pairs: Vec<_> = (0..300)
            .flat_map(|n| std::iter::repeat_n((format!("{n:03}"), Some(format!("{:03}", n / 2))), 1 + n % 7))
            .collect();
        let pairs = Pairs::owned(&pairs);
        let confusion = pairs.confusion();
        let matrix = Matrix::of(&confusion);
        assert_eq!((matrix.labels.len(), matrix.labels[199], matrix.folded), (200, "(other)", 101));
        assert_eq!(matrix.counts.iter().flatten().sum::<u64>(), confusion.total);
    }
}
