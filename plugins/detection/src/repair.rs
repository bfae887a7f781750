//! Repairs: how much average precision each kind of mistake costs, told by mending all mistakes of that kind.
//!
//! The cost of a kind is the mean AP at the audit's IoU with the mistakes of that kind mended, less the mean AP as it is.
//! Localisation and classification mistakes are mended by making the most confident one about each box that is not hit a hit
//! of that box, in the box's category, and leaving out the others. Duplicates, background predictions and those that are
//! wrong in both ways are left out. Missed boxes are no longer counted; a category with nothing left to find counts as perfect.
//! Costs do not add up: a mistake may hide behind another one.

use autoscorer_plugin_api::parallel::Workers;
use autoscorer_plugin_api::sum::Sum;

use crate::audit::{Audit, Kind};
use crate::curve::{Curve, Grids};
use crate::params::Interpolation;
use crate::scene::Scene;

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
    pub(crate) fn new(audits: &[Audit], scene: &Scene, interpolation: Interpolation, workers: Workers) -> Self {
        let bench = Bench::new(audits, scene, interpolation);
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

/// The audits of all categories, with what is needed to mend them.
struct Bench<'a> {
    audits: &'a [Audit],
    interpolation: Interpolation,
    grids: Grids,
    categories: Vec<Mending>,
}

/// What mending does to a category.
#[derive(Debug, Clone, Default)]
struct Mending {
    /// True boxes that count.
    truths: u64,
    missed: u64,
    /// The places of predictions that would be hits if their boxes were right, ascending.
    relocated: Vec<u32>,
    /// The scores of predictions of other categories that would be hits in this one, the best first.
    renamed: Vec<f64>,
}

impl<'a> Bench<'a> {
    fn new(audits: &'a [Audit], scene: &Scene, interpolation: Interpolation) -> Self {
        let hit = hits(audits, scene.truths.len());
        let relocated = best_about(audits, Kind::Localisation, &hit);
        let renamed = best_about(audits, Kind::Classification, &hit);
        let mut categories = vec![Mending::default(); audits.len()];
        for (place, placed) in scene.truths.iter().enumerate().filter(|(_, placed)| !placed.truth.crowd) {
            let category = &mut categories[placed.category as usize];
            category.truths += 1;
            category.relocated.extend(relocated[place].map(|best| best.place));
            category.renamed.extend(renamed[place].map(|best| best.score));
            category.missed += u64::from(!hit[place] && relocated[place].is_none() && renamed[place].is_none());
        }
        for category in &mut categories {
            category.relocated.sort_unstable();
            category.renamed.sort_by(|a, b| b.total_cmp(a));
        }
        Self { audits, interpolation, grids: Grids::default(), categories }
    }

    fn count(&self, mistake: Mistake) -> u64 {
        match mistake {
            Mistake::Missed => self.categories.iter().map(|category| category.missed).sum(),
            Mistake::Of(kind) => {
                let of_category = |audit: &Audit| audit.kinds.iter().filter(|one| **one == kind).count() as u64;
                self.audits.iter().map(of_category).sum()
            }
        }
    }

    /// The mean AP with one kind of mistake mended, or none.
    fn mean(&self, mended: Option<Mistake>) -> f64 {
        let judged = || self.categories.iter().zip(self.audits).filter(|(category, _)| category.truths > 0);
        let total = Sum::of(judged().map(|(category, audit)| self.average(category, audit, mended)));
        total / judged().count().max(1) as f64
    }

    fn average(&self, category: &Mending, audit: &Audit, mended: Option<Mistake>) -> f64 {
        let truths = category.truths - if mended == Some(Mistake::Missed) { category.missed } else { 0 };
        if truths == 0 {
            return 1.0;
        }
        let (mut relocated, mut renamed) = (category.relocated.iter().peekable(), [].iter().peekable());
        if mended == Some(Mistake::Of(Kind::Classification)) {
            renamed = category.renamed.iter().peekable();
        }
        let (mut precision, mut misses) = (Vec::new(), 0.0);
        let hit = |precision: &mut Vec<f64>, misses| {
            precision.push(Curve::precision(precision.len() as f64 + 1.0, misses));
        };
        for (place, kind) in (0u32..).zip(&audit.kinds) {
            while renamed.next_if(|score| **score > audit.scores[place as usize]).is_some() {
                hit(&mut precision, misses);
            }
            if *kind == Kind::Hit {
                hit(&mut precision, misses);
            } else if mended != Some(Mistake::Of(*kind)) {
                misses += 1.0;
            } else if *kind == Kind::Localisation && relocated.next_if_eq(&&place).is_some() {
                hit(&mut precision, misses);
            }
        }
        renamed.for_each(|_| hit(&mut precision, misses));
        Curve::new(&mut precision, truths).average(self.interpolation, &self.grids.steps(truths))
    }
}

/// Which true boxes of the scene are hit.
fn hits(audits: &[Audit], truths: usize) -> Vec<bool> {
    let mut hit = vec![false; truths];
    for (place, state) in audits.iter().flat_map(|audit| &audit.states) {
        hit[*place] = state.hit;
    }
    hit
}

/// The most confident mistake about a true box.
#[derive(Debug, Clone, Copy)]
struct Best {
    score: f64,
    /// Its place in the file.
    index: u32,
    /// Its place among the predictions of its category.
    place: u32,
}

/// For each true box that is not hit the most confident mistake of a kind about it; of equal ones the earlier in the file.
fn best_about(audits: &[Audit], kind: Kind, hit: &[bool]) -> Vec<Option<Best>> {
    let mut best: Vec<Option<Best>> = vec![None; hit.len()];
    for (place, finding) in audits.iter().flat_map(|audit| &audit.near).filter(|(_, finding)| finding.kind == kind) {
        let Some(truth) = finding.truth.map(|truth| truth as usize).filter(|truth| !hit[*truth]) else { continue };
        let better = |best: &Best| (finding.score, best.index) > (best.score, finding.index);
        if best[truth].as_ref().is_none_or(better) {
            best[truth] = Some(Best { score: finding.score, index: finding.index, place: *place });
        }
    }
    best
}
