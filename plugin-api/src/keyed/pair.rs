//! A pair: ground truth and predictions, read side by side and joined by id.

use std::fs;

use super::blocks::Blocks;
use super::{Columns, Keyed, Values, join};
use crate::context::Context;
use crate::error::ScoreError;
use crate::faults::Faults;
use crate::mismatch::ids_differ;
use crate::parallel::Workers;
use crate::table::Table;

/// Reading two smaller files takes less time than starting a thread for one of them.
const WORTH_A_THREAD: u64 = 256 << 10;

/// What becomes of ids that the predictions do not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// They are a fault.
    Fault,
    /// They stay without a partner.
    Allowed,
}

/// Ground truth and predictions, joined by id.
#[derive(Debug)]
pub struct Pair<V> {
    /// The ground truth.
    pub gt: Keyed<V>,
    /// The predictions.
    pub pred: Keyed<V>,
    /// For every row of the ground truth the row of the predictions with the same id, or [`NONE`].
    pub rows: Vec<u32>,
    /// How many rows of the ground truth have no partner.
    pub missing: usize,
}

impl<V: Values> Pair<V> {
    /// Reads two files of the workspace side by side and joins them. Every id of the predictions must be one of the ground
    /// truth; the faults of both files are found in one go.
    pub fn read(
        ctx: &Context<'_>,
        [gt, pred]: [&str; 2],
        columns: Columns<'_>,
        missing: Missing,
    ) -> Result<Self, Faults> {
        match Self::read_clean(ctx, [gt, pred], columns, missing)? {
            Some(pair) => Ok(pair),
            None => Self::read_carefully(ctx, [gt, pred], columns, missing),
        }
    }

    fn read_clean(
        ctx: &Context<'_>,
        [gt, pred]: [&str; 2],
        columns: Columns<'_>,
        missing: Missing,
    ) -> Result<Option<Self>, ScoreError> {
        let (root, watch) = (ctx.workspace(), ctx.watch());
        let length = |name: &str| fs::metadata(root.join(name)).map_or(0, |file| file.len());
        let small = length(gt) + length(pred) < WORTH_A_THREAD;
        let workers = if small { Workers::new(1) } else { Workers::all() };
        let read = |name: &str| match Blocks::open(root, name) {
            Ok(blocks) => Keyed::<V>::read_clean(blocks, columns, watch),
            // What cannot even be opened is explained together with the faults of the other file.
            Err(_) => Ok(None),
        };
        let (gt, pred) = workers.both(|| read(gt), || read(pred));
        let (Some(gt), Some(pred)) = (gt?, pred?) else { return Ok(None) };
        let joined = join(&gt.ids, &pred.ids, Some(watch))?;
        Ok(joined.fits(missing).then_some(Self { gt, pred, rows: joined.rows, missing: joined.missing }))
    }

    fn read_carefully(
        ctx: &Context<'_>,
        names: [&str; 2],
        columns: Columns<'_>,
        missing: Missing,
    ) -> Result<Self, Faults> {
        let (gt, pred) = match names.map(|name| Table::read_with(ctx, name, columns, V::check)) {
            [Ok(gt), Ok(pred)] => (gt, pred),
            [gt, pred] => {
                let mut faults = Faults::none();
                faults.absorb(gt);
                faults.absorb(pred);
                return Err(faults);
            }
        };
        let pair = [Keyed::of(&gt)?, Keyed::of(&pred)?];
        let joined = join(&pair[0].ids, &pair[1].ids, Some(ctx.watch()))?;
        if !joined.fits(missing) {
            return Err(ids_differ(&gt, &pred, missing).into());
        }
        let [gt, pred] = pair;
        Ok(Self { gt, pred, rows: joined.rows, missing: joined.missing })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;
    use crate::keyed::Labels;
    use crate::testing::Workspace;

    const COLUMNS: Columns<'_> = Columns { id: "id", value: &["label"] };

    #[test]
    fn both_ways_stop_when_the_time_is_over() {
        let names = ["gt.csv", "pred.csv"];
        let workspace = Workspace::new().file("gt.csv", "id,label\n1,a\n").file("pred.csv", "id,label\n1,a\n");
        let late = Context::idle(workspace.path(), Some(0));
        let fast = Pair::<Labels>::read_clean(&late, names, COLUMNS, Missing::Fault).unwrap_err();
        let careful = Pair::<Labels>::read_carefully(&late, names, COLUMNS, Missing::Fault).unwrap_err();
        assert_eq!((fast.code, careful.list[0].code), (ErrorCode::TimeoutError, ErrorCode::TimeoutError));
    }
}
