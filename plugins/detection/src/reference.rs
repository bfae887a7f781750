//! COCO's rules once more, slow and plain: loops over lists, nothing shared with the code that is measured against it.

use std::collections::{BTreeMap, BTreeSet};

/// A true box.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gt {
    pub(crate) image: i64,
    pub(crate) category: i64,
    pub(crate) bbox: [f64; 4],
    pub(crate) area: f64,
    pub(crate) crowd: bool,
}

/// A predicted box.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dt {
    pub(crate) image: i64,
    pub(crate) category: i64,
    pub(crate) bbox: [f64; 4],
    pub(crate) score: f64,
}

const SIZES: [(f64, f64); 4] = [(0.0, 1e10), (0.0, 1024.0), (1024.0, 9216.0), (9216.0, 1e10)];

/// What became of a prediction at one threshold.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Hit,
    Miss,
    Ignored,
}

/// Precision averaged over 101 recalls, and the recall reached; none if there is nothing to find.
pub(crate) fn precision_recall(
    gts: &[Gt],
    dts: &[Dt],
    category: i64,
    iou: f64,
    size: usize,
    limit: usize,
) -> Option<(f64, f64)> {
    let images: BTreeSet<i64> = gts.iter().map(|gt| gt.image).chain(dts.iter().map(|dt| dt.image)).collect();
    let mut fates: Vec<(f64, Fate)> = Vec::new();
    let mut wanted = 0;
    for image in images {
        let gts: Vec<&Gt> = gts.iter().filter(|gt| gt.image == image && gt.category == category).collect();
        let mut dts: Vec<&Dt> = dts.iter().filter(|dt| dt.image == image && dt.category == category).collect();
        dts.sort_by(|a, b| b.score.partial_cmp(&a.score).unwrap());
        dts.truncate(limit);
        wanted += gts.iter().filter(|gt| !ignored(gt, size)).count();
        fates.extend(fates_in_image(&gts, &dts, iou, size));
    }
    if wanted == 0 {
        return None;
    }
    fates.sort_by(|a, b| b.0.partial_cmp(&a.0).unwrap());
    let (mut hits, mut misses) = (0.0, 0.0);
    let mut points = Vec::new();
    for (_, fate) in fates {
        match fate {
            Fate::Hit => hits += 1.0,
            Fate::Miss => misses += 1.0,
            Fate::Ignored => continue,
        }
        points.push((hits / wanted as f64, hits / (misses + hits + f64::EPSILON)));
    }
    let mut sum = 0.0;
    for step in 0..=100 {
        let recall = if step == 100 { 1.0 } else { f64::from(step) * 0.01 };
        let reached = points.iter().position(|point| point.0 >= recall);
        let beyond = reached.map_or(&[][..], |first| &points[first..]);
        sum += beyond.iter().map(|point| point.1).fold(0.0, f64::max);
    }
    Some((sum / 101.0, points.last().map_or(0.0, |point| point.0)))
}

fn ignored(gt: &Gt, size: usize) -> bool {
    gt.crowd || gt.area < SIZES[size].0 || gt.area > SIZES[size].1
}

fn fates_in_image(gts: &[&Gt], dts: &[&Dt], iou: f64, size: usize) -> Vec<(f64, Fate)> {
    let mut taken = vec![false; gts.len()];
    let mut fates = Vec::new();
    for dt in dts {
        let mut choice = None;
        // First among the boxes that count, then among the ignored ones; the later of two equals.
        for among_ignored in [false, true] {
            for (place, gt) in gts.iter().enumerate() {
                let free = gt.crowd || !taken[place];
                let overlap = overlap(dt, gt);
                let best = choice.map_or(iou.min(1.0 - 1e-10), |(_, best)| best);
                if ignored(gt, size) == among_ignored && free && overlap >= best {
                    choice = Some((place, overlap));
                }
            }
            if choice.is_some() {
                break;
            }
        }
        let area = dt.bbox[2] * dt.bbox[3];
        let fate = match choice {
            Some((place, _)) => {
                taken[place] = true;
                if ignored(gts[place], size) { Fate::Ignored } else { Fate::Hit }
            }
            None if area < SIZES[size].0 || area > SIZES[size].1 => Fate::Ignored,
            None => Fate::Miss,
        };
        fates.push((dt.score, fate));
    }
    fates
}

fn overlap(dt: &Dt, gt: &Gt) -> f64 {
    let side = |axis: usize| {
        let end = (dt.bbox[axis] + dt.bbox[axis + 2]).min(gt.bbox[axis] + gt.bbox[axis + 2]);
        end - dt.bbox[axis].max(gt.bbox[axis])
    };
    let (width, height) = (side(0), side(1));
    if width <= 0.0 || height <= 0.0 {
        return 0.0;
    }
    let common = width * height;
    let own = dt.bbox[2] * dt.bbox[3];
    if gt.crowd { common / own } else { common / (own + gt.bbox[2] * gt.bbox[3] - common) }
}

/// The twelve numbers by name.
pub(crate) fn twelve(gts: &[Gt], dts: &[Dt]) -> BTreeMap<&'static str, Option<f64>> {
    let categories: BTreeSet<i64> = gts.iter().map(|gt| gt.category).collect();
    let thresholds: Vec<f64> =
        (0..10).map(|step| if step == 9 { 0.95 } else { f64::from(step) * ((0.95 - 0.5) / 9.0) + 0.5 }).collect();
    let mean = |ious: &[f64], size: usize, limit: usize, number: fn((f64, f64)) -> f64| {
        let mut values = Vec::new();
        for category in &categories {
            for iou in ious {
                values.extend(precision_recall(gts, dts, *category, *iou, size, limit).map(number));
            }
        }
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let ap = |pair: (f64, f64)| pair.0;
    let ar = |pair: (f64, f64)| pair.1;
    BTreeMap::from([
        ("AP", mean(&thresholds, 0, 100, ap)),
        ("AP50", mean(&thresholds[..1], 0, 100, ap)),
        ("AP75", mean(&thresholds[5..6], 0, 100, ap)),
        ("APs", mean(&thresholds, 1, 100, ap)),
        ("APm", mean(&thresholds, 2, 100, ap)),
        ("APl", mean(&thresholds, 3, 100, ap)),
        ("AR1", mean(&thresholds, 0, 1, ar)),
        ("AR10", mean(&thresholds, 0, 10, ar)),
        ("AR100", mean(&thresholds, 0, 100, ar)),
        ("ARs", mean(&thresholds, 1, 100, ar)),
        ("ARm", mean(&thresholds, 2, 100, ar)),
        ("ARl", mean(&thresholds, 3, 100, ar)),
    ])
}
