//! A tally: going down the predictions, hits and misses are counted in all slices and at all thresholds.

use crate::curve::Curve;
use crate::evaluate::Judged;
use crate::matching::Verdict;
use crate::plan::Plan;

/// How many slices are counted in one go.
const LANES: usize = 8;

/// The precision at every hit.
pub(crate) struct Tally {
    /// For each slice, and in it for each threshold.
    precision: Vec<Vec<f64>>,
    thresholds: usize,
    /// The score at every hit of the asked-for slice, for each threshold; empty if it is not wanted.
    pub(crate) scores: Vec<Vec<f64>>,
}

impl Tally {
    /// An empty tally; scores are noted if they are wanted.
    pub(crate) fn new(plan: &Plan, with_scores: bool) -> Self {
        let (slices, thresholds) = (plan.slices.len(), plan.thresholds.len());
        Self {
            precision: vec![Vec::new(); slices * thresholds],
            thresholds,
            scores: if with_scores { vec![Vec::new(); thresholds] } else { Vec::new() },
        }
    }

    /// Counts the predictions of a category, and forgets those before.
    pub(crate) fn count(&mut self, judged: &Judged, plan: &Plan) {
        self.precision.iter_mut().chain(&mut self.scores).for_each(Vec::clear);
        for first in (0..plan.slices.len()).step_by(LANES) {
            self.run(judged, plan, first, (first + LANES).min(plan.slices.len()));
        }
    }

    /// The precision at every hit of a slice, for each threshold.
    pub(crate) fn hits(&mut self, slice: usize) -> &mut [Vec<f64>] {
        &mut self.precision[slice * self.thresholds..(slice + 1) * self.thresholds]
    }

    fn run(&mut self, judged: &Judged, plan: &Plan, first: usize, last: usize) {
        // Predictions that reach no true box are misses at every threshold, and most are such.
        let mut common = [0u32; LANES];
        let mut misses = vec![0u32; LANES * self.thresholds];
        for ranked in &judged.order {
            let fate = &judged.fates[ranked.place as usize];
            let counts = fate.counts >> first;
            let Some(verdicts) = fate.verdicts else {
                for (lane, misses) in common.iter_mut().enumerate() {
                    *misses += u32::from(counts & (1 << lane) != 0);
                }
                continue;
            };
            let in_slices = plan.slices[first..last].iter().enumerate().filter(|(_, slice)| fate.rank < slice.limit);
            for (lane, slice) in in_slices {
                let verdict = judged.verdicts[verdicts as usize + slice.range];
                let misses = &mut misses[lane * self.thresholds..(lane + 1) * self.thresholds];
                self.hit(first + lane, verdict, common[lane], misses);
                if counts & (1 << lane) != 0 {
                    miss(verdict, misses);
                }
                if !self.scores.is_empty() && first + lane == plan.asked.all {
                    self.note_score(verdict, ranked.score());
                }
            }
        }
    }

    /// Notes the precision at the thresholds at which a prediction is a hit.
    fn hit(&mut self, slice: usize, verdict: Verdict, common: u32, misses: &[u32]) {
        for threshold in verdict.hits() {
            let precision = &mut self.precision[slice * self.thresholds + threshold];
            let hits = (precision.len() + 1) as f64;
            precision.push(Curve::precision(hits, f64::from(common) + f64::from(misses[threshold])));
        }
    }

    fn note_score(&mut self, verdict: Verdict, score: f64) {
        for threshold in verdict.hits() {
            self.scores[threshold].push(score);
        }
    }
}

/// Counts a miss at the thresholds at which a prediction took no true box.
fn miss(verdict: Verdict, misses: &mut [u32]) {
    for (threshold, misses) in misses.iter_mut().enumerate() {
        *misses += u32::from(verdict.matched & (1 << threshold) == 0);
    }
}
