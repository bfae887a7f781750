//! A task: the generated comments and the references of one pull request, and which of them are at the same place.

use std::collections::HashMap;

use autoscorer_judge::Judgement;
use serde_json::Value;

use super::location::{self, Rule};
use crate::read::comment::Comment;
use crate::read::reference::Reference;

/// The two sides of a pull request. Only what has a note takes part.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) comments: Vec<Comment>,
    pub(crate) references: Vec<Reference>,
    /// Which references count as one: those with the same number.
    pub(crate) identities: Vec<u32>,
    /// For each comment the references at its place, in their order.
    pub(crate) candidates: Vec<Vec<u32>>,
    /// References that were counted although they take no part, see [`Task::expected`].
    without_note: usize,
}

/// What makes a reference the same as another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Identity {
    /// Its place in the list: none is the same as another.
    Index,
    /// Its id; all that have none are the same.
    Id,
}

/// What is known of pairs: comment, reference, and what the judge said.
pub(crate) type Judgements = HashMap<(u32, u32), Judgement>;

impl Task {
    /// Brings the two sides together.
    pub(crate) fn new(
        comments: Vec<Comment>,
        references: Vec<Reference>,
        identity: Identity,
        rule: Rule,
        threshold: u64,
    ) -> Self {
        // The document's program counts references without a note where there is no comment at all.
        let without_note =
            if comments.is_empty() { references.iter().filter(|one| one.note.is_empty()).count() } else { 0 };
        let comments: Vec<Comment> = comments.into_iter().filter(|one| !one.note.is_empty()).collect();
        let references: Vec<Reference> = references.into_iter().filter(|one| !one.note.is_empty()).collect();
        let identities = identities(&references, identity);
        let candidates = candidates(&comments, &references, rule, threshold);
        Self { comments, references, identities, candidates, without_note }
    }

    /// How many references there are to find.
    pub(crate) fn expected(&self) -> usize {
        self.references.len() + self.without_note
    }

    /// The texts of a pair: the comment's note and the reference's.
    pub(crate) fn texts(&self, comment: u32, reference: u32) -> (&str, &str) {
        (&self.comments[comment as usize].note, &self.references[reference as usize].note)
    }

    /// The texts of every pair at the same place.
    pub(crate) fn all_texts(&self) -> impl Iterator<Item = (&str, &str)> {
        let of_comment = |(comment, references): (usize, &Vec<u32>)| {
            references.iter().map(move |reference| (comment as u32, *reference)).collect::<Vec<_>>()
        };
        let pairs = self.candidates.iter().enumerate().flat_map(of_comment);
        pairs.map(|(comment, reference)| self.texts(comment, reference))
    }

    /// How many pairs are at the same place.
    pub(crate) fn pairs(&self) -> usize {
        self.candidates.iter().map(Vec::len).sum()
    }
}

/// For each comment the references at its place, in their order.
pub(crate) fn candidates(comments: &[Comment], references: &[Reference], rule: Rule, threshold: u64) -> Vec<Vec<u32>> {
    let at = |comment: &Comment| {
        let same = |reference: &Reference| location::agree(rule, &comment.place, &reference.place, threshold);
        (0..references.len() as u32).filter(|at| same(&references[*at as usize])).collect()
    };
    comments.iter().map(at).collect()
}

fn identities(references: &[Reference], identity: Identity) -> Vec<u32> {
    if identity == Identity::Index {
        return (0..references.len() as u32).collect();
    }
    let mut seen: HashMap<Option<String>, u32> = HashMap::new();
    let mut number = |id: Option<String>| {
        let next = seen.len() as u32;
        *seen.entry(id).or_insert(next)
    };
    references.iter().map(|one| number(one.id.as_ref().map(written))).collect()
}

/// An id as it is compared: numbers by their value, and true and false as the numbers that the published evaluator takes them for.
fn written(id: &Value) -> String {
    let number = id.as_bool().map(|yes| f64::from(u8::from(yes))).or_else(|| id.as_f64());
    number.map_or_else(|| id.to_string(), |number| number.to_string())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A task with these candidates; notes and places do not matter.
    pub(crate) fn sample(candidates: Vec<Vec<u32>>, identities: Vec<u32>) -> Task {
        let comment = |number| Comment { number, place: Default::default(), note: format!("comment {number}") };
        let reference = |index| Reference { index, note: format!("reference {index}"), ..Reference::default() };
        Task {
            comments: (1..=candidates.len()).map(comment).collect(),
            references: (0..identities.len()).map(reference).collect(),
            identities,
            candidates,
            without_note: 0,
        }
    }

    #[test]
    fn references_without_an_id_are_one_where_ids_count() {
        let ids = [Some("x".into()), None, Some("y".into()), None, Some("x".into())];
        let references: Vec<_> =
            ids.into_iter().map(|id| Reference { id, note: "n".to_owned(), ..Reference::default() }).collect();
        assert_eq!(identities(&references, Identity::Id), [0, 1, 2, 1, 0]);
        assert_eq!(identities(&references, Identity::Index), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn ids_of_equal_value_are_equal() {
        let ids = [Value::from(1), Value::from("1"), Value::from(1.0), true.into(), false.into(), Value::from(0)];
        let references: Vec<_> =
            ids.map(|id| Reference { id: Some(id), note: "n".to_owned(), ..Reference::default() }).into();
        assert_eq!(identities(&references, Identity::Id), [0, 1, 0, 0, 2, 2]);
    }
}
