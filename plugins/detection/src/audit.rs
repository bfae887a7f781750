//! The audit: what became of every single box at one IoU, and of what kind each mistake is.
//!
//! The kinds are those of TIDE (Bolya et al. 2020). For a prediction that is no hit, *a* is its greatest IoU with a true box of
//! its category and *b* that with one of another category; crowds are left aside, and *t* is the lowest IoU that was asked for.
//! The first that fits counts:
//!
//! | kind | rule | the prediction |
//! |---|---|---|
//! | localisation | 0.1 ≤ a < t | is of the right category but not where the box is |
//! | classification | b ≥ t | is where a box of another category is |
//! | duplicate | a ≥ t | is of a box that a more confident prediction has hit |
//! | both | b ≥ 0.1 | is near a box of another category |
//! | background | otherwise | is where nothing is |
//!
//! A true box is missed if it is not hit, and no localisation or classification mistake is about it.

use crate::evaluate::Ranked;
use crate::group::{Cell, Detection, Group};
use crate::matching::Matcher;
use crate::params::MapParams;
use crate::plan::Plan;
use crate::scene::Scene;

/// Below this IoU a prediction is not about a box.
const NEAR: f64 = 0.1;

/// What became of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Hit,
    /// It counts neither way: it lies in a crowd, or there are too many better ones in its image.
    Ignored,
    Classification,
    Localisation,
    Both,
    Duplicate,
    Background,
}

/// What became of a prediction, and which true box it is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Finding {
    pub(crate) kind: Kind,
    pub(crate) score: f64,
    /// Its place in the file.
    pub(crate) index: u32,
    pub(crate) image: u32,
    /// The true box of the scene that it hit or nearly hit.
    pub(crate) truth: Option<u32>,
    /// The IoU with it.
    pub(crate) iou: f64,
}

/// What became of a true box.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct State {
    pub(crate) hit: bool,
    /// The greatest IoU of any prediction of its category.
    pub(crate) best: f64,
}

/// What became of the boxes of a category. Predictions are in the order of their scores, those that are ignored left out.
#[derive(Debug, Default)]
pub(crate) struct Audit {
    pub(crate) kinds: Vec<Kind>,
    pub(crate) scores: Vec<f64>,
    /// The most confident mistakes, no more than are listed.
    pub(crate) mistakes: Vec<Finding>,
    /// The hits that are least exact, no more than are listed.
    pub(crate) hits: Vec<Finding>,
    /// All mistakes of localisation and classification, with their places.
    pub(crate) near: Vec<(u32, Finding)>,
    /// The true boxes, by their places in the scene.
    pub(crate) states: Vec<(usize, State)>,
    /// The predictions that the confusion matrix is made of.
    pub(crate) confident: Vec<Detection>,
}

/// Audits categories one after the other, with the same memory.
pub(crate) struct Auditor<'s> {
    scene: &'s Scene,
    matcher: Matcher<'s>,
    /// The IoU that a hit needs.
    needed: f64,
    limit: usize,
    max_rows: usize,
    least_score: f64,
    /// In the order of the group.
    found: Vec<(Kind, Nearest)>,
}

/// The true box that a prediction overlaps most.
#[derive(Debug, Clone, Copy, Default)]
struct Nearest {
    place: u32,
    iou: f64,
}

impl<'s> Auditor<'s> {
    pub(crate) fn new(scene: &'s Scene, plan: &'s Plan, params: &MapParams) -> Self {
        let slice = plan.slices[plan.asked.all];
        let needed = &plan.needed[plan.asked.thresholds[0]..][..1];
        Self {
            scene,
            matcher: Matcher::new(needed, &plan.ranges[slice.range..][..1]),
            needed: needed[0],
            limit: slice.limit as usize,
            max_rows: params.max_rows,
            least_score: params.confusion_score.0,
            found: Vec::new(),
        }
    }

