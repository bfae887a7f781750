//! `review_match`: generated review comments against those that people made.

use autoscorer_plugin_api::prelude::*;

use crate::config::Config;
use crate::dry::Estimate;
use crate::params::ReviewParams;
use crate::read::input::Input;
use crate::report::{self, Page};
use crate::result::breakdown::Breakdown;
use crate::result::document;
use crate::result::evaluation::{Case, Evaluation, task};
use crate::result::outcome;
use crate::result::totals::Totals;
use crate::warnings;

/// Matches review comments by place and meaning.
pub(crate) struct ReviewMatch;

impl Scorer for ReviewMatch {
    const ABOUT: About = About {
        id: "review_match",
        version: "1.0.0",
        summary: "AI code review against human references: F1, precision and recall by place and meaning",
        algorithm: "Location and meaning matching",
    };
    type Params = ReviewParams;
    const NETWORK: bool = true;

    fn validate(&self, ctx: &Context<'_>, params: &ReviewParams) -> Faults {
        let mut faults = Faults::none();
        faults.absorb(Config::of(params, ctx.workspace()));
        faults.absorb(Input::read(ctx, params.pr_url.as_deref()));
        faults
    }

    fn score(&self, ctx: &Context<'_>, params: &ReviewParams) -> Result<Outcome, ScoreError> {
        let config = Config::of(params, ctx.workspace())?;
        let mut input = Input::read(ctx, params.pr_url.as_deref())?;
        ctx.check()?;
        if params.dry_run {
            let tasks: Vec<_> = input.reviews.iter_mut().map(|review| task(review, &config)).collect();
            return Ok(Estimate::of(&tasks, &config, params.max_note_chars, params.votes).outcome(&config));
        }
        if config.fell_back {
            ctx.log(
                Level::Info,
                "no language model is configured (LLM_MODEL_URL, LLM_MODEL): meaning is estimated by shared terms",
            );
        }
        let mut about_input = Outcome::new("none", 0.0, Direction::Higher);
        warnings::about_files(&mut about_input, &input.files);
        warnings::about_references(&mut about_input, &input.reviews);
        warnings::about_places(&mut about_input, &input.reviews);
        let (files, skipped) = (input.files.len(), document::skipped(&input.files));
        let evaluation = Evaluation::of(ctx, &config, input, params.max_note_chars)?;
        check_coverage(&evaluation, params.allow_errors)?;
        let totals = Totals::of(&evaluation, files);
        let breakdown = Breakdown::of(&evaluation);
        let mut outcome = outcome::of(&evaluation, &config, &totals, params);
        outcome.warnings.extend(about_input.warnings);
        outcome.detail("breakdown", serde_json::to_value(&breakdown).unwrap_or_default());
        document::write(ctx, &config, &evaluation, &totals, &breakdown, &skipped)?;
        let page = Page { config: &config, evaluation: &evaluation, outcome: &outcome, breakdown: &breakdown };
        report::write(ctx, &page)?;
        Ok(outcome)
    }
}

/// A pair without a verdict is an error: it must not look like a difference.
fn check_coverage(evaluation: &Evaluation, allow_errors: bool) -> Result<(), ScoreError> {
    let (asked, undecided) = evaluation.asked();
    if undecided == 0 || allow_errors {
        return Ok(());
    }
    let all = evaluation.cases.iter().flat_map(Case::all_judgements);
    let first = all.filter(|one| !one.verdict.is_decided()).filter_map(|one| one.reason.clone()).min();
    let message =
        format!("{undecided} of {asked} pairs got no verdict; none of them counts as different, so there is no score");
    Err(ScoreError::new(ErrorCode::JudgeError, message)
        .found(first.unwrap_or_default())
        .hint("run it again: what was judged is remembered, and only the rest is asked; or allow_errors")
        .detail("coverage", outcome::coverage(asked, undecided))
        .detail("failed", evaluation.usage.failed)
        .detail("undecided", evaluation.usage.undecided))
}
