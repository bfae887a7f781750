//! The ids of a file, in parts small enough for a core's cache: equal ids of two files are in parts of the same number.

use std::hash::BuildHasher;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use super::scan::Odd;
use crate::error::{ErrorCode, ScoreError};
use crate::table::Table;

/// How many parts there are.
pub(super) const PARTS: usize = 256;

/// Ids up to this length are kept inside their key.
const INLINE: usize = 16;

/// Drawn anew in every process, so that no file can be made whose ids all fall on one place. Nothing that is computed depends
/// on it.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::default);

/// The ids of a file, each with its row.
#[derive(Debug)]
pub struct Ids {
    parts: Vec<Vec<Key>>,
    /// The ids that are too long to be inside their keys, one after the other.
    long: Vec<u8>,
    rows: u32,
}

/// An id: its bytes if they are few, else their hash and their place among the long ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    low: u64,
    high: u64,
    length: u32,
    pub(super) row: u32,
}

impl Ids {
    pub(super) fn with_capacity(rows: usize) -> Self {
        let each = rows / PARTS;
        // Parts are filled at random: a sixteenth more is hardly ever exceeded.
        let part = || Vec::with_capacity(each + each / 16 + 4);
        Self { parts: std::iter::repeat_with(part).take(PARTS).collect(), long: Vec::new(), rows: 0 }
    }

    /// The ids of a table.
    pub(crate) fn of(table: &Table) -> Result<Self, ScoreError> {
        let mut ids = Self::with_capacity(table.rows());
        let pushed = table.ids().iter().try_for_each(|id| ids.push(id.as_bytes()));
        pushed.map_err(|Odd| {
            let message = format!("{} has more rows, or a longer id, than can be joined", table.name());
            ScoreError::new(ErrorCode::ScoreError, message).file(table.name())
        })?;
        Ok(ids)
    }

    /// How many ids there are.
    pub fn rows(&self) -> usize {
        self.rows as usize
    }

    /// The ids of some rows, in the order in which the rows are given.
    pub fn of_rows(&self, rows: &[u32]) -> Vec<String> {
        let mut places: Vec<(u32, usize)> = rows.iter().enumerate().map(|(place, row)| (*row, place)).collect();
        places.sort_unstable();
        let mut found = vec![String::new(); rows.len()];
        for key in self.parts.iter().flatten() {
            let first = places.partition_point(|(row, _)| *row < key.row);
            for (_, place) in places[first..].iter().take_while(|(row, _)| *row == key.row) {
                found[*place] = self.text(key);
            }
        }
        found
    }

    #[inline(always)]
    pub(super) fn push(&mut self, id: &[u8]) -> Result<(), Odd> {
        let row = self.rows;
        // The largest number stands for no row.
        self.rows = row.checked_add(1).ok_or(Odd)?;
        let length = u32::try_from(id.len()).map_err(|_| Odd)?;
        let (low, high, hash) = if id.len() <= INLINE {
            let (low, high) = inline(id);
            (low, high, hash(low, high))
        } else {
            let hash = HASHER.hash_one(id);
            let place = self.long.len() as u64;
            self.long.extend_from_slice(id);
            (hash, place, hash)
        };
        self.parts[(hash >> (64 - PARTS.ilog2())) as usize].push(Key { low, high, length, row });
        Ok(())
    }

    pub(super) fn part(&self, number: usize) -> Part<'_> {
        Part { keys: &self.parts[number], long: &self.long }
    }

    fn text(&self, key: &Key) -> String {
        let length = key.length as usize;
        if !key.is_inline() {
            return String::from_utf8_lossy(&self.long[key.high as usize..][..length]).into_owned();
        }
        let mut id = key.low.to_le_bytes().to_vec();
        id.truncate(length);
        id.extend_from_slice(&key.high.to_le_bytes()[8 - length.saturating_sub(8)..]);
        String::from_utf8_lossy(&id).into_owned()
    }
}

/// A short id as two numbers: its first eight bytes, and its last eight if it is longer. Of one length, no two ids have the same.
#[inline(always)]
fn inline(id: &[u8]) -> (u64, u64) {
    if let (Some(first), Some(last)) = (id.first_chunk(), id.last_chunk()) {
        return (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
    }
    (id.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)), 0)
}

#[inline(always)]
fn hash(low: u64, high: u64) -> u64 {
    HASHER.hash_one(u128::from(high) << 64 | u128::from(low))
}

impl Key {
    fn is_inline(&self) -> bool {
        self.length as usize <= INLINE
    }

    /// The hash's low bits, which tell where in a table of its part the key belongs.
    #[inline(always)]
    pub(super) fn slot(&self) -> usize {
        (if self.is_inline() { hash(self.low, self.high) } else { self.low }) as usize
    }
}

/// One part of the ids, in the order of their rows.
#[derive(Clone, Copy)]
pub(super) struct Part<'i> {
    pub(super) keys: &'i [Key],
    long: &'i [u8],
}

impl<'i> Part<'i> {
    /// Whether a key of this part is the same id as one of another part.
    #[inline(always)]
    pub(super) fn same(&self, key: &Key, other: &Part<'_>, its: &Key) -> bool {
        if key.length != its.length || key.low != its.low {
            return false;
        }
        if key.is_inline() { key.high == its.high } else { self.long_id(key) == other.long_id(its) }
    }

    /// Whether every id is larger than the one before: by length, then by bytes. Then none is there twice.
    pub(super) fn is_ascending(&self) -> bool {
        let order = |key: &Key| (key.length, key.low.swap_bytes(), key.high.swap_bytes());
        self.keys.iter().all(Key::is_inline) && self.keys.is_sorted_by(|a, b| order(a) < order(b))
    }

    /// Whether another part has the same ids in the same order.
    pub(super) fn is_same(&self, other: &Part<'_>) -> bool {
        self.keys.len() == other.keys.len()
            && self.keys.iter().zip(other.keys).all(|(key, its)| self.same(key, other, its))
    }

    fn long_id(&self, key: &Key) -> &'i [u8] {
        &self.long[key.high as usize..][..key.length as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ids_come_back_as_they_were(list in prop::collection::vec(".{1,24}", 1..20)) {
            let mut ids = Ids::with_capacity(0);
            list.iter().for_each(|id| ids.push(id.as_bytes()).unwrap());
            let rows: Vec<u32> = (0..list.len() as u32).rev().collect();
            let back: Vec<String> = ids.of_rows(&rows).into_iter().rev().collect();
            prop_assert_eq!(back, list);
        }

        #[test]
        fn short_ids_have_the_same_numbers_only_if_they_are_the_same(a in "[ab]{1,16}", b in "[ab]{1,16}") {
            prop_assert_eq!(a == b, a.len() == b.len() && inline(a.as_bytes()) == inline(b.as_bytes()));
        }
    }
}
