//! A plan: which thresholds, sizes and limits are evaluated, for COCO's twelve numbers and for the score that was asked for.

use crate::params::{Interpolation, IouThreshold, MapParams};

/// COCO's sizes: both ends belong to a range.
pub(crate) const COCO_RANGES: [(&str, [f64; 2]); 3] =
    [("small", [0.0, 1024.0]), ("medium", [1024.0, 9216.0]), ("large", [9216.0, 1e10])];

/// COCO's range of all sizes.
pub(crate) const ALL_SIZES: [f64; 2] = [0.0, 1e10];

/// COCO's limit of predictions in each image and category.
const COCO_LIMIT: u32 = 100;

/// An IoU this close to 1 is a full overlap.
const FULL: f64 = 1.0 - 1e-10;

/// What is evaluated. Everything refers to its lists by place.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// IoUs, ascending, as they were given.
    pub(crate) thresholds: Vec<f64>,
    /// The IoU that a hit needs for each; COCO lets nothing hang on the last digits of 1.
    pub(crate) needed: Vec<f64>,
    /// Ranges of areas; the first is that of all sizes.
    pub(crate) ranges: Vec<[f64; 2]>,
    /// What curves are drawn for.
    pub(crate) slices: Vec<Slice>,
    pub(crate) coco: Coco,
    pub(crate) asked: Asked,
}

/// A view of the predictions: only objects of some sizes count, and only the best few predictions of each image and category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slice {
    /// A place in `ranges`.
    pub(crate) range: usize,
    pub(crate) limit: u32,
}

/// Where COCO's twelve numbers are.
#[derive(Debug, Clone)]
pub(crate) struct Coco {
    /// .50, .55, … .95 among the thresholds.
    pub(crate) thresholds: Vec<usize>,
    /// All sizes with 100 predictions; small, medium and large with 100; all sizes with 1 and with 10.
    pub(crate) all: usize,
    pub(crate) sizes: [usize; 3],
    pub(crate) one: usize,
    pub(crate) ten: usize,
}

/// Where the numbers are that were asked for.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) thresholds: Vec<usize>,
    pub(crate) all: usize,
    /// The slices of the named sizes.
    pub(crate) sizes: Vec<(String, usize)>,
    pub(crate) interpolation: Interpolation,
}

impl Plan {
    pub(crate) fn new(params: &MapParams) -> Self {
        let coco = linspace(0.5, 0.95, 10);
        let asked = match &params.iou_threshold {
            IouThreshold::Coco => coco.clone(),
            IouThreshold::Listed(list) => list.clone(),
        };
        let mut thresholds = [coco.clone(), asked.clone()].concat();
        thresholds.sort_by(f64::total_cmp);
        thresholds.dedup();
        let place = |wanted: &f64| thresholds.iter().position(|threshold| threshold == wanted).unwrap_or_default();
        let (coco_places, asked_places) = (coco.iter().map(place).collect(), asked.iter().map(place).collect());
        let mut slices = Slices::default();
        let coco = Coco {
            all: slices.place(ALL_SIZES, COCO_LIMIT),
            sizes: COCO_RANGES.map(|(_, range)| slices.place(range, COCO_LIMIT)),
            one: slices.place(ALL_SIZES, 1),
            ten: slices.place(ALL_SIZES, 10),
            thresholds: coco_places,
        };
        let limit = params.max_detections.0;
        let named = params.area_ranges.0.iter();
        let asked = Asked {
            all: slices.place(ALL_SIZES, limit),
            sizes: named.map(|(name, range)| (name.clone(), slices.place(*range, limit))).collect(),
            thresholds: asked_places,
            interpolation: params.interpolation,
        };
        let needed = thresholds.iter().map(|threshold| threshold.min(FULL)).collect();
        Self { thresholds, needed, ranges: slices.ranges, slices: slices.list, coco, asked }
    }

