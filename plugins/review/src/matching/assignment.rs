//! A one-to-one assignment: as many pairs as there can be, and of those the nearest.

use std::collections::VecDeque;

/// For each reference its possible comments, each with the distance between the two.
pub(crate) type Choices = Vec<Vec<(usize, i64)>>;

/// For each reference its comment.
pub(crate) type Assigned = Vec<Option<usize>>;

/// As many pairs as possible, at the least total distance.
pub(crate) fn nearest(choices: &Choices, comments: usize) -> Assigned {
    let mut pairing = Pairing::new(choices, comments, vec![None; choices.len()]);
    while pairing.grow() {}
    pairing.of_reference
}

/// Makes an assignment as large as possible; a comment that has a reference keeps having one, maybe another.
pub(crate) fn extended(choices: &Choices, comments: usize, assigned: Assigned) -> Assigned {
    let free: Choices = choices.iter().map(|row| row.iter().map(|(comment, _)| (*comment, 0)).collect()).collect();
    let mut pairing = Pairing::new(&free, comments, assigned);
    while pairing.grow() {}
    pairing.of_reference
}

struct Pairing<'c> {
    choices: &'c Choices,
    of_reference: Assigned,
    of_comment: Assigned,
}

impl<'c> Pairing<'c> {
    fn new(choices: &'c Choices, comments: usize, of_reference: Assigned) -> Self {
        let mut of_comment = vec![None; comments];
        for (reference, comment) in of_reference.iter().enumerate() {
            if let Some(comment) = comment {
                of_comment[*comment] = Some(reference);
            }
        }
        Self { choices, of_reference, of_comment }
    }

    /// One more pair, by the shortest path that swaps pairs from a free reference to a free comment.
    fn grow(&mut self) -> bool {
        let paths = self.shortest_paths();
        let free = (0..self.of_comment.len()).filter(|comment| self.of_comment[*comment].is_none());
        let reached = free.filter_map(|comment| Some((paths.to_comment[comment]?.0, comment)));
        let Some((_, mut comment)) = reached.min() else { return false };
        while let Some((_, reference)) = paths.to_comment[comment] {
            let before = self.of_reference[reference].replace(comment);
            self.of_comment[comment] = Some(reference);
            match before {
                Some(before) => comment = before,
                None => break,
            }
        }
        true
    }

    fn shortest_paths(&self) -> Paths {
        let mut paths = Paths { to_comment: vec![None; self.of_comment.len()] };
        let mut distance: Vec<Option<i64>> =
            self.of_reference.iter().map(|comment| comment.is_none().then_some(0)).collect();
        let mut queue: VecDeque<usize> = (0..distance.len()).filter(|one| distance[*one].is_some()).collect();
        while let Some(reference) = queue.pop_front() {
            let Some(here) = distance[reference] else { continue };
            for (comment, length) in &self.choices[reference] {
                let there = here + length;
                let better = paths.to_comment[*comment].is_none_or(|(known, _)| there < known);
                if !better || self.of_reference[reference] == Some(*comment) {
                    continue;
                }
                paths.to_comment[*comment] = Some((there, reference));
                if let Some(owner) = self.of_comment[*comment] {
                    distance[owner] = Some(there - self.length(owner, *comment));
                    queue.push_back(owner);
                }
            }
        }
        paths
    }

    fn length(&self, reference: usize, comment: usize) -> i64 {
        self.choices[reference].iter().find(|(one, _)| *one == comment).map_or(0, |(_, length)| *length)
    }
}

/// For each comment how far it is from the nearest free reference, and the last reference on the way.
struct Paths {
    to_comment: Vec<Option<(i64, usize)>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The largest assignment and its least distance, by trying all.
    fn best(choices: &[Vec<(usize, i64)>], taken: u32) -> (i64, i64) {
        let Some((first, rest)) = choices.split_first() else { return (0, 0) };
        let without = best(rest, taken);
        let with = first.iter().filter(|(comment, _)| taken & 1 << comment == 0).map(|(comment, length)| {
            let (size, distance) = best(rest, taken | 1 << comment);
            (size + 1, distance - length)
        });
        with.chain([without]).max().unwrap()
    }

    fn choices() -> impl Strategy<Value = Choices> {
        let row = prop::collection::btree_map(0_usize..6, 0_i64..4, 0..6);
        prop::collection::vec(row.prop_map(|row| row.into_iter().collect()), 0..6)
    }

    proptest! {
        #[test]
        fn it_is_the_largest_and_of_those_the_nearest(choices in choices()) {
            let assigned = nearest(&choices, 6);
            let mut seen = std::collections::BTreeSet::new();
            let mut distance = 0;
            for (reference, comment) in assigned.iter().enumerate() {
                let Some(comment) = comment else { continue };
                prop_assert!(seen.insert(*comment));
                distance -= choices[reference].iter().find(|(one, _)| one == comment).unwrap().1;
            }
            prop_assert_eq!((seen.len() as i64, distance), best(&choices, 0));
        }

        #[test]
        fn an_extension_is_as_large_and_leaves_nobody_out(choices in choices(), part in choices()) {
            let some: Choices = choices.iter().zip(&part).map(|(row, part)| {
                row.iter().filter(|(one, _)| part.iter().any(|(other, _)| one == other)).copied().collect()
            }).chain(choices.iter().skip(part.len()).map(|_| Vec::new())).collect();
            let before = nearest(&some, 6);
            let after = extended(&choices, 6, before.clone());
            prop_assert_eq!(after.iter().flatten().count() as i64, best(&choices, 0).0);
            prop_assert!(before.iter().flatten().all(|comment| after.contains(&Some(*comment))));
        }
    }
}
