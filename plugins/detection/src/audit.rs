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

use crate::dataset::Dataset;
use crate::group::{Cell, Detection, Group};
use crate::matching::Matcher;
use crate::plan::Plan;
use crate::scene::Scene;
use crate::workers::Workers;

/// Below this IoU a prediction is not about a box.
const NEAR: f64 = 0.1;

/// What became of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Hit,
    /// It lies in a crowd and counts neither way.
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

/// What became of all boxes.
pub(crate) struct Audit {
    /// The IoU that a hit needs.
    pub(crate) threshold: f64,
    /// By category, the most confident first.
    pub(crate) findings: Vec<Vec<Finding>>,
    /// For each true box of the scene.
    pub(crate) states: Vec<State>,
}

/// What became of a true box.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct State {
    pub(crate) hit: bool,
    /// The greatest IoU of any prediction of its category.
    pub(crate) best: f64,
}

impl Audit {
    pub(crate) fn new(dataset: &Dataset, scene: &Scene, plan: &Plan, workers: Workers) -> Self {
        let place = plan.asked.thresholds[0];
        let needed = [plan.needed[place]];
        let limit = plan.slices[plan.asked.all].limit as usize;
        let ranges = [plan.ranges[plan.slices[plan.asked.all].range]];
        let audited = workers.map_with(
            dataset.categories.len(),
            || (Group::default(), Matcher::new(&needed, &ranges)),
            |(group, matcher), category| {
                dataset.fill(group, category, limit);
                Auditor { scene, category: category as u32, threshold: needed[0] }.run(group, matcher)
            },
        );
        let mut states = vec![State::default(); scene.truths.len()];
        let mut findings = Vec::new();
        for (found, truths) in audited {
            findings.push(found);
            for (place, state) in truths {
                states[place] = state;
            }
        }
        Self { threshold: plan.thresholds[place], findings, states }
    }
}

struct Auditor<'s> {
    scene: &'s Scene,
    category: u32,
    threshold: f64,
}

/// The true box that a prediction overlaps most.
#[derive(Debug, Clone, Copy, Default)]
struct Nearest {
    place: u32,
    iou: f64,
}

impl Auditor<'_> {
    fn run(&self, group: &Group, matcher: &mut Matcher<'_>) -> (Vec<Finding>, Vec<(usize, State)>) {
        let mut findings = Vec::with_capacity(group.detections.len());
        let mut states = Vec::with_capacity(group.truths.len());
        for cell in &group.cells {
            let first = self.scene.first(cell.image, self.category);
            let before = states.len();
            states.extend((first..first + cell.truths.len()).map(|place| (place, State::default())));
            self.cell(group, cell, matcher, &mut findings, &mut states[before..]);
        }
        findings.sort_by(|a, b| b.score.total_cmp(&a.score));
        (findings, states)
    }

    fn cell(
        &self,
        group: &Group,
        cell: &Cell,
        matcher: &mut Matcher<'_>,
        findings: &mut Vec<Finding>,
        states: &mut [(usize, State)],
    ) {
        let (truths, detections) = (&group.truths[cell.truths.clone()], &group.detections[cell.detections.clone()]);
        matcher.run(truths, detections);
        let mut taken = matcher.taken().peekable();
        for (place, detection) in detections.iter().enumerate() {
            let taken = taken.next_if(|(taker, _)| *taker == place).and_then(|(_, truth)| truth);
            let (own, other) = self.nearest(detection, states);
            let finding = |kind, nearest: Nearest| Finding {
                kind,
                score: detection.score,
                index: detection.index,
                image: detection.image,
                truth: (nearest.iou > 0.0).then_some(nearest.place),
                iou: nearest.iou,
            };
            findings.push(match taken {
                Some(truth) if truths[truth].crowd => finding(Kind::Ignored, Nearest::default()),
                Some(truth) => {
                    states[truth].1.hit = true;
                    let iou = detection.region.iou(&truths[truth].region);
                    finding(Kind::Hit, Nearest { place: states[truth].0 as u32, iou })
                }
                None => self.mistake(own, other, finding),
            });
        }
    }

    /// The boxes of its own and of other categories that a prediction overlaps most; notes how near it comes to its own.
    fn nearest(&self, detection: &Detection, states: &mut [(usize, State)]) -> (Nearest, Nearest) {
        let (mut own, mut other) = (Nearest::default(), Nearest::default());
        let first = states.first().map_or(usize::MAX, |(place, _)| *place);
        for place in self.scene.image(detection.image) {
            let placed = &self.scene.truths[place];
            let iou = detection.region.iou(&placed.truth.region);
            if iou <= 0.0 || placed.truth.crowd {
                continue;
            }
            let nearest = if placed.category == self.category {
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

    fn mistake(&self, own: Nearest, other: Nearest, finding: impl Fn(Kind, Nearest) -> Finding) -> Finding {
        if own.iou >= NEAR && own.iou < self.threshold {
            finding(Kind::Localisation, own)
        } else if other.iou >= self.threshold {
            finding(Kind::Classification, other)
        } else if own.iou >= self.threshold {
            finding(Kind::Duplicate, own)
        } else if other.iou >= NEAR {
            finding(Kind::Both, other)
        } else {
            finding(Kind::Background, Nearest::default())
        }
    }
}
