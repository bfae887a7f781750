//! The order in which a task's pairs may be judged, as many at once as the sequential procedure allows.
//!
//! Invariant: a pair is ready only when it is certain that the procedure comes to it. It comes to a comment's next
//! reference unless an earlier comment takes that reference, so the pair waits until every earlier comment has passed
//! the reference or is done.

use std::collections::VecDeque;

use super::task::Task;

/// The state of a task whose verdicts come in any order.
pub(crate) struct Schedule {
    /// For each comment its candidates' identities, in order, and where it stands.
    rows: Vec<Row>,
    /// For each identity who has it among the candidates.
    holders: Vec<Holders>,
    /// Pairs that may be asked now: comment and reference.
    ready: VecDeque<(u32, u32)>,
}

struct Row {
    references: Vec<u32>,
    identities: Vec<u32>,
    /// The candidate that is asked or waited for; behind the last one the comment is done.
    cursor: usize,
    asked: bool,
    height: u32,
}

#[derive(Default)]
struct Holders {
    /// Comments in their order.
    comments: Vec<u32>,
    /// The first of them that may still take it.
    front: usize,
    taken: bool,
}

impl Schedule {
    /// All comments at their first candidate.
    pub(crate) fn new(task: &Task) -> Self {
        let identity = |reference: &u32| task.identities[*reference as usize];
        let row = |references: &Vec<u32>| Row {
            identities: references.iter().map(identity).collect(),
            references: references.clone(),
            cursor: 0,
            asked: false,
            height: 0,
        };
        let mut schedule = Self {
            rows: task.candidates.iter().map(row).collect(),
            holders: task.identities.iter().map(|_| Holders::default()).collect(),
            ready: VecDeque::new(),
        };
        for (comment, row) in schedule.rows.iter().enumerate() {
            for identity in &row.identities {
                let comments = &mut schedule.holders[*identity as usize].comments;
                if comments.last() != Some(&(comment as u32)) {
                    comments.push(comment as u32);
                }
            }
        }
        schedule.measure_heights();
        schedule.advance((0..schedule.rows.len() as u32).collect());
        schedule
    }

    /// The next pair that may be asked, and how long a chain of calls may follow it.
    pub(crate) fn pop_ready(&mut self) -> Option<((u32, u32), u32)> {
        let pair = self.ready.pop_front()?;
        let row = &self.rows[pair.0 as usize];
        Some((pair, row.height - row.cursor as u32))
    }

    /// Takes the verdict of the pair that a comment has asked about.
    pub(crate) fn take(&mut self, comment: u32, same: bool) {
        let row = &mut self.rows[comment as usize];
        if !std::mem::take(&mut row.asked) {
            return;
        }
        let identity = row.identities[row.cursor];
        let from = row.cursor;
        row.cursor = if same { row.identities.len() } else { row.cursor + 1 };
        self.holders[identity as usize].taken |= same;
        let mut moved = VecDeque::from([comment]);
        self.settle(comment, from, &mut moved);
        self.advance(moved);
    }

    /// A comment's worst chain: its own candidates, and behind them the longest chain that waits for one of them.
    fn measure_heights(&mut self) {
        let mut behind = vec![0; self.holders.len()];
        for row in self.rows.iter_mut().rev() {
            let longest = row.identities.iter().map(|identity| behind[*identity as usize]).max().unwrap_or_default();
            row.height = longest + row.identities.len() as u32;
            for identity in &row.identities {
                behind[*identity as usize] = row.height;
            }
        }
    }

    /// Moves comments on until each is done, asked or waiting.
    fn advance(&mut self, mut moved: VecDeque<u32>) {
        while let Some(comment) = moved.pop_front() {
            let row = &mut self.rows[comment as usize];
            let Some(identity) = row.identities.get(row.cursor).filter(|_| !row.asked) else { continue };
            let holders = &self.holders[*identity as usize];
            if holders.comments.get(holders.front) != Some(&comment) {
                continue;
            }
            if !holders.taken {
                row.asked = true;
                self.ready.push_back((comment, row.references[row.cursor]));
                continue;
            }
            let from = row.cursor;
            row.cursor += 1;
            moved.push_front(comment);
            self.settle(comment, from, &mut moved);
        }
    }

    /// Lets those go on who waited for what a comment has passed since `from`.
    fn settle(&mut self, comment: u32, from: usize, moved: &mut VecDeque<u32>) {
        let row = &self.rows[comment as usize];
        for identity in &row.identities[from..row.cursor] {
            let holders = &mut self.holders[*identity as usize];
            let before = holders.front;
            while holders
                .comments
                .get(holders.front)
                .is_some_and(|one| has_passed(&self.rows[*one as usize], *identity))
            {
                holders.front += 1;
            }
            if holders.front > before {
                moved.extend(holders.comments.get(holders.front));
            }
        }
    }
}

/// Whether a comment can no longer take a reference of this identity.
fn has_passed(row: &Row, identity: u32) -> bool {
    !row.identities[row.cursor..].contains(&identity)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::sequential;
    use crate::matching::task::tests::sample;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_asks_exactly_what_the_sequential_procedure_asks(
            candidates in prop::collection::vec(prop::collection::btree_set(0_u32..6, 0..6), 0..9),
            identities in prop::collection::vec(0_u32..6, 6),
            same in prop::collection::vec(any::<bool>(), 54),
            order in prop::collection::vec(any::<usize>(), 60),
        ) {
            let task = sample(candidates.into_iter().map(|set| set.into_iter().collect()).collect(), identities);
            let verdict = |comment: u32, reference: u32| same[(comment * 6 + reference) as usize];
            let mut wanted = BTreeSet::new();
            sequential::run(&task, true, |comment, reference| {
                wanted.insert((comment, reference));
                verdict(comment, reference)
            });
            let mut schedule = Schedule::new(&task);
            let (mut flight, mut asked) = (Vec::new(), BTreeSet::new());
            // Verdicts come back in any order.
            for step in 0.. {
                flight.extend(std::iter::from_fn(|| schedule.pop_ready()).map(|(pair, _)| pair));
                if flight.is_empty() {
                    break;
                }
                let pair: (u32, u32) = flight.swap_remove(order[step % order.len()] % flight.len());
                prop_assert!(asked.insert(pair));
                schedule.take(pair.0, verdict(pair.0, pair.1));
            }
            prop_assert_eq!(asked, wanted);
        }
    }

    #[test]
    fn comments_at_different_places_are_asked_at_once() {
        let mut schedule = Schedule::new(&sample(vec![vec![0, 1], vec![2], vec![0]], (0..3).collect()));
        let ready: Vec<_> = std::iter::from_fn(|| schedule.pop_ready()).map(|(pair, _)| pair).collect();
        assert_eq!(ready, [(0, 0), (1, 2)]);
        schedule.take(0, false);
        let ready: Vec<_> = std::iter::from_fn(|| schedule.pop_ready()).map(|(pair, _)| pair).collect();
        assert_eq!(ready, [(0, 1), (2, 0)]);
    }
}