    /// Audits a category, whose predictions have this order.
    pub(crate) fn audit(&mut self, category: u32, group: &Group, order: &[Ranked]) -> Audit {
        let mut audit = Audit::default();
        self.found.clear();
        for cell in &group.cells {
            let first = self.scene.first(cell.image, category);
            let before = audit.states.len();
            audit.states.extend((first..first + cell.truths.len()).map(|place| (place, State::default())));
            self.cell(category, group, cell, &mut audit.states[before..]);
        }
        let confident = group.detections.iter().filter(|detection| detection.score >= self.least_score);
        audit.confident.extend(confident);
        self.collect(group, order, &mut audit);
        audit
    }

    fn cell(&mut self, category: u32, group: &Group, cell: &Cell, states: &mut [(usize, State)]) {
        let (truths, all) = (&group.truths[cell.truths.clone()], &group.detections[cell.detections.clone()]);
        let detections = &all[..all.len().min(self.limit)];
        self.matcher.run(truths, detections);
        let mut taken = self.matcher.taken().peekable();
        for (place, detection) in detections.iter().enumerate() {
            let taken = taken.next_if(|(taker, _)| *taker == place).and_then(|(_, truth)| truth);
            let (own, other) = nearest(self.scene, category, detection, states);
            self.found.push(match taken {
                Some(truth) if truths[truth].crowd => (Kind::Ignored, Nearest::default()),
                Some(truth) => {
                    states[truth].1.hit = true;
                    let iou = detection.region.iou(&truths[truth].region);
                    (Kind::Hit, Nearest { place: states[truth].0 as u32, iou })
                }
                None => mistake(own, other, self.needed),
            });
        }
        self.found.extend(all[detections.len()..].iter().map(|_| (Kind::Ignored, Nearest::default())));
    }

    fn collect(&self, group: &Group, order: &[Ranked], audit: &mut Audit) {
        for ranked in order {
            let ((kind, nearest), detection) =
                (self.found[ranked.place as usize], &group.detections[ranked.place as usize]);
            let finding = || Finding {
                kind,
                score: detection.score,
                index: detection.index,
                image: detection.image,
                truth: (nearest.iou > 0.0).then_some(nearest.place),
                iou: nearest.iou,
            };
            match kind {
                Kind::Ignored => continue,
                Kind::Hit => audit.hits.push(finding()),
                _ if audit.mistakes.len() < self.max_rows => audit.mistakes.push(finding()),
                _ => {}
            }
            if matches!(kind, Kind::Localisation | Kind::Classification) {
                audit.near.push((audit.kinds.len() as u32, finding()));
            }
            audit.kinds.push(kind);
            audit.scores.push(detection.score);
        }
        audit.hits.sort_by(|a, b| a.iou.total_cmp(&b.iou).then(a.index.cmp(&b.index)));
        audit.hits.truncate(self.max_rows);
    }
}

/// The boxes of its own and of other categories that a prediction overlaps most; notes how near it comes to its own.
fn nearest(scene: &Scene, category: u32, detection: &Detection, states: &mut [(usize, State)]) -> (Nearest, Nearest) {
    let (mut own, mut other) = (Nearest::default(), Nearest::default());
    let first = states.first().map_or(usize::MAX, |(place, _)| *place);
    for place in scene.image(detection.image) {
        let placed = &scene.truths[place];
        let iou = detection.region.iou(&placed.truth.region);
        if iou <= 0.0 || placed.truth.crowd {
            continue;
        }
        let nearest = if placed.category == category {
            let state = &mut states[place - first].1;
            state.best = state.best.max(iou);
            &mut own
        } else {
            &mut other
        };
        if iou > nearest.iou {
            *nearest = Nearest { place: place as u32, iou };
        }
    }
    (own, other)
}

fn mistake(own: Nearest, other: Nearest, needed: f64) -> (Kind, Nearest) {
    if own.iou >= NEAR && own.iou < needed {
        (Kind::Localisation, own)
    } else if other.iou >= needed {
        (Kind::Classification, other)
    } else if own.iou >= needed {
        (Kind::Duplicate, own)
    } else if other.iou >= NEAR {
        (Kind::Both, other)
    } else {
        (Kind::Background, Nearest::default())
    }
}
