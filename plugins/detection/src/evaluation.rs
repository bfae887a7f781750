//! The evaluation: all categories, and the means over them.

use crate::curve::Grids;
use crate::dataset::Dataset;
use crate::evaluate::{Evaluator, Score, Scores};
use crate::group::Group;
use crate::plan::Plan;
use crate::workers::Workers;

/// The numbers of all categories.
pub(crate) struct Evaluation {
    pub(crate) plan: Plan,
    /// In the order of the dataset's categories.
    pub(crate) categories: Vec<Scores>,
}

impl Evaluation {
    /// Evaluates all categories; curves are kept if they are wanted.
    pub(crate) fn new(dataset: &Dataset, plan: Plan, with_curves: bool, workers: Workers) -> Self {
        let grids = Grids::default();
        let count = dataset.categories.len();
        // The largest first, so that no thread is left with one at the end.
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|category| std::cmp::Reverse(dataset.counts(*category)));
        let done = workers.map_with(
            count,
            || (Group::default(), Evaluator::new(&plan, &grids, with_curves)),
            |(group, evaluator), task| {
                dataset.fill(group, order[task], plan.limit());
                evaluator.evaluate(group)
            },
        );
        let mut categories = vec![Scores::default(); count];
        for (category, scores) in order.into_iter().zip(done) {
            categories[category] = scores;
        }
        Self { plan, categories }
    }

    /// The mean of a number over thresholds and over the categories that have true boxes in a slice.
    pub(crate) fn mean(&self, slice: usize, thresholds: &[usize], number: fn(&Score) -> f64) -> Option<f64> {
        let scored = || self.categories.iter().filter_map(move |scores| scores.slices[slice].as_ref());
        let sum: f64 = thresholds.iter().map(|place| scored().map(|scores| number(&scores[*place])).sum::<f64>()).sum();
        let count = scored().count() * thresholds.len();
        (count > 0).then(|| sum / count as f64)
    }

    /// COCO's twelve numbers, with their names.
    pub(crate) fn coco(&self) -> [(&'static str, Option<f64>); 12] {
        let coco = &self.plan.coco;
        let all = coco.thresholds.as_slice();
        let precision = |slice, thresholds: &[usize]| self.mean(slice, thresholds, |score| score.coco);
        let recall = |slice| self.mean(slice, all, |score| score.recall);
        [
            ("AP", precision(coco.all, all)),
            ("AP50", precision(coco.all, &all[..1])),
            ("AP75", precision(coco.all, &all[5..6])),
            ("APs", precision(coco.sizes[0], all)),
            ("APm", precision(coco.sizes[1], all)),
            ("APl", precision(coco.sizes[2], all)),
            ("AR1", recall(coco.one)),
            ("AR10", recall(coco.ten)),
            ("AR100", recall(coco.all)),
            ("ARs", recall(coco.sizes[0])),
            ("ARm", recall(coco.sizes[1])),
            ("ARl", recall(coco.sizes[2])),
        ]
    }

    /// The score that was asked for.
    pub(crate) fn score(&self) -> Option<f64> {
        self.mean(self.plan.asked.all, &self.plan.asked.thresholds, |score| score.asked)
    }
}

impl Scores {
    /// The mean of a number over thresholds, if the slice has true boxes.
    pub(crate) fn mean(&self, slice: usize, thresholds: &[usize], number: fn(&Score) -> f64) -> Option<f64> {
        let scores = self.slices[slice].as_ref()?;
        Some(thresholds.iter().map(|place| number(&scores[*place])).sum::<f64>() / thresholds.len() as f64)
    }
}
