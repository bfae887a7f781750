//! `review_match`: generated review comments against those that people made.

use autoscorer_plugin_api::outcome::Warning;
use autoscorer_plugin_api::prelude::*;

use crate::config::Config;
use crate::dry::Estimate;
use crate::params::ReviewParams;
use crate::read::input::Input;
use crate::remarks;
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
        let config = faults.absorb(Config::of(params, ctx.workspace()));
        let input = faults.absorb(Input::read(ctx, params.pr_url.as_deref()));
        if let (Some(config), Some(input)) = (config, input) {
            faults.absorb(config.filter.check(&input));
        }
        faults
    }

    fn score(&self, ctx: &Context<'_>, params: &ReviewParams) -> Result<Outcome, ScoreError> {
        let config = Config::of(params, ctx.workspace())?;
        let input = Input::read(ctx, params.pr_url.as_deref())?;
        config.filter.check(&input)?;
        ctx.check()?;
        let scored = if params.dry_run { dry(input, &config, params) } else { judged(ctx, input, &config, params) };
        // What was chosen is told also where it failed, so that whoever goes on can go on with the same.
        scored.map_err(|error| error.detail("chosen", config.chosen()))
    }
}

fn dry(mut input: Input, config: &Config, params: &ReviewParams) -> Result<Outcome, ScoreError> {
    let warnings = about(&input, true);
    let tasks: Vec<_> = input.reviews.iter_mut().map(|review| task(review, config)).collect();
    let mut outcome = Estimate::of(&tasks, config, params.max_note_chars)?.outcome(config);
    outcome.warnings.extend(warnings);
    Ok(outcome)
}

fn judged(ctx: &Context<'_>, input: Input, config: &Config, params: &ReviewParams) -> Result<Outcome, ScoreError> {
    if let Some(why) = &config.fell_back {
        ctx.log(Level::Info, format_args!("{why}: meaning is estimated by shared terms"));
    }
    remarks::write(ctx, &input)?;
    let (warnings, files, skipped) = (about(&input, false), input.files.len(), document::skipped(&input.files));
    let evaluation = Evaluation::of(ctx, config, input, params.max_note_chars)?;
    check_coverage(&evaluation, params.allow_errors)?;
    let totals = Totals::of(&evaluation, files);
    let breakdown = Breakdown::of(&evaluation);
    let mut outcome = outcome::of(&evaluation, config, &totals, params);
    outcome.warnings.extend(warnings);
    outcome.detail("breakdown", serde_json::to_value(&breakdown).unwrap_or_default());
    document::write(ctx, config, &evaluation, &totals, &breakdown, &skipped)?;
    let page = Page { config, evaluation: &evaluation, outcome: &outcome, breakdown: &breakdown };
    report::write(ctx, &page)?;
    Ok(outcome)
}

/// What the reader should know about the input. A dry run writes no artifacts.
fn about(input: &Input, dry: bool) -> Vec<Warning> {
    let mut about_input = Outcome::new("none", 0.0, Direction::Higher);
    warnings::about_places(&mut about_input, input, !dry);
    warnings::about_files(&mut about_input, &input.files);
    warnings::about_references(&mut about_input, &input.reviews);
    about_input.warnings
}

/// A pair without a verdict is an error: it must not look like a difference. Where no pair has one there is nothing to
/// allow: it would be a score of nothing.
fn check_coverage(evaluation: &Evaluation, allow_errors: bool) -> Result<(), ScoreError> {
    let (asked, undecided) = evaluation.asked();
    if undecided == 0 || (allow_errors && undecided < asked) {
        return Ok(());
    }
    let all = evaluation.cases.iter().flat_map(Case::all_judgements);
    let first = all.filter(|one| !one.verdict.is_decided()).filter_map(|one| one.reason.clone()).min();
    let message =
        format!("{undecided} of {asked} pairs got no verdict; none of them counts as different, so there is no score");
    let hint = "run it again: what was judged is remembered, and only the rest is asked";
    let hint = if undecided < asked { format!("{hint}; or params.allow_errors") } else { hint.to_owned() };
    Err(ScoreError::new(ErrorCode::JudgeError, message)
        .found(first.unwrap_or_default())
        .hint(hint)
        .detail("coverage", outcome::coverage(asked, undecided))
        .detail("failed", evaluation.usage.failed)
        .detail("undecided", evaluation.usage.undecided))
}
