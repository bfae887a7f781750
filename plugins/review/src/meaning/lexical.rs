//! The offline matcher: two notes mean the same if they share enough terms. An estimate, which needs no key and no download.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use autoscorer_judge::{Judgement, Verdict};

use super::terms::terms;

/// The share of common terms from which on two notes count as the same.
pub(crate) const THRESHOLD: f64 = 0.118;

/// The terms of notes, each taken apart once.
#[derive(Default)]
pub(crate) struct Lexical {
    terms: HashMap<String, BTreeSet<String>>,
}

impl Lexical {
    /// Compares two notes.
    pub(crate) fn judge(&mut self, generated: &str, reference: &str, threshold: f64) -> Judgement {
        for note in [generated, reference] {
            if !self.terms.contains_key(note) {
                self.terms.insert(note.to_owned(), terms(note));
            }
        }
        let share = jaccard(&self.terms[generated], &self.terms[reference]);
        let reason = format!("estimate: {:.0} % of the terms are common", 100.0 * share);
        Judgement {
            verdict: if share >= threshold { Verdict::Same } else { Verdict::Different },
            confidence: None,
            reason: Some(reason),
            raw: None,
            tokens: 0,
            latency: Duration::ZERO,
            cached: false,
            calls: 0,
        }
    }
}

/// What two sets have in common, as a share of what they have together. Nothing is like nothing else.
pub(crate) fn jaccard(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let common = one.intersection(other).count();
    let together = one.len() + other.len() - common;
    if together == 0 { 0.0 } else { common as f64 / together as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_about_one_thing_are_the_same_and_others_are_not() {
        let mut lexical = Lexical::default();
        let reference = "`loadCart` may return null when the session has expired; check the result before using it.";
        let verdict = |lexical: &mut Lexical, note: &str| lexical.judge(note, reference, THRESHOLD).verdict;
        assert_eq!(verdict(&mut lexical, "Null result of load_cart is not checked."), Verdict::Same);
        assert_eq!(verdict(&mut lexical, "Rename this variable, the name is misleading."), Verdict::Different);
        assert_eq!(verdict(&mut lexical, "!!!"), Verdict::Different);
    }
}
