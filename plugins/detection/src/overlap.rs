//! Boxes and how much of them overlaps, in the order of operations that gives pycocotools' bits.

/// A box by its corners, with its area.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Region {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
    pub(crate) area: f64,
}

impl Region {
    /// From x, y, width and height.
    pub(crate) fn new([x, y, width, height]: [f64; 4]) -> Self {
        Self { left: x, top: y, right: width + x, bottom: height + y, area: width * height }
    }

    /// The same four numbers read as two corners.
    pub(crate) fn as_corners(&self) -> Self {
        let (right, bottom) = (self.right - self.left, self.bottom - self.top);
        Self::new([self.left, self.top, right - self.left, bottom - self.top])
    }

    /// Intersection over union, 0 for boxes that do not touch and for boxes without area.
    #[inline]
    pub(crate) fn iou(&self, other: &Region) -> f64 {
        let common = self.common(other);
        if common > 0.0 { common / (self.area + other.area - common) } else { 0.0 }
    }

    /// The share of this box that lies in a crowd's region.
    #[inline]
    pub(crate) fn share_in(&self, crowd: &Region) -> f64 {
        let common = self.common(crowd);
        if common > 0.0 { common / self.area } else { 0.0 }
    }

    #[inline]
    fn common(&self, other: &Region) -> f64 {
        let width = self.right.min(other.right) - self.left.max(other.left);
        let height = self.bottom.min(other.bottom) - self.top.max(other.top);
        if width > 0.0 && height > 0.0 { width * height } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn region(sides: [f64; 4]) -> Region {
        Region::new(sides)
    }

    #[test]
    fn by_hand() {
        let square = region([0.0, 0.0, 10.0, 10.0]);
        assert_eq!(square.iou(&region([5.0, 0.0, 10.0, 10.0])), 50.0 / 150.0);
        assert_eq!(square.iou(&region([10.0, 0.0, 10.0, 10.0])), 0.0, "touching is not overlapping");
        assert_eq!(square.iou(&square), 1.0);
        assert_eq!(region([5.0, 5.0, 10.0, 10.0]).share_in(&square), 0.25);
        let flat = region([1.0, 1.0, 0.0, 5.0]);
        assert_eq!((flat.iou(&flat), flat.iou(&square), flat.share_in(&square)), (0.0, 0.0, 0.0));
        let tiny = region([0.0, 0.0, 1e-200, 1e-200]);
        assert_eq!(tiny.iou(&tiny), 0.0, "an area that underflows is none");
    }

    proptest! {
        #[test]
        fn it_is_symmetric_and_a_share(a: [u8; 4], b: [u8; 4]) {
            let (a, b) = (region(a.map(f64::from)), region(b.map(f64::from)));
            prop_assert_eq!(a.iou(&b), b.iou(&a));
            prop_assert!((0.0..=1.0).contains(&a.iou(&b)));
            prop_assert!(a.iou(&b) <= a.share_in(&b));
        }
    }
}
