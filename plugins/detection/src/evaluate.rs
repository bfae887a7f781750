//! One category evaluated: its cells matched, its predictions put in order, its curves read.

use crate::curve::{Curve, Grids};
use crate::group::Group;
use crate::matching::{Matcher, Verdict, is_ignored};
use crate::params::Interpolation;
use crate::plan::{Plan, Slice};

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

/// A prediction, with what became of it.
struct Judged {
    score: f64,
    /// Its place among those of its image.
    rank: u32,
    /// For which ranges its own area is outside, a bit for each.
    outside: u32,
    /// Where its verdicts begin, if it reaches a true box.
    verdicts: Option<u32>,
}

/// Evaluates the boxes of one category.
pub(crate) fn evaluate(group: &Group, plan: &Plan, grids: &Grids, with_curves: bool) -> Scores {
    let (judged, verdicts) = judge(group, plan);
    let mut truths = Vec::new();
    for range in &plan.ranges {
        truths.push(group.truths.iter().filter(|truth| !is_ignored(truth, *range)).count() as u64);
    }
    let mut scores = Scores { slices: Vec::new(), curves: Vec::new(), truths };
    for (place, slice) in plan.slices.iter().enumerate() {
        let count = scores.truths[slice.range];
        let curves = (count > 0).then(|| Hits::count(&judged, &verdicts, plan, slice));
        let read = curves.map(|hits| {
            let curves: Vec<Curve> =
                hits.precision.iter().map(|precision| Curve::new(precision.clone(), count)).collect();
            if with_curves && place == plan.asked.all {
                scores.curves = points(&curves, &hits, plan, grids);
            }
            curves.iter().map(|curve| read(curve, plan.asked.interpolation, grids)).collect()
        });
        scores.slices.push(read);
    }
    scores
}

fn read(curve: &Curve, interpolation: Interpolation, grids: &Grids) -> Score {
    let coco = curve.average(Interpolation::Coco, grids);
    let asked = if interpolation == Interpolation::Coco { coco } else { curve.average(interpolation, grids) };
    Score { coco, asked, recall: curve.recall() }
}

/// All predictions, the most confident first; of equal ones that of the earlier image, then the earlier in its image.
fn judge(group: &Group, plan: &Plan) -> (Vec<Judged>, Vec<Verdict>) {
    let needed = plan.needed();
    let mut matcher = Matcher::new(&needed, &plan.ranges);
    let mut judged: Vec<Judged> = Vec::with_capacity(group.detections.len());
    let mut verdicts = Vec::new();
    for cell in &group.cells {
        let (first, detections) = (judged.len(), &group.detections[cell.detections.clone()]);
        judged.extend(detections.iter().enumerate().map(|(rank, detection)| Judged {
            score: detection.score,
            rank: rank as u32,
            outside: outside(detection.region.area, &plan.ranges),
            verdicts: None,
        }));
        if cell.truths.is_empty() || detections.is_empty() {
            continue;
        }
        matcher.run(&group.truths[cell.truths.clone()], detections);
        for (place, of_ranges) in matcher.verdicts() {
            judged[first + place].verdicts = Some(verdicts.len() as u32);
            verdicts.extend_from_slice(of_ranges);
        }
    }
    judged.sort_by(|a, b| b.score.total_cmp(&a.score));
    (judged, verdicts)
}

fn outside(area: f64, ranges: &[[f64; 2]]) -> u32 {
    let bit = |(place, range): (usize, &[f64; 2])| u32::from(area < range[0] || area > range[1]) << place;
    ranges.iter().enumerate().map(bit).sum()
}

/// Precision and score at every hit, for each threshold.
struct Hits {
    precision: Vec<Vec<f64>>,
    score: Vec<Vec<f64>>,
}

impl Hits {
    fn count(judged: &[Judged], verdicts: &[Verdict], plan: &Plan, slice: &Slice) -> Self {
        let thresholds = plan.thresholds.len();
        let mut hits = Self { precision: vec![Vec::new(); thresholds], score: vec![Vec::new(); thresholds] };
        // Misses at every threshold are counted once; the others are few.
        let (mut common, mut misses) = (0u64, vec![0u64; thresholds]);
        for prediction in judged.iter().filter(|prediction| prediction.rank < slice.limit) {
            let inside = prediction.outside >> slice.range & 1 == 0;
            let Some(first) = prediction.verdicts else {
                common += u64::from(inside);
                continue;
            };
            let verdict = verdicts[first as usize + slice.range];
            for (threshold, misses) in misses.iter_mut().enumerate() {
                let bit = 1 << threshold;
                if verdict.matched & bit == 0 {
                    *misses += u64::from(inside);
                } else if verdict.ignored & bit == 0 {
                    let count = (hits.precision[threshold].len() + 1) as f64;
                    hits.precision[threshold].push(Curve::precision(count, (common + *misses) as f64));
                    hits.score[threshold].push(prediction.score);
                }
            }
        }
        hits
    }
}

fn points(curves: &[Curve], hits: &Hits, plan: &Plan, grids: &Grids) -> Vec<CurvePoints> {
    let point = |threshold: &usize| {
        let (curve, scores) = (&curves[*threshold], &hits.score[*threshold]);
        CurvePoints {
            threshold: plan.thresholds[*threshold],
            precision: curve.precisions_at(&grids.coco).collect(),
            confidence: curve.hits_at(&grids.coco).map(|hit| hit.map(|hit| scores[hit])).collect(),
        }
    };
    plan.asked.thresholds.iter().map(point).collect()
}
