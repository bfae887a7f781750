//! Repairs: how much average precision each kind of mistake costs, told by mending all mistakes of that kind.
//!
//! The cost of a kind is the mean AP at the audit's IoU with the mistakes of that kind mended, less the mean AP as it is.
//! Localisation and classification mistakes are mended by making the most confident one about each box that is not hit a hit
//! of that box, in the box's category, and leaving out the others. Duplicates, background predictions and those that are
//! wrong in both ways are left out. Missed boxes are no longer counted; a category with nothing left to find counts as perfect.
//! Costs do not add up: a mistake may hide behind another one.

use crate::audit::{Audit, Finding, Kind};
use crate::curve::{Curve, Grids};
use crate::params::Interpolation;
use crate::scene::Scene;
use crate::workers::Workers;

/// The kinds of mistakes, with the names that reports use.
pub(crate) const MISTAKES: [(Mistake, &str); 6] = [
    (Mistake::Of(Kind::Classification), "classification"),
    (Mistake::Of(Kind::Localisation), "localisation"),
    (Mistake::Of(Kind::Both), "both"),
    (Mistake::Of(Kind::Duplicate), "duplicate"),
    (Mistake::Of(Kind::Background), "background"),
    (Mistake::Missed, "missed"),
];

/// A kind of mistake: of predictions, or of boxes that were missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mistake {
    Of(Kind),
    Missed,
}

/// What the mistakes of an audit cost.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Costs {
    /// The mean AP as it is.
    pub(crate) average: f64,
    /// In the order of [`MISTAKES`]: how many there are, and what they cost.
    pub(crate) mistakes: [(u64, f64); 6],
}

impl Costs {
    pub(crate) fn new(audit: &Audit, scene: &Scene, interpolation: Interpolation, workers: Workers) -> Self {
        let bench = Bench::new(audit, scene, interpolation);
        let means =
            workers.map(1 + MISTAKES.len(), |number| bench.mean(number.checked_sub(1).map(|place| MISTAKES[place].0)));
        let mut mistakes = [(0, 0.0); 6];
        for (place, (mistake, _)) in MISTAKES.iter().enumerate() {
            mistakes[place] = (bench.count(*mistake), means[place + 1] - means[0]);
        }
        Self { average: means[0], mistakes }
    }

    /// The names of the mistakes with their numbers and costs.
    pub(crate) fn named(&self) -> impl Iterator<Item = (&'static str, u64, f64)> + '_ {
        MISTAKES.iter().zip(&self.mistakes).map(|((_, name), (count, cost))| (*name, *count, *cost))
    }
}

/// An audit, with what is needed to mend it.
struct Bench<'a> {
    audit: &'a Audit,
    interpolation: Interpolation,
    grids: Grids,
    /// True boxes that count, by category.
    truths: Vec<u64>,
    /// Missed boxes by category.
    missed: Vec<u64>,
    /// For each true box that is not hit, the prediction that would hit it if its place were right.
    relocated: Vec<Option<u32>>,
    /// By category, the scores of the predictions that would hit its boxes if their category were right, the best first.
    renamed: Vec<Vec<f64>>,
}

impl<'a> Bench<'a> {
    fn new(audit: &'a Audit, scene: &Scene, interpolation: Interpolation) -> Self {
        let relocated = best_about(audit, Kind::Localisation);
        let best = best_about(audit, Kind::Classification);
        let count = audit.findings.len();
        let (mut truths, mut missed, mut renamed) = (vec![0; count], vec![0; count], vec![Vec::new(); count]);
        for (place, placed) in scene.truths.iter().enumerate().filter(|(_, placed)| !placed.truth.crowd) {
            let category = placed.category as usize;
            truths[category] += 1;
            renamed[category].extend(best[place].map(|(score, _)| score));
            missed[category] +=
                u64::from(!audit.states[place].hit && best[place].is_none() && relocated[place].is_none());
        }
        for scores in &mut renamed {
            scores.sort_by(|a, b| b.total_cmp(a));
        }
        let relocated = relocated.into_iter().map(|best| best.map(|(_, index)| index)).collect();
        Self { audit, interpolation, grids: Grids::default(), truths, missed, relocated, renamed }
    }

    fn count(&self, mistake: Mistake) -> u64 {
        match mistake {
            Mistake::Missed => self.missed.iter().sum(),
            Mistake::Of(kind) => {
                self.audit.findings.iter().flatten().filter(|finding| finding.kind == kind).count() as u64
            }
        }
    }

    /// The mean AP with one kind of mistake mended, or none.
    fn mean(&self, mended: Option<Mistake>) -> f64 {
        let judged = || (0..self.truths.len()).filter(|category| self.truths[*category] > 0);
        judged().map(|category| self.average(category, mended)).sum::<f64>() / judged().count().max(1) as f64
    }

    fn average(&self, category: usize, mended: Option<Mistake>) -> f64 {
        let missed = if mended == Some(Mistake::Missed) { self.missed[category] } else { 0 };
        let truths = self.truths[category] - missed;
        if truths == 0 {
            return 1.0;
        }
        let renamed: &[f64] =
            if mended == Some(Mistake::Of(Kind::Classification)) { &self.renamed[category] } else { &[] };
        let mut renamed = renamed.iter().peekable();
        let (mut precision, mut misses) = (Vec::new(), 0.0);
        let hit =
            |precision: &mut Vec<f64>, misses| precision.push(Curve::precision(precision.len() as f64 + 1.0, misses));
        for finding in &self.audit.findings[category] {
            while renamed.next_if(|score| **score > finding.score).is_some() {
                hit(&mut precision, misses);
            }
            match self.outcome(finding, mended) {
                Some(true) => hit(&mut precision, misses),
                Some(false) => misses += 1.0,
                None => {}
            }
        }
        renamed.for_each(|_| hit(&mut precision, misses));
        Curve::new(&mut precision, truths).average(self.interpolation, &self.grids.steps(truths))
    }

    /// Whether a prediction is a hit, once the mistakes are mended; none if it counts for nothing.
    fn outcome(&self, finding: &Finding, mended: Option<Mistake>) -> Option<bool> {
        match finding.kind {
            Kind::Hit => Some(true),
            Kind::Ignored => None,
            kind if mended != Some(Mistake::Of(kind)) => Some(false),
            Kind::Localisation => {
                let best = finding.truth.and_then(|truth| self.relocated[truth as usize]);
                (best == Some(finding.index)).then_some(true)
            }
            _ => None,
        }
    }
}

/// For each true box that is not hit the most confident mistake of a kind about it: its score and its place in the file.
fn best_about(audit: &Audit, kind: Kind) -> Vec<Option<(f64, u32)>> {
    let mut best: Vec<Option<(f64, u32)>> = vec![None; audit.states.len()];
    for finding in audit.findings.iter().flatten().filter(|finding| finding.kind == kind) {
        let Some(truth) = finding.truth.map(|truth| truth as usize) else { continue };
        let better = best[truth].is_none_or(|(score, index)| (finding.score, index) > (score, finding.index));
        if better && !audit.states[truth].hit {
            best[truth] = Some((finding.score, finding.index));
        }
    }
    best
}
