//! A key: a text that is compared by numbers. Short texts are inside their key; of long ones the key has the hash, and knows
//! where among the long ones they are.

use std::hash::BuildHasher;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use super::scan::Odd;

/// Texts up to this length are inside their key.
const INLINE: usize = 16;

/// Drawn anew in every process, so that no file can be made whose texts all fall on one place. Nothing that is computed depends
/// on it.
static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::default);

/// A text and the number it has: a row, or a place in a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    low: u64,
    high: u64,
    length: u32,
    pub(super) number: u32,
}

/// The long texts of some keys, one after the other.
#[derive(Debug, Default)]
pub(super) struct Long(Vec<u8>);

impl Key {
    /// The key of a text, without a place for it if it is long, and its hash.
    #[inline(always)]
    pub(super) fn of(text: &[u8], number: u32) -> Result<(Self, u64), Odd> {
        let length = u32::try_from(text.len()).map_err(|_| Odd)?;
        if text.len() <= INLINE {
            let (low, high) = inline(text);
            return Ok((Self { low, high, length, number }, hash(low, high)));
        }
        let hash = HASHER.hash_one(text);
        Ok((Self { low: hash, high: 0, length, number }, hash))
    }

    /// The same key with its text kept.
    #[inline(always)]
    pub(super) fn kept(mut self, text: &[u8], long: &mut Long) -> Self {
        if !self.is_inline() {
            self.high = long.0.len() as u64;
            long.0.extend_from_slice(text);
        }
        self
    }

    /// The hash again.
    #[inline(always)]
    pub(super) fn hash(&self) -> u64 {
        if self.is_inline() { hash(self.low, self.high) } else { self.low }
    }

    /// Whether the text is all in the key.
    #[inline(always)]
    pub(super) fn is_inline(&self) -> bool {
        self.length as usize <= INLINE
    }

    /// Whether two keys have the same text.
    #[inline(always)]
    pub(super) fn is(&self, long: &Long, other: &Self, its: &Long) -> bool {
        self.agrees(other) && (self.is_inline() || long.get(self) == its.get(other))
    }

    /// Whether a kept key has the text of one that is not kept.
    #[inline(always)]
    pub(super) fn is_of(&self, long: &Long, other: &Self, text: &[u8]) -> bool {
        self.agrees(other) && (self.is_inline() || long.get(self) == text)
    }

    #[inline(always)]
    fn agrees(&self, other: &Self) -> bool {
        self.length == other.length && self.low == other.low && (self.high == other.high || !self.is_inline())
    }

    /// An order in which no two different short texts are equal: by length, then by bytes.
    pub(super) fn order(&self) -> (u32, u64, u64) {
        (self.length, self.low.swap_bytes(), self.high.swap_bytes())
    }

    /// The text.
    pub(super) fn text(&self, long: &Long) -> String {
        if !self.is_inline() {
            return String::from_utf8_lossy(long.get(self)).into_owned();
        }
        let length = self.length as usize;
        let mut text = self.low.to_le_bytes().to_vec();
        text.truncate(length);
        text.extend_from_slice(&self.high.to_le_bytes()[8 - length.saturating_sub(8)..]);
        String::from_utf8_lossy(&text).into_owned()
    }
}

impl Long {
    fn get(&self, key: &Key) -> &[u8] {
        &self.0[key.high as usize..][..key.length as usize]
    }
}

/// A short text as two numbers: its first eight bytes, and its last eight if it has as many. No two of one length have the same.
#[inline(always)]
fn inline(text: &[u8]) -> (u64, u64) {
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        return (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
        return (u64::from(first) | u64::from(last) << (8 * (text.len() - 4)), 0);
    }
    (text.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)), 0)
}

#[inline(always)]
fn hash(low: u64, high: u64) -> u64 {
    HASHER.hash_one(u128::from(high) << 64 | u128::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(text: &str, long: &mut Long) -> Key {
        Key::of(text.as_bytes(), 0).unwrap().0.kept(text.as_bytes(), long)
    }

    proptest! {
        #[test]
        fn texts_come_back_as_they_were(text in ".{1,24}") {
            let mut long = Long::default();
            let key = key(&text, &mut long);
            prop_assert_eq!(key.text(&long), text);
        }

        #[test]
        fn keys_are_the_same_only_if_their_texts_are(a in "[ab]{1,18}", b in "[ab]{1,18}") {
            let (mut long, mut its) = (Long::default(), Long::default());
            let (x, y) = (key(&a, &mut long), key(&b, &mut its));
            prop_assert_eq!(x.is(&long, &y, &its), a == b);
            prop_assert_eq!(x.is_of(&long, &Key::of(b.as_bytes(), 0).unwrap().0, b.as_bytes()), a == b);
            prop_assert!(a != b || x.hash() == y.hash());
        }
    }
}
