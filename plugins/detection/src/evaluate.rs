//! One category evaluated: its cells matched, its predictions put in order, its curves read.

use crate::curve::{Curve, Grids, Steps};
use crate::group::Group;
use crate::matching::{Matcher, Verdict, is_ignored};
use crate::params::Interpolation;
use crate::plan::Plan;
use crate::tally::Tally;

/// The numbers of one category.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Scores {
    /// True boxes that count, for each range of sizes.
    pub(crate) truths: Vec<u64>,
    /// For each slice with true boxes, and in it for each threshold.
    pub(crate) slices: Vec<Option<Vec<Score>>>,
    /// The asked-for curves over all sizes, if they are wanted.
    pub(crate) curves: Vec<CurvePoints>,
}

/// What a curve comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Score {
    /// The average precision as COCO reads it.
    pub(crate) coco: f64,
    /// The average precision in the way that was asked for.
    pub(crate) asked: f64,
    pub(crate) recall: f64,
}

/// A curve at COCO's 101 recalls.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CurvePoints {
    pub(crate) threshold: f64,
    pub(crate) precision: Vec<f64>,
    /// The score of the prediction at which each recall is reached.
    pub(crate) confidence: Vec<Option<f64>>,
}

/// The predictions of a category with what became of them.
#[derive(Default)]
pub(crate) struct Judged {
    /// The most confident first; of equal ones that of the earlier image, then the earlier in its image.
    pub(crate) order: Vec<Ranked>,
    /// In the order of the group.
    pub(crate) fates: Vec<Fate>,
    /// Those of the predictions that reach a true box, one for each range.
    pub(crate) verdicts: Vec<Verdict>,
}

/// A prediction in the order of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ranked {
    /// Smaller for greater scores.
    key: u64,
    /// Its place in the group.
    pub(crate) place: u32,
}

impl Ranked {
    pub(crate) fn score(&self) -> f64 {
        f64::from_bits(!self.key)
    }
}

/// What became of a prediction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fate {
    /// Its place among those of its image.
    pub(crate) rank: u32,
    /// In which slices it is a miss unless it is a hit, a bit for each.
    pub(crate) counts: u32,
    /// Where its verdicts begin, if it reaches a true box.
    pub(crate) verdicts: Option<u32>,
}

/// Evaluates categories one after the other, with the same memory.
pub(crate) struct Evaluator<'p> {
    plan: &'p Plan,
    grids: &'p Grids,
    with_curves: bool,
    matcher: Matcher<'p>,
    judged: Judged,
    tally: Tally,
}

impl<'p> Evaluator<'p> {
    /// Curves are kept if they are wanted.
    pub(crate) fn new(plan: &'p Plan, grids: &'p Grids, with_curves: bool) -> Self {
        let matcher = Matcher::new(&plan.needed, &plan.ranges);
        Self { plan, grids, with_curves, matcher, judged: Judged::default(), tally: Tally::new(plan, with_curves) }
    }

    /// The numbers of a category.
    pub(crate) fn evaluate(&mut self, group: &Group) -> Scores {
        self.judged.judge(group, self.plan, &mut self.matcher);
        self.tally.count(&self.judged, self.plan);
        let count = |range: &[f64; 2]| group.truths.iter().filter(|truth| !is_ignored(truth, *range)).count() as u64;
        let truths: Vec<u64> = self.plan.ranges.iter().map(count).collect();
        let steps: Vec<Steps> = truths.iter().map(|count| self.grids.steps((*count).max(1))).collect();
        let mut scores = Scores { slices: Vec::new(), curves: Vec::new(), truths };
        for (place, slice) in self.plan.slices.iter().enumerate() {
            let (count, steps) = (scores.truths[slice.range], &steps[slice.range]);
            scores.slices.push((count > 0).then(|| self.read(place, count, steps)));
            if self.with_curves && place == self.plan.asked.all && count > 0 {
                scores.curves = self.points(place, count, steps);
            }
        }
        scores
    }

    /// The predictions of the category evaluated last, the most confident first.
    pub(crate) fn order(&self) -> &[Ranked] {
        &self.judged.order
    }

    fn read(&mut self, slice: usize, truths: u64, steps: &Steps) -> Vec<Score> {
        let interpolation = self.plan.asked.interpolation;
        let hits = self.tally.hits(slice).iter_mut();
        hits.map(|hits| read(Curve::new(hits, truths), interpolation, steps)).collect()
    }

    fn points(&mut self, slice: usize, truths: u64, steps: &Steps) -> Vec<CurvePoints> {
        let plan = self.plan;
        let mut curves = Vec::new();
        for threshold in &plan.asked.thresholds {
            let scores = std::mem::take(&mut self.tally.scores[*threshold]);
            let curve = Curve::new(&mut self.tally.hits(slice)[*threshold], truths);
            curves.push(CurvePoints {
                threshold: plan.thresholds[*threshold],
                precision: curve.at(&steps.coco).collect(),
                confidence: steps.coco.iter().map(|hit| scores.get(*hit).copied()).collect(),
            });
        }
        curves
    }
}

fn read(curve: Curve<'_>, interpolation: Interpolation, steps: &Steps) -> Score {
    let coco = curve.average(Interpolation::Coco, steps);
    let asked = if interpolation == Interpolation::Coco { coco } else { curve.average(interpolation, steps) };
    Score { coco, asked, recall: curve.recall() }
}

impl Judged {
    /// Judges the predictions of a category, and forgets those before.
    fn judge(&mut self, group: &Group, plan: &Plan, matcher: &mut Matcher<'_>) {
        let Self { order, fates, verdicts } = self;
        fates.clear();
        verdicts.clear();
        for cell in &group.cells {
            let (first, detections) = (fates.len(), &group.detections[cell.detections.clone()]);
            fates.extend((0..).zip(detections).map(|(rank, detection)| Fate {
                rank,
                counts: plan.counts(rank, detection.region.area),
                verdicts: None,
            }));
            if cell.truths.is_empty() || detections.is_empty() {
                continue;
            }
            matcher.run(&group.truths[cell.truths.clone()], detections);
            for (place, of_ranges) in matcher.verdicts() {
                fates[first + place].verdicts = Some(verdicts.len() as u32);
                verdicts.extend_from_slice(of_ranges);
            }
        }
        let keys = group.detections.iter().map(|detection| !detection.score.to_bits());
        order.clear();
        order.extend(keys.zip(0..).map(|(key, place)| Ranked { key, place }));
        // No two are equal, since places differ, so there is one order, however it is found.
        order.sort_unstable();
    }
}
