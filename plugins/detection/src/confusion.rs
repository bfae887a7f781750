//! The confusion matrix: which category each true box was taken for, with a background for what has no counterpart.
//!
//! Confident predictions choose in the order of their scores, whatever their category: each takes the free true box of its
//! image with the greatest IoU that reaches the threshold. Predictions that lie in a crowd are left out.

use std::collections::BTreeMap;

use autoscorer_plugin_api::parallel::Workers;

use crate::audit::Audit;
use crate::group::Detection;
use crate::scene::{Placed, Scene};

/// How often each category was taken for which; none is the background.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Confusion {
    /// True category and predicted one: places in the list of categories.
    pub(crate) cells: BTreeMap<(Option<u32>, Option<u32>), u64>,
}

/// A confident prediction with its category.
#[derive(Clone, Copy)]
struct Confident<'a> {
    category: u32,
    detection: &'a Detection,
}

/// So many images are one task.
const IMAGES: usize = 256;

impl Confusion {
    pub(crate) fn new(audits: &[Audit], scene: &Scene, needed: f64, workers: Workers) -> Self {
        let images = by_image(audits, scene.images());
        let counts = workers.map(images.len().div_ceil(IMAGES), |task| {
            let range = task * IMAGES..((task + 1) * IMAGES).min(images.len());
            let mut counts = Counts::new(audits.len());
            for image in range {
                counts.image(&images[image], image as u32, scene, needed);
            }
            counts
        });
        let mut confusion = Self::default();
        for counts in counts {
            confusion.take(counts);
        }
        confusion
    }

    fn take(&mut self, counts: Counts) {
        let missed = (0..).zip(counts.missed).map(|(category, count)| ((Some(category), None), count));
        let background = (0..).zip(counts.background).map(|(category, count)| ((None, Some(category)), count));
        let taken =
            counts.taken.into_iter().map(|((truth, prediction), count)| ((Some(truth), Some(prediction)), count));
        for (cell, count) in missed.chain(background).chain(taken).filter(|(_, count)| *count > 0) {
            *self.cells.entry(cell).or_default() += count;
        }
    }
}

/// The confident predictions of each image, category by category.
fn by_image(audits: &[Audit], images: usize) -> Vec<Vec<Confident<'_>>> {
    let mut lists = vec![Vec::new(); images];
    for (category, audit) in (0..).zip(audits) {
        for detection in &audit.confident {
            lists[detection.image as usize].push(Confident { category, detection });
        }
    }
    lists
}

/// What was counted in some images.
struct Counts {
    /// Boxes that nothing was taken for, by category.
    missed: Vec<u64>,
    /// Predictions of nothing, by category.
    background: Vec<u64>,
    taken: BTreeMap<(u32, u32), u64>,
}

impl Counts {
    fn new(categories: usize) -> Self {
        Self { missed: vec![0; categories], background: vec![0; categories], taken: BTreeMap::new() }
    }

    fn image(&mut self, confident: &[Confident<'_>], image: u32, scene: &Scene, needed: f64) {
        let truths = &scene.truths[scene.image(image)];
        let mut free = vec![true; truths.len()];
        let mut order = confident.to_vec();
        order.sort_by(|a, b| b.detection.score.total_cmp(&a.detection.score));
        for one in order {
            self.choose(one, truths, needed, &mut free);
        }
        for (placed, _) in truths.iter().zip(free).filter(|(placed, free)| *free && !placed.truth.crowd) {
            self.missed[placed.category as usize] += 1;
        }
    }

    fn choose(&mut self, one: Confident<'_>, truths: &[Placed], needed: f64, free: &mut [bool]) {
        let (mut best, mut in_crowd) = (None, false);
        for (place, placed) in truths.iter().enumerate() {
            if placed.truth.crowd {
                in_crowd |= one.detection.region.share_in(&placed.truth.region) >= needed;
                continue;
            }
            let iou = one.detection.region.iou(&placed.truth.region);
            if free[place] && iou >= best.map_or(needed, |(_, best)| best) {
                best = Some((place, iou));
            }
        }
        match best {
            Some((place, _)) => {
                free[place] = false;
                *self.taken.entry((truths[place].category, one.category)).or_default() += 1;
            }
            None if in_crowd => {}
            None => self.background[one.category as usize] += 1,
        }
    }
}
