//! The ids of a file, in parts small enough for a core's cache: equal ids of two files are in parts of the same number.

use std::collections::HashMap;

use super::key::{Key, Long};
use super::scan::Odd;
use crate::error::{ErrorCode, ScoreError};
use crate::table::Table;

/// How many parts there are.
pub(super) const PARTS: usize = 128;

/// The ids of a file, each with its row.
#[derive(Debug)]
pub struct Ids {
    parts: Vec<Vec<Key>>,
    long: Long,
    rows: u32,
}

impl Ids {
    pub(super) fn with_capacity(rows: usize) -> Self {
        let each = rows / PARTS;
        // Parts are filled at random: a sixteenth more is hardly ever exceeded. Of a small file, most stay empty.
        let part = || Vec::with_capacity(if each == 0 { 0 } else { each + each / 16 + 4 });
        Self { parts: std::iter::repeat_with(part).take(PARTS).collect(), long: Long::default(), rows: 0 }
    }

    /// The ids of a table.
    pub(crate) fn of(table: &Table<'_>) -> Result<Self, ScoreError> {
        let mut ids = Self::with_capacity(table.rows());
        for (row, id) in table.ids().iter().enumerate() {
            table.look(row)?;
            ids.push(id.as_bytes()).map_err(|Odd| {
                let message = format!("{} has more rows, or a longer id, than can be joined", table.name());
                ScoreError::new(ErrorCode::ScoreError, message).file(table.name())
            })?;
        }
        Ok(ids)
    }

    /// How many ids there are.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// The ids of some rows, in the order in which the rows are given.
    pub fn of_rows(&self, rows: &[u32]) -> Vec<String> {
        let mut wanted = vec![false; self.rows()];
        rows.iter().for_each(|row| wanted[*row as usize] = true);
        let keys = self.parts.iter().flatten().filter(|key| wanted[key.number as usize]);
        let texts: HashMap<u32, String> = keys.map(|key| (key.number, key.text(&self.long))).collect();
        rows.iter().map(|row| texts.get(row).cloned().unwrap_or_default()).collect()
    }

    #[inline(always)]
    pub(super) fn push(&mut self, id: &[u8]) -> Result<(), Odd> {
        let (key, hash) = Key::of(id, self.rows)?;
        // The largest number stands for no row.
        self.rows = self.rows.checked_add(1).ok_or(Odd)?;
        self.parts[(hash >> (64 - PARTS.ilog2())) as usize].push(key.kept(id, &mut self.long));
        Ok(())
    }

    pub(super) fn part(&self, number: usize) -> Part<'_> {
        Part { keys: &self.parts[number], long: &self.long }
    }
}

/// One part of the ids, in the order of their rows.
#[derive(Clone, Copy)]
pub(super) struct Part<'i> {
    pub(super) keys: &'i [Key],
    long: &'i Long,
}

impl Part<'_> {
    /// Whether a key of this part is the same id as one of another part.
    #[inline(always)]
    pub(super) fn same(&self, key: &Key, other: &Part<'_>, its: &Key) -> bool {
        key.is(self.long, its, other.long)
    }

    /// Whether every id is short and larger than the one before. Then none is there twice.
    pub(super) fn is_ascending(&self) -> bool {
        self.keys.iter().all(Key::is_inline) && self.keys.is_sorted_by(|a, b| a.order() < b.order())
    }

    /// Whether another part has the same ids in the same order.
    pub(super) fn is_same(&self, other: &Part<'_>) -> bool {
        self.keys.len() == other.keys.len()
            && self.keys.iter().zip(other.keys).all(|(key, its)| self.same(key, other, its))
    }
}
