//! The trouble: why nothing can be written, as far as is known.

use std::sync::Arc;

use parking_lot::Mutex;
use rusqlite::Connection;

use super::super::store::QueueError;
use super::rows::change;

/// What the last one who wrote has learnt. A commit that fails makes it known at once; only a write that worked, made to
/// find out, takes it back, since a commit of nothing works on a full disk too.
#[derive(Clone, Default)]
pub struct Trouble(Arc<Mutex<Option<String>>>);

impl Trouble {
    /// There is trouble, or none any more. It is told when it comes and when it goes, not every time.
    pub fn note(&self, error: Option<&QueueError>) {
        let mut known = self.0.lock();
        match (&*known, error) {
            (None, Some(error)) => tracing::error!(%error, "nothing can be written: not ready"),
            (Some(_), None) => tracing::info!("the store can be written again: ready"),
            _ => {}
        }
        *known = error.map(ToString::to_string);
    }

    /// Why nothing can be written.
    pub fn reason(&self) -> Option<String> {
        self.0.lock().clone()
    }
}

/// Writes something that differs every time: what does not change is not written.
pub fn write(db: &Connection) -> Result<(), QueueError> {
    let sql = "INSERT INTO counter VALUES ('check', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1";
    change(db, sql, []).map(drop)
}
