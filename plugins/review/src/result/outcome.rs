//! The outcome of a run: one score, flat metrics, and what a reader should know.

use autoscorer_judge::Usage;
use autoscorer_plugin_api::prelude::*;
use serde_json::json;

use super::beside::Beside;
use super::bootstrap;
use super::evaluation::{Case, Evaluation};
use super::rate::share;
use super::totals::{Counts, Totals, silent};
use crate::config::{Config, Matcher};
use crate::params::{Profile, ReviewParams};

/// Makes the outcome. The score is F1 over all selected pull requests; where references are filtered it is recall.
pub(crate) fn of(evaluation: &Evaluation, config: &Config, totals: &Totals, params: &ReviewParams) -> Outcome {
    let counts = Counts::of_all(evaluation);
    let sum = counts.iter().fold(Counts::default(), Counts::add);
    let recall_only = config.filter.leaves_references_out();
    let shown = |name: &str| {
        let by_place = name.starts_with("line_");
        (config.by_meaning() || by_place) && (!recall_only || name.ends_with("recall"))
    };
    let primary = match (config.by_meaning(), recall_only) {
        (true, false) => "f1",
        (true, true) => "recall",
        (false, false) => "line_f1",
        (false, true) => "line_recall",
    };
    let measures = sum.measures().named();
    let score = measures.iter().find(|(name, _)| *name == primary).map_or(0.0, |(_, value)| *value);
    let mut outcome = Outcome::new(primary, score, Direction::Higher);
    for (name, value) in measures.into_iter().filter(|(name, _)| shown(name) && *name != primary) {
        outcome.metric(name, value);
    }
    for (name, (low, high)) in bootstrap::intervals(&counts, params.resamples, params.seed) {
        if shown(name) {
            outcome.metric(format!("{name}_low"), low).metric(format!("{name}_high"), high);
        }
    }
    add_counts(&mut outcome, evaluation, config, &sum);
    add_filtered(&mut outcome, evaluation);
    add_totals(&mut outcome, totals);
    add_beside(&mut outcome, evaluation, config, "strict", |case| &case.strict);
    add_beside(&mut outcome, evaluation, config, "optimal", |case| &case.optimal);
    warn(&mut outcome, evaluation, config, recall_only);
    outcome
}

/// The share of pairs that got a verdict.
pub(crate) fn coverage(asked: usize, undecided: usize) -> f64 {
    if asked == 0 { 1.0 } else { share(asked - undecided, asked) }
}

fn add_counts(outcome: &mut Outcome, evaluation: &Evaluation, config: &Config, sum: &Counts) {
    let (asked, undecided) = evaluation.asked();
    let cases = || evaluation.cases.iter().filter(|case| case.is_selected());
    let count = |one: fn(&Case) -> usize| cases().map(one).sum::<usize>() as f64;
    outcome
        .metric("coverage", coverage(asked, undecided))
        .metric("pull_requests", cases().count() as f64)
        .metric("pull_requests_without_comments", silent(evaluation).len() as f64)
        .metric("references", sum.expected as f64)
        .metric("references_located", count(|case| case.located().iter().filter(|one| **one).count()))
        .metric("references_matched", sum.matches as f64)
        .metric("references_filtered", count(|case| case.references.0 - case.references.1))
        .metric("comments", sum.generated as f64)
        .metric("pairs_judged", asked as f64)
        .metric("pairs_without_verdict", undecided as f64);
    if config.by_meaning() && cases().any(|case| case.negatives > 0) {
        let alarms = count(|case| case.false_alarms.iter().flatten().count());
        outcome.metric("false_alarms", alarms).metric("false_alarm_rate", share(alarms as usize, sum.generated));
    }
}

/// What the filters on pull requests leave out; `references_filtered` is about the others.
fn add_filtered(outcome: &mut Outcome, evaluation: &Evaluation) {
    let cases = || evaluation.cases.iter().filter(|case| !case.is_selected());
    let count = |one: fn(&Case) -> usize| cases().map(one).sum::<usize>() as f64;
    outcome
        .metric("pull_requests_filtered", count(|_| 1))
        .metric("comment_files_filtered", count(|case| usize::from(case.file.is_some())))
        .metric("references_of_pull_requests_filtered", count(|case| case.references.0))
        .metric("comments_of_pull_requests_filtered", count(|case| case.comments_filtered));
}

fn add_totals(outcome: &mut Outcome, totals: &Totals) {
    let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(totals) else { return };
    for (name, value) in fields {
        if let Some(number) = value.as_f64() {
            outcome.metric(name, number);
        }
    }
}

/// What a one-to-one assignment says, where that is known: the strict profile's, or the best one over the document's places.
fn add_beside(
    outcome: &mut Outcome,
    evaluation: &Evaluation,
    config: &Config,
    name: &str,
    which: fn(&Case) -> &Beside,
) {
    let cases = || evaluation.cases.iter().filter(|case| case.is_selected()).map(which);
    let sum = |one: fn(&Beside) -> usize| cases().map(one).sum::<usize>();
    let (least, most) = (sum(|one| one.match_nums_least), sum(|one| one.match_nums_most));
    let named = |end: &str| format!("{name}_{end}");
    outcome.metric(named("line_matches"), sum(|one| one.line_match_nums) as f64);
    if config.by_meaning() {
        outcome.metric(named("matches_least"), least as f64).metric(named("matches_most"), most as f64);
    }
    if config.by_meaning() && least == most {
        outcome.metric(named("matches"), least as f64);
    }
    outcome.detail(&named("pairs_not_judged"), sum(|one| one.pairs_not_judged));
}

fn warn(outcome: &mut Outcome, evaluation: &Evaluation, config: &Config, recall_only: bool) {
    let estimate = config.matcher == Matcher::Lexical;
    outcome
        .detail("profile", json!(config.profile))
        .detail("semantic_matcher_type", config.matcher.name())
        .detail("chosen", config.chosen())
        .detail("estimate", estimate)
        .detail("pull_requests_without_comments", silent(evaluation))
        .detail("filter", json!(config.filter));
    if estimate {
        let why = config.fell_back.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
        outcome.warn("ESTIMATE", format!("meaning is estimated by shared terms, not judged{why}"));
    }
    if config.profile == Profile::Upstream {
        outcome.warn(
            "UPSTREAM",
            "numbers of the published evaluator, which lets references without an id match once in all",
        );
    }
    if recall_only {
        outcome.warn("RECALL_ONLY", "references are filtered and comments cannot be, so precision would mean nothing");
    }
    let silent = silent(evaluation).len();
    if silent > 0 {
        outcome.warn("SILENT", format!("{silent} pull requests have no comment; all their references count as missed"));
    }
    let usage = &evaluation.usage;
    if config.matcher == Matcher::Llm || config.matcher == Matcher::Embedding {
        // What a run costs is no property of the score, so it is no metric: a replay that knows all verdicts is the same.
        let Usage { done, calls, cached, shared, retries, tokens, .. } = usage;
        outcome.warn(
            "USAGE",
            format!(
                "{done} pairs compared: {calls} calls made, {retries} of them repeated, {tokens} tokens; {cached} pairs \
                 known before, {shared} of the same texts as another"
            ),
        );
    }
    let (asked, undecided) = evaluation.asked();
    if undecided > 0 {
        outcome.warn("NOT_JUDGED", format!("{undecided} of {asked} pairs got no verdict; matches may be missing"));
    }
}
