//! A plan: pairs of texts to be judged, some of them only once the verdicts of others are known.

use crate::judgement::Judgement;

/// Pairs of texts that have to be judged, some only once the verdicts of others are known.
pub trait Plan: Send {
    /// The next pair that may be asked now, each given out once; `None` if there is none at the moment.
    fn next(&mut self) -> Option<usize>;

    /// The two texts of a pair: the generated comment, the reference comment.
    fn texts(&self, pair: usize) -> (&str, &str);

    /// Takes what came of a pair; may make further pairs ready. A pair that was given out when the run was stopped may
    /// never come back.
    fn take(&mut self, pair: usize, judgement: &Judgement);
}
