//! The evaluation: all categories, and the means over them.

use autoscorer_plugin_api::parallel::Workers;
use autoscorer_plugin_api::sum::Sum;

use crate::audit::{Audit, Auditor};
use crate::curve::Grids;
use crate::dataset::Dataset;
use crate::evaluate::{Evaluator, Score, Scores};
use crate::group::Group;
use crate::params::MapParams;
use crate::plan::Plan;
use crate::scene::Scene;

/// The numbers of all categories.
pub(crate) struct Evaluation {
    pub(crate) plan: Plan,
    /// In the order of the dataset's categories.
    pub(crate) categories: Vec<Scores>,
}

impl Evaluation {
    /// Evaluates all categories.
    pub(crate) fn new(dataset: &Dataset, plan: Plan, workers: Workers) -> Self {
        let categories = evaluate(dataset, &plan, None, workers).into_iter().map(|(scores, _)| scores).collect();
        Self { plan, categories }
    }

    /// Evaluates all categories with their curves, and looks at every single box.
    pub(crate) fn with_audits(
        dataset: &Dataset,
        plan: Plan,
        scene: &Scene,
        params: &MapParams,
        workers: Workers,
    ) -> (Self, Vec<Audit>) {
        let done = evaluate(dataset, &plan, Some((scene, params)), workers);
        let (categories, audits): (Vec<Scores>, Vec<Audit>) =
            done.into_iter().map(|(scores, audit)| (scores, audit.unwrap_or_default())).unzip();
        (Self { plan, categories }, audits)
    }

    /// The mean of a number over thresholds and over the categories that have true boxes in a slice.
    pub(crate) fn mean(&self, slice: usize, thresholds: &[usize], number: fn(&Score) -> f64) -> Option<f64> {
        let scored = || self.categories.iter().filter_map(move |scores| scores.slices[slice].as_ref());
        let total = Sum::of(thresholds.iter().flat_map(|place| scored().map(move |scores| number(&scores[*place]))));
        let count = scored().count() * thresholds.len();
        (count > 0).then(|| total / count as f64)
    }

    /// COCO's twelve numbers, with their names.
    pub(crate) fn coco(&self) -> [(&'static str, Option<f64>); 12] {
        coco_numbers(&self.plan, |slice, thresholds, number| self.mean(slice, thresholds, number))
    }

    /// The score that was asked for.
    pub(crate) fn score(&self) -> Option<f64> {
        self.mean(self.plan.asked.all, &self.plan.asked.thresholds, |score| score.asked)
    }
}

impl Scores {
    /// The same numbers for one category.
    pub(crate) fn coco(&self, plan: &Plan) -> [(&'static str, Option<f64>); 12] {
        coco_numbers(plan, |slice, thresholds, number| self.mean(slice, thresholds, number))
    }

    /// The mean of a number over thresholds, if the slice has true boxes.
    pub(crate) fn mean(&self, slice: usize, thresholds: &[usize], number: fn(&Score) -> f64) -> Option<f64> {
        let scores = self.slices[slice].as_ref()?;
        Some(Sum::of(thresholds.iter().map(|place| number(&scores[*place]))) / thresholds.len() as f64)
    }
}

/// COCO's twelve numbers, from the mean of a number in a slice over thresholds.
fn coco_numbers(
    plan: &Plan,
    mean: impl Fn(usize, &[usize], fn(&Score) -> f64) -> Option<f64>,
) -> [(&'static str, Option<f64>); 12] {
    let coco = &plan.coco;
    let all = coco.thresholds.as_slice();
    let precision = |slice, thresholds: &[usize]| mean(slice, thresholds, |score| score.coco);
    let recall = |slice| mean(slice, all, |score| score.recall);
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

fn evaluate(
    dataset: &Dataset,
    plan: &Plan,
    audited: Option<(&Scene, &MapParams)>,
    workers: Workers,
) -> Vec<(Scores, Option<Audit>)> {
    let grids = Grids::default();
    let count = dataset.categories.len();
    // The largest first, so that no thread is left with one at the end.
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|category| std::cmp::Reverse(dataset.counts(*category)));
    let make = || {
        let auditor = audited.map(|(scene, params)| Auditor::new(scene, plan, params));
        (Group::default(), Evaluator::new(plan, &grids, audited.is_some()), auditor)
    };
    let mut done = workers.map_with(count, make, |(group, evaluator, auditor), task| {
        let category = order[task];
        dataset.fill(group, category, plan.limit());
        let scores = evaluator.evaluate(group);
        let audit = auditor.as_mut().map(|auditor| auditor.audit(category as u32, group, evaluator.order()));
        (category, (scores, audit))
    });
    done.sort_by_key(|(category, _)| *category);
    done.into_iter().map(|(_, done)| done).collect()
}
