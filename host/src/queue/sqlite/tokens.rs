//! Tokens: a number for each hold, which no other hold ever has.

use std::sync::atomic::{AtomicI64, Ordering};

use rusqlite::{Connection, params};

use super::super::store::QueueError;
use super::rows::{change, one};

/// The numbers. They are counted in the process, not in the file: a number that a failed commit has undone there must
/// not come again, since whoever got it may still act on it.
pub struct Tokens(AtomicI64);

impl Tokens {
    /// Counts on from where the file is.
    pub fn of(db: &Connection) -> Result<Self, QueueError> {
        let last = one(db, "SELECT value FROM counter WHERE name = 'token'", [], |row| row.get(0))?;
        Ok(Self(AtomicI64::new(last.unwrap_or(0))))
    }

    /// The next number. The file remembers it for the next process.
    pub fn next(&self, db: &Connection) -> Result<i64, QueueError> {
        let token = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        change(db, "UPDATE counter SET value = ?1 WHERE name = 'token'", params![token])?;
        Ok(token)
    }
}
