//! The confusion matrix: which category each true box was taken for, with a background for what has no counterpart.
//!
//! Confident predictions choose in the order of their scores, whatever their category: each takes the free true box of its
//! image with the greatest IoU that reaches the threshold. Predictions that lie in a crowd are left out.

use std::collections::BTreeMap;

use crate::audit::Audit;
use crate::group::Detection;
use crate::scene::Scene;

/// How often each category was taken for which; none is the background.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Confusion {
    /// True category and predicted one: places in the list of categories.
    pub(crate) cells: BTreeMap<(Option<u32>, Option<u32>), u64>,
}

/// A confident prediction with its category.
struct Confident<'a> {
    category: u32,
    detection: &'a Detection,
}

impl Confusion {
    pub(crate) fn new(audits: &[Audit], scene: &Scene, needed: f64) -> Self {
        let mut confident: Vec<Confident<'_>> = Vec::new();
        for (category, audit) in (0..).zip(audits) {
            confident.extend(audit.confident.iter().map(|detection| Confident { category, detection }));
        }
        confident.sort_by(|a, b| {
            let images = a.detection.image.cmp(&b.detection.image);
            images.then_with(|| b.detection.score.total_cmp(&a.detection.score))
        });
        let mut confusion = Self::default();
        let mut free = vec![true; scene.truths.len()];
        for one in &confident {
            confusion.choose(one, scene, needed, &mut free);
        }
        for (placed, free) in scene.truths.iter().zip(free) {
            if free && !placed.truth.crowd {
                confusion.add(Some(placed.category), None);
            }
        }
        confusion
    }

    fn choose(&mut self, one: &Confident<'_>, scene: &Scene, needed: f64, free: &mut [bool]) {
        let (mut best, mut in_crowd) = (None, false);
        for place in scene.image(one.detection.image) {
            let truth = &scene.truths[place].truth;
            if truth.crowd {
                in_crowd |= one.detection.region.share_in(&truth.region) >= needed;
                continue;
            }
            let iou = one.detection.region.iou(&truth.region);
            if free[place] && iou >= best.map_or(needed, |(_, best)| best) {
                best = Some((place, iou));
            }
        }
        match best {
            Some((place, _)) => {
                free[place] = false;
                self.add(Some(scene.truths[place].category), Some(one.category));
            }
            None if in_crowd => {}
            None => self.add(None, Some(one.category)),
        }
    }

    fn add(&mut self, truth: Option<u32>, prediction: Option<u32>) {
        *self.cells.entry((truth, prediction)).or_default() += 1;
    }
}
