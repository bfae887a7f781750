//! `detection_map`: mean average precision of boxes, as COCO defines it.

use autoscorer_plugin_api::prelude::*;

use crate::artifacts::Findings;
use crate::dataset::Dataset;
use crate::evaluation::Evaluation;
use crate::load::Files;
use crate::params::MapParams;
use crate::plan::Plan;
use crate::report;
use crate::workers::Workers;

/// Mean average precision of boxes, equal to pycocotools.
pub(crate) struct DetectionMap;

impl Scorer for DetectionMap {
    const ABOUT: About = About {
        id: "detection_map",
        version: "2.0.0",
        summary: "Mean average precision of boxes, with COCO's twelve numbers",
        algorithm: "Mean Average Precision",
    };
    type Params = MapParams;

    fn validate(&self, ctx: &Context<'_>, params: &MapParams) -> Faults {
        let workers = Workers::all();
        let dataset = Files::read(ctx.workspace(), workers)
            .and_then(|files| Dataset::new(files, params.score_threshold.0, workers));
        dataset.err().unwrap_or_default()
    }

    fn score(&self, ctx: &Context<'_>, params: &MapParams) -> Result<Outcome, ScoreError> {
        let workers = Workers::all();
        let files = Files::read(ctx.workspace(), workers)?;
        ctx.check()?;
        let dataset = Dataset::new(files, params.score_threshold.0, workers)?;
        ctx.check()?;
        let evaluation = Evaluation::new(&dataset, Plan::new(params), ctx.wants_artifacts(), workers);
        ctx.check()?;
        let mut outcome = report::outcome(&dataset, &evaluation, params)?;
        if ctx.wants_artifacts() {
            let findings = Findings::new(&dataset, &evaluation, params, workers);
            ctx.check()?;
            findings.write(ctx, &mut outcome)?;
        }
        Ok(outcome)
    }
}
