//! A group: the boxes of one category, image by image, as the matcher wants them.

use std::ops::Range;

use crate::overlap::Region;

/// A true box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Truth {
    /// A place in the list of images.
    pub(crate) image: u32,
    /// Its place in the file.
    pub(crate) index: u32,
    pub(crate) region: Region,
    /// The area that decides its size, which may be that of a mask.
    pub(crate) area: f64,
    /// Whether it stands for a crowd, which takes any number of predictions and counts for none.
    pub(crate) crowd: bool,
}

/// A predicted box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Detection {
    pub(crate) image: u32,
    pub(crate) index: u32,
    pub(crate) score: f64,
    pub(crate) region: Region,
}

/// The boxes of one category.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// By image, then in the order of the file.
    pub(crate) truths: Vec<Truth>,
    /// By image, then the best first, then in the order of the file.
    pub(crate) detections: Vec<Detection>,
    pub(crate) cells: Vec<Cell>,
}

/// The boxes of one category in one image: places in the group's lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) image: u32,
    pub(crate) truths: Range<usize>,
    pub(crate) detections: Range<usize>,
}

impl Group {
    /// Arranges boxes that are in the order of the file, and keeps the best `limit` predictions of each image.
    pub(crate) fn arrange(&mut self, limit: usize) {
        // Files are mostly written image by image, which a stable sort notices.
        self.truths.sort_by_key(|truth| truth.image);
        keep_best(&mut self.detections, limit);
        self.find_cells();
    }

    fn find_cells(&mut self) {
        self.cells.clear();
        let (mut truth, mut detection) = (0, 0);
        loop {
            let images = [self.truths.get(truth).map(|t| t.image), self.detections.get(detection).map(|d| d.image)];
            let Some(image) = images.into_iter().flatten().min() else { return };
            let truths = run(&self.truths, truth, |truth| truth.image == image);
            let detections = run(&self.detections, detection, |detection| detection.image == image);
            (truth, detection) = (truths.end, detections.end);
            self.cells.push(Cell { image, truths, detections });
        }
    }
}

fn run<T>(list: &[T], start: usize, belongs: impl Fn(&T) -> bool) -> Range<usize> {
    start..start + list[start..].iter().take_while(|one| belongs(one)).count()
}

/// The best `limit` of each image, by image and score; of equal scores the earlier one comes first.
fn keep_best(detections: &mut Vec<Detection>, limit: usize) {
    let before = |a: &Detection, b: &Detection| a.image.cmp(&b.image).then_with(|| b.score.total_cmp(&a.score));
    if !detections.is_sorted_by(|a, b| before(a, b).is_le()) {
        detections.sort_by(before);
    }
    let (mut image, mut rank) = (u32::MAX, 0);
    detections.retain(|detection| {
        rank = if detection.image == image { rank + 1 } else { 0 };
        image = detection.image;
        rank < limit
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detection(image: u32, index: u32, score: f64) -> Detection {
        Detection { image, index, score, region: Region::default() }
    }

    fn truth(image: u32, index: u32) -> Truth {
        Truth { image, index, region: Region::default(), area: 0.0, crowd: false }
    }

    #[test]
    fn images_in_order_and_in_each_the_best_first() {
        let detections = vec![
            detection(7, 0, 0.2),
            detection(3, 1, 0.5),
            detection(7, 2, 0.9),
            detection(7, 3, 0.2),
            detection(7, 4, 0.1),
        ];
        let truths = vec![truth(5, 0), truth(3, 1), truth(5, 2)];
        let mut group = Group { truths, detections, cells: Vec::new() };
        group.arrange(3);
        assert_eq!(group.detections.iter().map(|d| d.index).collect::<Vec<_>>(), [1, 2, 0, 3]);
        assert_eq!(group.truths.iter().map(|t| t.index).collect::<Vec<_>>(), [1, 0, 2]);
        let cell = |image, truths, detections| Cell { image, truths, detections };
        assert_eq!(group.cells, [cell(3, 0..1, 0..1), cell(5, 1..3, 1..1), cell(7, 3..3, 1..4)]);
    }
}