    /// How many predictions of an image and category any slice looks at.
    pub(crate) fn limit(&self) -> usize {
        self.slices.iter().map(|slice| slice.limit as usize).max().unwrap_or_default()
    }

    /// In which slices a prediction of this rank and area counts by itself, a bit for each.
    #[inline]
    pub(crate) fn counts(&self, rank: u32, area: f64) -> u32 {
        let inside = |range: [f64; 2]| range[0] <= area && area <= range[1];
        let counts = |slice: &Slice| rank < slice.limit && inside(self.ranges[slice.range]);
        self.slices.iter().rev().fold(0, |bits, slice| bits << 1 | u32::from(counts(slice)))
    }
}

#[derive(Default)]
struct Slices {
    ranges: Vec<[f64; 2]>,
    list: Vec<Slice>,
}

impl Slices {
    /// The place of a slice; what is there already is not evaluated twice.
    fn place(&mut self, range: [f64; 2], limit: u32) -> usize {
        let slice = Slice { range: find_or_push(&mut self.ranges, range), limit };
        find_or_push(&mut self.list, slice)
    }
}

fn find_or_push<T: PartialEq>(list: &mut Vec<T>, wanted: T) -> usize {
    list.iter().position(|one| *one == wanted).unwrap_or_else(|| {
        list.push(wanted);
        list.len() - 1
    })
}

/// Evenly spaced numbers, with NumPy's rounding: the ninth of .50:.05:.95 is one bit below .9, and that decides matches.
pub(crate) fn linspace(first: f64, last: f64, count: usize) -> Vec<f64> {
    let step = (last - first) / (count - 1) as f64;
    (0..count).map(|place| if place == count - 1 { last } else { place as f64 * step + first }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use autoscorer_plugin_api::params::Params;
    use serde_json::json;

    fn plan(given: serde_json::Value) -> Plan {
        Plan::new(&MapParams::from_json(given.as_object().unwrap().clone()).unwrap())
    }

    #[test]
    fn grids_have_numpy_s_bits() {
        assert_eq!(linspace(0.5, 0.95, 10)[8], 0.899_999_999_999_999_9);
        let recalls = linspace(0.0, 1.0, 101);
        let above: Vec<usize> = (0..101).filter(|k| recalls[*k] > *k as f64 / 100.0).collect();
        assert_eq!(above, [35, 41, 47, 57, 69, 70, 82, 83, 94, 95]);
        assert!((0..101).all(|k| recalls[k] >= k as f64 / 100.0));
    }

    #[test]
    fn by_default_nothing_is_evaluated_beside_coco_s_numbers() {
        let plan = plan(json!({}));
        assert_eq!((plan.thresholds.len(), plan.ranges.len(), plan.slices.len()), (10, 4, 6));
        assert_eq!((plan.asked.all, &plan.asked.thresholds), (plan.coco.all, &vec![0]));
        assert_eq!(plan.limit(), 100);
    }

    #[test]
    fn what_was_asked_for_stands_beside_coco_s_numbers() {
        let given = json!({"iou_threshold": [0.3, 0.5, 0.9], "max_detections": 300, "area_ranges": {"tiny": [0, 64]}});
        let plan = plan(given);
        assert_eq!(plan.thresholds.len(), 12);
        assert_eq!(
            plan.asked.thresholds.iter().map(|place| plan.thresholds[*place]).collect::<Vec<_>>(),
            [0.3, 0.5, 0.9]
        );
        assert_eq!(
            plan.coco.thresholds.iter().map(|place| plan.thresholds[*place]).collect::<Vec<_>>(),
            linspace(0.5, 0.95, 10)
        );
        assert_eq!(plan.slices[plan.asked.sizes[0].1], Slice { range: 4, limit: 300 });
        assert_eq!(plan.limit(), 300);
    }

    #[test]
    fn full_overlap_is_enough_for_a_threshold_of_one() {
        assert_eq!(plan(json!({"iou_threshold": 1})).needed.last(), Some(&(1.0 - 1e-10)));
    }
}
