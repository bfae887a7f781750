//! What one-to-one assignments would have said beside the profile in force, as far as that needs no further judgement:
//! the strict profile's over its own places, and the best one over the document's.

use autoscorer_judge::Verdict;
use serde::Serialize;

use crate::config::{Config, Matcher};
use crate::matching::location::Rule;
use crate::matching::strict;
use crate::matching::task::{Judgements, Task, candidates};
use crate::meaning::lexical::Lexical;

/// The numbers of a one-to-one assignment for one pull request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Beside {
    /// Comments that have a place with a reference, one to one.
    pub(crate) line_match_nums: usize,
    /// Comments that mean the same as a reference, one to one: at least, and at most.
    pub(crate) match_nums_least: usize,
    pub(crate) match_nums_most: usize,
    /// Pairs that nobody has judged.
    pub(crate) pairs_not_judged: usize,
}

impl Beside {
    /// Computes them from what was judged. The offline matcher costs nothing, so there it judges the rest too.
    pub(crate) fn of(task: &Task, judgements: &Judgements, config: &Config, rule: Rule) -> Self {
        let pairs = candidates(&task.comments, &task.references, rule, config.line_distance);
        let mut lexical = Lexical::default();
        let mut verdict = |comment: u32, reference: u32| match judgements.get(&(comment, reference)) {
            Some(judgement) if judgement.verdict.is_decided() => Some(judgement.verdict == Verdict::Same),
            None if config.matcher == Matcher::Lexical => {
                let (generated, note) = task.texts(comment, reference);
                Some(lexical.judge(generated, note, config.similarity).verdict == Verdict::Same)
            }
            _ => None,
        };
        let verdicts: Vec<Vec<Option<bool>>> = (0..)
            .zip(&pairs)
            .map(|(comment, references)| references.iter().map(|one| verdict(comment, *one)).collect())
            .collect();
        let known = |comment: u32, reference: u32, unknown: bool| {
            let at = pairs[comment as usize].binary_search(&reference);
            at.ok().and_then(|at| verdicts[comment as usize][at]).unwrap_or(unknown)
        };
        let count = |unknown: bool| {
            let found =
                strict::run(task, &pairs, config.by_meaning(), |comment, reference| known(comment, reference, unknown));
            (found.iter().filter(|one| one.line).count(), found.iter().filter(|one| one.meaning).count())
        };
        let not_judged = verdicts.iter().flatten().filter(|verdict| verdict.is_none()).count();
        let (line_match_nums, match_nums_least) = count(false);
        Self {
            line_match_nums,
            match_nums_least,
            match_nums_most: if config.by_meaning() && not_judged > 0 { count(true).1 } else { match_nums_least },
            pairs_not_judged: if config.by_meaning() { not_judged } else { 0 },
        }
    }
}
