//! Flips: items that one result has right and the other has not.

use std::collections::BTreeSet;

use serde::Serialize;

/// How many items changed sides, and which.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Flips {
    /// What an item is.
    pub item: &'static str,
    /// How many there are.
    pub items: u64,
    /// Wrong in the first, right in the second.
    pub fixed: Vec<String>,
    /// Right in the first, wrong in the second.
    pub broken: Vec<String>,
}

impl Flips {
    /// The flips of items, by those that are wrong on each side.
    pub fn of_wrong(item: &'static str, items: u64, wrong: [&BTreeSet<String>; 2]) -> Self {
        let [first, second] = wrong;
        let only = |one: &BTreeSet<String>, other| one.difference(other).cloned().collect();
        Self { item, items, fixed: only(first, second), broken: only(second, first) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn swapping_the_sides_swaps_the_flips(
            first in prop::collection::btree_set("[a-d]{1,2}", 0..9),
            second in prop::collection::btree_set("[a-d]{1,2}", 0..9),
        ) {
            let (there, back) = (Flips::of_wrong("row", 30, [&first, &second]), Flips::of_wrong("row", 30, [&second, &first]));
            prop_assert_eq!((&there.fixed, &there.broken), (&back.broken, &back.fixed));
            // As many more are right as fewer are wrong.
            prop_assert_eq!(first.len() + there.broken.len(), second.len() + there.fixed.len());
        }
    }
}
