//! The join: for every row of one file the row of another with the same id.

use std::sync::atomic::{AtomicU32, Ordering};

use super::ids::{Ids, PARTS, Part};
use super::pair::Missing;
use crate::context::Watch;
use crate::error::ScoreError;
use crate::parallel::Workers;

/// Stands for no row.
pub const NONE: u32 = u32::MAX;

/// Joining fewer rows takes less time than starting a thread for it.
const WORTH_A_THREAD: usize = 1 << 15;

/// How the rows of two files belong together.
pub(crate) struct Joined {
    /// For every row of the first file a row of the second, or [`NONE`].
    pub(crate) rows: Vec<u32>,
    /// How many rows of the first have no partner.
    pub(crate) missing: usize,
    /// How many rows of the second have none.
    pub(crate) extra: usize,
    /// Whether an id was there twice.
    pub(crate) twice: bool,
}

impl Joined {
    /// Whether the two files belong together.
    pub(crate) fn fits(&self, missing: Missing) -> bool {
        !self.twice && self.extra == 0 && (self.missing == 0 || missing == Missing::Allowed)
    }
}

/// Joins two files, part by part, unless the job is stopped.
pub(crate) fn join(gt: &Ids, pred: &Ids, watch: Option<Watch<'_>>) -> Result<Joined, ScoreError> {
    // Every row belongs to one part, so no two threads ever write to the same place.
    let rows: Vec<AtomicU32> = std::iter::repeat_with(|| AtomicU32::new(NONE)).take(gt.rows()).collect();
    let small = gt.rows() + pred.rows() < WORTH_A_THREAD;
    let workers = if small { Workers::new(1) } else { Workers::all() };
    let join = |memory: &mut Memory, part: usize| -> Result<Result<usize, Twice>, ScoreError> {
        let (gt, pred) = (gt.part(part), pred.part(part));
        if gt.keys.is_empty() && pred.keys.is_empty() {
            return Ok(Ok(0));
        }
        watch.map_or(Ok(()), |watch| watch.check())?;
        Ok(join_part(gt, pred, &rows, memory))
    };
    let pairs: Vec<_> = workers.map_with(PARTS, Memory::default, join).into_iter().collect::<Result<_, _>>()?;
    let pairs = pairs.into_iter().sum::<Result<usize, Twice>>();
    let (twice, pairs) = (pairs.is_err(), pairs.unwrap_or_default());
    let rows = rows.into_iter().map(AtomicU32::into_inner).collect();
    Ok(Joined { rows, missing: gt.rows() - pairs, extra: pred.rows() - pairs, twice })
}

/// An id was there twice.
struct Twice;

/// What joining one part after the other needs; small enough for a core's cache.
#[derive(Default)]
struct Memory {
    /// Places of keys, each where its hash says or behind.
    slots: Vec<u32>,
    /// For each key the row of its partner.
    partners: Vec<u32>,
}

/// Joins one part and tells how many rows have found a partner.
fn join_part(gt: Part<'_>, pred: Part<'_>, rows: &[AtomicU32], memory: &mut Memory) -> Result<usize, Twice> {
    if gt.is_same(&pred) && gt.is_ascending() {
        for (key, partner) in gt.keys.iter().zip(pred.keys) {
            rows[key.number as usize].store(partner.number, Ordering::Relaxed);
        }
        return Ok(gt.keys.len());
    }
    let mask = (2 * gt.keys.len()).next_power_of_two() - 1;
    let Memory { slots, partners } = memory;
    slots.clear();
    slots.resize(mask + 1, NONE);
    partners.clear();
    partners.resize(gt.keys.len(), NONE);
    for (place, key) in gt.keys.iter().enumerate() {
        let mut slot = key.hash() as usize & mask;
        while slots[slot] != NONE {
            if gt.same(&gt.keys[slots[slot] as usize], &gt, key) {
                // Going on with many ids that are the same would take for ever.
                return Err(Twice);
            }
            slot = (slot + 1) & mask;
        }
        slots[slot] = place as u32;
    }
    let mut pairs = 0;
    for key in pred.keys {
        let mut slot = key.hash() as usize & mask;
        while slots[slot] != NONE {
            let place = slots[slot] as usize;
            if gt.same(&gt.keys[place], &pred, key) {
                if partners[place] != NONE {
                    return Err(Twice);
                }
                partners[place] = key.number;
                pairs += 1;
                break;
            }
            slot = (slot + 1) & mask;
        }
    }
    for (key, partner) in gt.keys.iter().zip(partners) {
        rows[key.number as usize].store(*partner, Ordering::Relaxed);
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    fn ids(list: &[String]) -> Ids {
        let mut ids = Ids::with_capacity(list.len());
        list.iter().for_each(|id| ids.push(id.as_bytes()).unwrap());
        ids
    }

    /// The same by a map of texts.
    fn slow(gt: &[String], pred: &[String]) -> Vec<u32> {
        let rows: HashMap<&String, u32> = pred.iter().zip(0..).collect();
        gt.iter().map(|id| rows.get(id).copied().unwrap_or(NONE)).collect()
    }

    fn join(gt: &Ids, pred: &Ids) -> Joined {
        super::join(gt, pred, None).unwrap()
    }

    fn numbered(count: usize, prefix: &str) -> Vec<String> {
        (0..count).map(|n| format!("{prefix}{n}")).collect()
    }

    #[test]
    fn ids_of_every_length_in_every_order_are_joined() {
        for prefix in ["", "image_", "an id that is longer than sixteen bytes ", "\0"] {
            let gt = numbered(70_000, prefix);
            let mut pred = gt.clone();
            assert_eq!(join(&ids(&gt), &ids(&pred)).rows, slow(&gt, &pred), "same order");
            pred.reverse();
            let joined = join(&ids(&gt), &ids(&pred));
            assert_eq!(joined.rows, slow(&gt, &pred), "reversed");
            assert!(joined.fits(Missing::Fault));
        }
    }

    #[test]
    fn an_id_that_is_there_twice_is_found_on_either_side_and_in_no_time() {
        let gt = numbered(1_000, "");
        let same = vec!["7".to_owned(); 1_000_000];
        assert!(join(&ids(&gt), &ids(&same)).twice);
        assert!(join(&ids(&same), &ids(&gt)).twice);
        assert!(join(&ids(&same), &ids(&same)).twice);
    }

    #[test]
    fn short_ids_that_differ_only_in_zero_bytes_are_two() {
        let (gt, pred) = (vec!["a".to_owned()], vec!["a\0".to_owned()]);
        let joined = join(&ids(&gt), &ids(&pred));
        assert_eq!((joined.missing, joined.extra), (1, 1));
    }

    proptest! {
        #[test]
        fn a_join_is_what_a_map_finds(
            gt in prop::collection::hash_set("[a-c]{1,3}", 1..30),
            pred in prop::collection::hash_set("[a-c]{1,3}", 0..30),
        ) {
            let (gt, pred): (Vec<_>, Vec<_>) = (gt.into_iter().collect(), pred.into_iter().collect());
            let joined = join(&ids(&gt), &ids(&pred));
            let expected = slow(&gt, &pred);
            let pairs = expected.iter().filter(|row| **row != NONE).count();
            prop_assert_eq!((joined.missing, joined.extra), (gt.len() - pairs, pred.len() - pairs));
            prop_assert_eq!(joined.rows, expected);
            prop_assert!(!joined.twice);
        }
    }
}
