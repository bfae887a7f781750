//! The document's procedure: comment by comment, reference by reference, the first that means the same is taken.

use std::collections::HashSet;

use super::task::Task;

/// What became of one comment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// It is the first at the place of some reference.
    pub(crate) line: bool,
    /// It says the same as a reference.
    pub(crate) meaning: bool,
    /// The reference: the one that means the same, or else the last whose place it was the first at.
    pub(crate) reference: Option<u32>,
}

/// Runs the procedure. `same` is asked only for the pairs that the procedure comes to, and in its order.
pub(crate) fn run(task: &Task, by_meaning: bool, mut same: impl FnMut(u32, u32) -> bool) -> Vec<Found> {
    let (mut located, mut taken) = (HashSet::new(), HashSet::new());
    let mut found = vec![Found::default(); task.comments.len()];
    for (comment, candidates) in task.candidates.iter().enumerate() {
        let found = &mut found[comment];
        for reference in candidates {
            let identity = task.identities[*reference as usize];
            if taken.contains(&identity) {
                continue;
            }
            if located.insert(identity) {
                found.line = true;
                found.reference = Some(*reference);
            }
            if by_meaning && same(comment as u32, *reference) {
                taken.insert(identity);
                found.meaning = true;
                found.reference = Some(*reference);
                break;
            }
        }
    }
    found
}
