//! Matching: which predictions of a cell hit which true boxes, at every threshold and for every range of sizes at once.
//!
//! The rules are COCO's. Predictions choose in the order of their scores. Each takes the free true box with the greatest IoU
//! that reaches the threshold, of equal ones the later. Crowds and boxes outside the range are ignored: they are taken only if no
//! other box is reached, and a prediction that took one counts neither way. A crowd stays free.

use crate::group::{Detection, Truth};

/// What became of a prediction that reaches some true box: a bit for each threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// It took a true box.
    pub(crate) matched: u64,
    /// The box it took is an ignored one.
    pub(crate) ignored: u64,
}

impl Verdict {
    /// The thresholds at which it is a hit.
    #[inline]
    pub(crate) fn hits(self) -> impl Iterator<Item = usize> {
        let mut left = self.matched & !self.ignored;
        std::iter::from_fn(move || {
            let threshold = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (threshold < u64::BITS).then_some(threshold as usize)
        })
    }
}

/// A true box that a prediction reaches at the lowest threshold.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    truth: usize,
    iou: f64,
}

/// Matches cells one after the other, with the same memory.
pub(crate) struct Matcher<'p> {
    /// The IoU that a hit needs, ascending.
    needed: &'p [f64],
    ranges: &'p [[f64; 2]],
    candidates: Vec<Candidate>,
    /// Predictions that have candidates, and where those end.
    reaching: Vec<(usize, usize)>,
    /// For each range, which of the true boxes are ignored.
    ignored: Vec<bool>,
    free: Vec<bool>,
    /// For each reaching prediction and range.
    verdicts: Vec<Verdict>,
    /// For each reaching prediction the box it took at the first threshold and in the first range.
    taken: Vec<Option<usize>>,
}

impl<'p> Matcher<'p> {
    pub(crate) fn new(needed: &'p [f64], ranges: &'p [[f64; 2]]) -> Self {
        Self {
            needed,
            ranges,
            candidates: Vec::new(),
            reaching: Vec::new(),
            ignored: Vec::new(),
            free: Vec::new(),
            verdicts: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// Matches the boxes of one image and category; predictions are in the order of their scores.
    pub(crate) fn run(&mut self, truths: &[Truth], detections: &[Detection]) {
        self.find_candidates(truths, detections);
        self.taken.clear();
        self.taken.resize(self.reaching.len(), None);
        self.verdicts.clear();
        self.verdicts.resize(self.reaching.len() * self.ranges.len(), Verdict::default());
        if self.reaching.is_empty() {
            return;
        }
        self.ignored.clear();
        for range in 0..self.ranges.len() {
            let first = self.ignored.len();
            self.ignored.extend(truths.iter().map(|truth| is_ignored(truth, self.ranges[range])));
            // Mostly all boxes of a cell are of one size, and so in all ranges but one, or in none.
            let (before, own) = self.ignored.split_at(first);
            match before.chunks(truths.len()).position(|other| other == own) {
                Some(same) => self.copy(same, range),
                None => (0..self.needed.len()).for_each(|threshold| self.assign(truths, range, threshold)),
            }
        }
    }

    fn copy(&mut self, from: usize, to: usize) {
        for verdicts in self.verdicts.chunks_mut(self.ranges.len()) {
            verdicts[to] = verdicts[from];
        }
    }

    /// The predictions that reach a true box: their places in the cell, with a verdict for each range.
    pub(crate) fn verdicts(&self) -> impl Iterator<Item = (usize, &[Verdict])> {
        self.reaching.iter().map(|(detection, _)| *detection).zip(self.verdicts.chunks(self.ranges.len()))
    }

    /// The predictions that reach a true box, with the box they took at the first threshold and in the first range.
    pub(crate) fn taken(&self) -> impl Iterator<Item = (usize, Option<usize>)> {
        self.reaching.iter().map(|(detection, _)| *detection).zip(self.taken.iter().copied())
    }

    fn find_candidates(&mut self, truths: &[Truth], detections: &[Detection]) {
        self.candidates.clear();
        self.reaching.clear();
        let least = self.needed.first().copied().unwrap_or(f64::INFINITY);
        for (place, detection) in detections.iter().enumerate() {
            let before = self.candidates.len();
            for (truth, other) in truths.iter().enumerate() {
                let iou = overlap(detection, other);
                if iou >= least {
                    self.candidates.push(Candidate { truth, iou });
                }
            }
            if self.candidates.len() > before {
                self.reaching.push((place, self.candidates.len()));
            }
        }
    }

    fn assign(&mut self, truths: &[Truth], range: usize, threshold: usize) {
        self.free.clear();
        self.free.resize(truths.len(), true);
        let ignored = &self.ignored[range * truths.len()..];
        let mut start = 0;
        for (place, (_, end)) in self.reaching.iter().enumerate() {
            let candidates = &self.candidates[start..*end];
            start = *end;
            let Some(taken) = choose(candidates, self.needed[threshold], &self.free, ignored) else { continue };
            self.free[taken] = truths[taken].crowd;
            if (range, threshold) == (0, 0) {
                self.taken[place] = Some(taken);
            }
            let verdict = &mut self.verdicts[place * self.ranges.len() + range];
            verdict.matched |= 1 << threshold;
            verdict.ignored |= u64::from(ignored[taken]) << threshold;
        }
    }
}

/// The IoU of a prediction with a true box, or the share of it that lies in a crowd.
#[inline]
pub(crate) fn overlap(detection: &Detection, truth: &Truth) -> f64 {
    if truth.crowd { detection.region.share_in(&truth.region) } else { detection.region.iou(&truth.region) }
}

/// Whether a box counts for nothing in a range of sizes.
pub(crate) fn is_ignored(truth: &Truth, [least, greatest]: [f64; 2]) -> bool {
    truth.crowd || truth.area < least || truth.area > greatest
}

/// The true box that a prediction takes.
fn choose(candidates: &[Candidate], needed: f64, free: &[bool], ignored: &[bool]) -> Option<usize> {
    let mut best: Option<&Candidate> = None;
    for candidate in candidates.iter().filter(|candidate| candidate.iou >= needed && free[candidate.truth]) {
        let better = best.is_none_or(|best| match (ignored[best.truth], ignored[candidate.truth]) {
            (true, false) => true,
            (false, true) => false,
            _ => candidate.iou >= best.iou,
        });
        if better {
            best = Some(candidate);
        }
    }
    best.map(|candidate| candidate.truth)
}
