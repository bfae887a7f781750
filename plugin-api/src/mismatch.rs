//! Two tables whose ids are not the same: which are missing, and which are too many.

use std::collections::HashSet;

use crate::error::{ErrorCode, ScoreError};
use crate::keyed::Missing;
use crate::table::Table;

/// How many ids a message names before it only counts.
const NAMED_IDS: usize = 5;

/// The error of two tables whose ids are not the same, or that of a job that is stopped while they are looked for.
pub(crate) fn ids_differ(gt: &Table<'_>, pred: &Table<'_>, missing: Missing) -> ScoreError {
    let allowed = missing == Missing::Allowed;
    let (missing, extra) = match (absent_from(pred, gt), absent_from(gt, pred)) {
        (Ok(missing), Ok(extra)) => (missing, extra),
        (Err(stopped), _) | (_, Err(stopped)) => return stopped,
    };
    let count = |ids: &[&str], what: &str| match ids.len() {
        0 => None,
        n => Some(format!("{n} {what} ({})", named(ids))),
    };
    let missed = count(&missing, "missing").filter(|_| !allowed);
    let parts: Vec<String> = [missed, count(&extra, "extra")].into_iter().flatten().collect();
    let which = if allowed { "none but" } else { "exactly" };
    ScoreError::new(
        ErrorCode::Mismatch,
        format!("the ids of {} are not those of {}: {}", pred.name(), gt.name(), parts.join(", ")),
    )
    .file(pred.name())
    .found(format!("{} ids", pred.rows()))
    .expected(format!("{which} the {} ids of {}", gt.rows(), gt.name()))
    .hint("ids are compared as text: 1, 01 and ' 1' differ")
    .detail("missing", missing.len())
    .detail("extra", extra.len())
}

/// The ids of `table` that `other` does not have.
fn absent_from<'t>(other: &Table<'_>, table: &'t Table<'_>) -> Result<Vec<&'t str>, ScoreError> {
    let mut known: HashSet<&str> = HashSet::with_capacity(other.rows());
    for (row, id) in other.ids().iter().enumerate() {
        other.look(row)?;
        known.insert(id);
    }
    let mut absent = Vec::new();
    for (row, id) in table.ids().iter().enumerate() {
        table.look(row)?;
        if !known.contains(id) {
            absent.push(id);
        }
    }
    Ok(absent)
}

fn named(ids: &[&str]) -> String {
    let shown: Vec<String> = ids.iter().take(NAMED_IDS).map(|id| format!("{id:?}")).collect();
    let more = if ids.len() > NAMED_IDS { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
