//! The two number files of a workspace, checked, joined and put in the order of the ground truth.

use autoscorer_plugin_api::keyed::{Columns, Missing, Numbers, Pair};
use autoscorer_plugin_api::prelude::*;

const FILES: [&str; 2] = ["input/gt.csv", "output/pred.csv"];

/// Where numbers are found, and where some older files have them.
const VALUE: &str = "value";
const FALLBACK: &str = "label";

/// True and predicted numbers, row by row of the ground truth.
pub(crate) struct Input {
    pair: Pair<Numbers>,
    guesses: Vec<f64>,
}

impl Input {
    /// Reads both files; the faults of both are found in one go.
    pub(crate) fn read(ctx: &Context<'_>, id_column: &str, value_column: &str) -> Result<Self, Faults> {
        let columns = if value_column == VALUE { &[VALUE, FALLBACK][..] } else { &[value_column][..] };
        let columns = Columns { id: id_column, value: columns };
        let pair: Pair<Numbers> = Pair::read(ctx, FILES, columns, Missing::Fault)?;
        let unordered = pair.pred.values.get();
        let guesses = pair.rows.iter().map(|row| unordered[*row as usize]).collect();
        Ok(Self { pair, guesses })
    }

    /// The true numbers.
    pub(crate) fn truths(&self) -> &[f64] {
        self.pair.gt.values.get()
    }

    /// The predicted numbers.
    pub(crate) fn guesses(&self) -> &[f64] {
        &self.guesses
    }

    /// The ids of some rows.
    pub(crate) fn ids(&self, rows: &[u32]) -> Vec<String> {
        self.pair.gt.ids.of_rows(rows)
    }

    /// The files whose numbers stood in the column that only stands in for the one asked for.
    pub(crate) fn fallbacks(&self, asked_for: &str) -> impl Iterator<Item = &'static str> {
        let columns = [&self.pair.gt.column, &self.pair.pred.column];
        FILES.into_iter().zip(columns).filter(move |(_, column)| *column != asked_for).map(|(file, _)| file)
    }
}
