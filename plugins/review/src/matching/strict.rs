//! The strict procedure: one comment, one reference; meaning first, then the distance of lines. The order of the file changes nothing.

use super::assignment::{Assigned, Choices, extended, nearest};
use super::location;
use super::sequential::Found;
use super::task::Task;

/// Lines further apart than this are all the same to the assignment.
const FAR: i64 = 1_000_000;

/// Assigns comments to references over the given candidates.
pub(crate) fn run(
    task: &Task,
    candidates: &[Vec<u32>],
    by_meaning: bool,
    same: impl Fn(u32, u32) -> bool,
) -> Vec<Found> {
    let order = Order::of(task);
    let located = order.choices(task, candidates, |_, _| true);
    let meant = if by_meaning { order.choices(task, candidates, same) } else { vec![Vec::new(); located.len()] };
    let by_meaning_first = nearest(&meant, task.comments.len());
    let lines = if by_meaning {
        extended(&located, task.comments.len(), by_meaning_first.clone())
    } else {
        nearest(&located, task.comments.len())
    };
    let mut found = vec![Found::default(); task.comments.len()];
    order.note(&lines, |comment, reference| {
        found[comment] = Found { line: true, meaning: false, reference: Some(reference) };
    });
    order.note(&by_meaning_first, |comment, reference| {
        found[comment] = Found { line: true, meaning: true, reference: Some(reference) };
    });
    found
}

/// Comments and references in an order of their content, so that equal sets give equal assignments.
struct Order {
    comments: Vec<usize>,
    references: Vec<usize>,
}

impl Order {
    fn of(task: &Task) -> Self {
        let mut comments: Vec<usize> = (0..task.comments.len()).collect();
        comments.sort_by_key(|at| (&task.comments[*at].place, &task.comments[*at].note));
        let mut references: Vec<usize> = (0..task.references.len()).collect();
        references.sort_by_key(|at| (&task.references[*at].place, &task.references[*at].note));
        Self { comments, references }
    }

    /// For each reference in order the comments, by their place in the order, that are candidates and wanted.
    fn choices(&self, task: &Task, candidates: &[Vec<u32>], wanted: impl Fn(u32, u32) -> bool) -> Choices {
        let mut rank = vec![0; self.references.len()];
        self.references.iter().enumerate().for_each(|(at, reference)| rank[*reference] = at);
        let mut choices: Choices = vec![Vec::new(); self.references.len()];
        for (at, comment) in self.comments.iter().enumerate() {
            for reference in &candidates[*comment] {
                if wanted(*comment as u32, *reference) {
                    choices[rank[*reference as usize]].push((at, distance(task, *comment, *reference as usize)));
                }
            }
        }
        choices
    }

    fn note(&self, assigned: &Assigned, mut note: impl FnMut(usize, u32)) {
        for (at, comment) in assigned.iter().enumerate() {
            if let Some(comment) = comment {
                note(self.comments[*comment], self.references[at] as u32);
            }
        }
    }
}

fn distance(task: &Task, comment: usize, reference: usize) -> i64 {
    let gap = location::gap(&task.comments[comment].place, &task.references[reference].place);
    gap.and_then(|gap| i64::try_from(gap).ok()).map_or(FAR, |gap| gap.min(FAR))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::task::tests::sample;

    #[test]
    fn the_order_of_comments_changes_nothing() {
        // The first comment could take either reference, the second only the first one.
        for candidates in [vec![vec![0, 1], vec![0]], vec![vec![0], vec![0, 1]]] {
            let task = sample(candidates.clone(), vec![0, 1]);
            let found = run(&task, &candidates, true, |_, _| true);
            assert_eq!(found.iter().filter(|one| one.meaning).count(), 2);
        }
    }

    #[test]
    fn meaning_counts_before_place() {
        let candidates = vec![vec![0], vec![0]];
        let task = sample(candidates.clone(), vec![0]);
        let found = run(&task, &candidates, true, |comment, _| comment == 1);
        assert_eq!((found[0].line, found[1].line, found[1].meaning), (false, true, true));
    }
}
