//! The two label files of a workspace, checked and joined.

use autoscorer_plugin_api::prelude::*;

/// Ground truth and predictions with the same ids.
pub(crate) struct Input {
    gt: Table,
    pred: Table,
    joined: Vec<usize>,
}

impl Input {
    /// Reads both files; the faults of both are found in one go.
    pub(crate) fn read(ctx: &Context<'_>, id_column: &str, label_column: &str) -> Result<Self, Faults> {
        let mut faults = Faults::none();
        let mut table = |name| faults.absorb(ctx.table(name, id_column, &[label_column]));
        let tables = (table("input/gt.csv"), table("output/pred.csv"));
        faults.into_result()?;
        let (Some(gt), Some(pred)) = tables else { return Err(Faults::none()) };
        let joined = join(&gt, &pred)?;
        Ok(Self { gt, pred, joined })
    }

    /// True and predicted label of every row.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let (truth, guess) = (self.gt.column(0), self.pred.column(0));
        self.joined.iter().enumerate().map(|(row, pred_row)| (truth.get(row), guess.get(*pred_row)))
    }
}
