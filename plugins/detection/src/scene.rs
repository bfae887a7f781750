//! The scene: the true boxes of all categories, image by image.

use std::ops::Range;

use crate::dataset::Dataset;
use crate::group::Truth;

/// All true boxes: by image, then by category, then in the order of the file.
pub(crate) struct Scene {
    pub(crate) truths: Vec<Placed>,
    /// Where the boxes of each image end.
    ends: Vec<usize>,
}

/// A true box and its category.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    /// A place in the list of categories.
    pub(crate) category: u32,
    pub(crate) truth: Truth,
}

impl Scene {
    pub(crate) fn new(dataset: &Dataset) -> Self {
        let mut truths = Vec::new();
        let mut own = Vec::new();
        for category in 0..dataset.categories.len() {
            dataset.gather_truths(category, &mut own);
            truths.extend(own.iter().map(|truth| Placed { category: category as u32, truth: *truth }));
        }
        truths.sort_by_key(|placed| placed.truth.image);
        let mut ends = vec![0; dataset.images.len()];
        for placed in &truths {
            ends[placed.truth.image as usize] += 1;
        }
        let mut end = 0;
        for count in &mut ends {
            end += *count;
            *count = end;
        }
        Self { truths, ends }
    }

    /// How many images there are.
    pub(crate) fn images(&self) -> usize {
        self.ends.len()
    }

    /// The places of an image's boxes.
    pub(crate) fn image(&self, image: u32) -> Range<usize> {
        let start = if image == 0 { 0 } else { self.ends[image as usize - 1] };
        start..self.ends[image as usize]
    }

    /// The place of the first of an image's boxes of a category; they stand together, in the order of the file.
    pub(crate) fn first(&self, image: u32, category: u32) -> usize {
        let range = self.image(image);
        range.start + self.truths[range].partition_point(|placed| placed.category < category)
    }
}
