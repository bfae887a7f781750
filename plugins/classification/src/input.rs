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
        let table = |name| ctx.table(name, id_column, &[label_column]);
        let (gt, pred) = match (table("input/gt.csv"), table("output/pred.csv")) {
            (Ok(gt), Ok(pred)) => (gt, pred),
            (gt, pred) => {
                let mut faults = Faults::none();
                faults.absorb(gt);
                faults.absorb(pred);
                return Err(faults);
            }
        };
        let joined = join(&gt, &pred)?;
        Ok(Self { gt, pred, joined })
    }

    /// True and predicted label of every row.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let (truth, guess) = (self.gt.column(0), self.pred.column(0));
        self.joined.iter().enumerate().map(|(row, pred_row)| (truth.get(row), guess.get(*pred_row)))
    }
}
