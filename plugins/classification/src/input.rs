//! The two label files of a workspace, checked and joined.

use autoscorer_plugin_api::keyed::{self, Columns, NONE, Pair};
use autoscorer_plugin_api::params::ParamType;
use autoscorer_plugin_api::prelude::*;
use autoscorer_plugin_api::text::Text;
use serde::Deserialize;

/// What becomes of ids that the predictions do not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Missing {
    /// There is no score.
    Error,
    /// They count as wrong.
    Wrong,
}

impl ParamType for Missing {
    const SCHEMA: Text = Text::Raw(r#""enum":["error","wrong"]"#);
}

/// Ground truth and predictions, row by row of the ground truth.
pub(crate) struct Input {
    pair: Pair<keyed::Labels>,
}

impl Input {
    /// Reads both files; the faults of both are found in one go.
    pub(crate) fn read(
        ctx: &Context<'_>,
        id_column: &str,
        label_column: &str,
        missing: Missing,
    ) -> Result<Self, Faults> {
        let columns = Columns { id: id_column, value: &[label_column] };
        let missing = match missing {
            Missing::Error => keyed::Missing::Fault,
            Missing::Wrong => keyed::Missing::Allowed,
        };
        Pair::read(ctx, ["input/gt.csv", "output/pred.csv"], columns, missing).map(|pair| Self { pair })
    }

    /// How many rows the ground truth has.
    pub(crate) fn rows(&self) -> usize {
        self.pair.rows.len()
    }

    /// How many of them the predictions have.
    pub(crate) fn answered(&self) -> usize {
        self.rows() - self.pair.missing
    }

    /// The names of the labels of the ground truth.
    pub(crate) fn true_names(&self) -> Vec<String> {
        self.pair.gt.values.names()
    }

    /// The names of the labels of the predictions.
    pub(crate) fn guessed_names(&self) -> Vec<String> {
        self.pair.pred.values.names()
    }

    /// True and predicted label of every row, as numbers into the two lists of names; no label where the row has no prediction.
    pub(crate) fn codes(&self) -> impl Iterator<Item = (u32, Option<u32>)> {
        let guesses = self.pair.pred.values.codes();
        let guess = |row: u32| if row == NONE { None } else { Some(guesses[row as usize]) };
        self.pair.gt.values.codes().iter().zip(&self.pair.rows).map(move |(truth, row)| (*truth, guess(*row)))
    }

    /// The ids of some rows of the ground truth.
    pub(crate) fn ids(&self, rows: &[u32]) -> Vec<String> {
        self.pair.gt.ids.of_rows(rows)
    }
}
