//! What is left beside the score: tables and pictures of where the predictions are good and where they fail.
//!
//! [`curves`] precision against recall, [`classes`] and [`sizes`] AP by category and by size, [`overlaps`] how near boxes were
//! found, [`confusion`] what was taken for what, [`errors`] what each kind of mistake costs, [`matches`] boxes one by one.

mod classes;
mod confusion;
mod curves;
mod errors;
mod matches;
mod overlaps;
mod sizes;

use autoscorer_plugin_api::prelude::*;
use serde_json::{Value, json};

use crate::audit::Audit;
use crate::confusion::Confusion;
use crate::dataset::Dataset;
use crate::evaluation::Evaluation;
use crate::params::MapParams;
use crate::repair::Costs;
use crate::scene::Scene;
use crate::workers::Workers;

/// What the artifacts are made of.
pub(crate) struct Findings<'d> {
    pub(crate) dataset: &'d Dataset,
    pub(crate) evaluation: &'d Evaluation,
    pub(crate) params: &'d MapParams,
    pub(crate) scene: Scene,
    pub(crate) audit: Audit,
    pub(crate) costs: Costs,
    pub(crate) confusion: Confusion,
}

impl<'d> Findings<'d> {
    /// Looks at every box once more.
    pub(crate) fn new(
        dataset: &'d Dataset,
        evaluation: &'d Evaluation,
        params: &'d MapParams,
        workers: Workers,
    ) -> Self {
        let plan = &evaluation.plan;
        let scene = Scene::new(dataset);
        let audit = Audit::new(dataset, &scene, plan, workers);
        let costs = Costs::new(&audit, &scene, params.interpolation, workers);
        let confusion = Confusion::new(dataset, &scene, plan, params.confusion_score.0, workers);
        Self { dataset, evaluation, params, scene, audit, costs, confusion }
    }

    /// Writes all artifacts.
    pub(crate) fn write(&self, ctx: &Context<'_>, outcome: &mut Outcome) -> Result<(), ScoreError> {
        curves::write(ctx, self)?;
        classes::write(ctx, self)?;
        sizes::write(ctx, self)?;
        overlaps::write(ctx, self)?;
        confusion::write(ctx, self)?;
        errors::write(ctx, self)?;
        matches::write(ctx, self, outcome)
    }

    /// What a category is called.
    fn label(&self, category: usize) -> String {
        let category = &self.dataset.categories[category];
        category.name.clone().unwrap_or_else(|| category.id.to_string())
    }

    /// The IoUs that were asked for, in words.
    fn at_iou(&self) -> String {
        let plan = &self.evaluation.plan;
        let thresholds: Vec<f64> = plan.asked.thresholds.iter().map(|place| plan.thresholds[*place]).collect();
        match thresholds[..] {
            [one] => format!("at IoU {one:.2}"),
            [first, .., last] => format!("mean of {} IoUs from {first:.2} to {last:.2}", thresholds.len()),
            [] => String::new(),
        }
    }
}

fn write_json(ctx: &Context<'_>, name: &str, value: &Value) -> Result<(), ScoreError> {
    ctx.artifact(name, "application/json", |file| Ok(serde_json::to_writer(file, value)?))
}

fn write_svg(ctx: &Context<'_>, name: &str, picture: &str) -> Result<(), ScoreError> {
    ctx.artifact(name, "image/svg+xml", |file| file.write_all(picture.as_bytes()))
}

/// A share for a file that people read: six digits are enough.
fn rounded(value: f64) -> Value {
    json!((value * 1e6).round() / 1e6)
}
