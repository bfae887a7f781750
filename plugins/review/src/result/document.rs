//! `evaluation_results.json`, and beside it `judgements.jsonl` with every pair that was judged.

use std::collections::BTreeMap;
use std::io::{self, Write};

use autoscorer_judge::Usage;
use autoscorer_plugin_api::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

use super::beside::Beside;
use super::breakdown::Breakdown;
use super::evaluation::{Case, Evaluation};
use super::rows::{FILTERED, Row};
use super::totals::Totals;
use crate::config::{Config, Matcher};
use crate::params::Profile;
use crate::read::files::CommentFile;

/// The whole document.
#[derive(Serialize)]
struct Document<'d> {
    summary: &'d Totals,
    profile: Profile,
    /// Whether meaning was only estimated.
    estimate: bool,
    usage: Value,
    results: Vec<Row<'d>>,
    strict: Vec<BesideRow<'d>>,
    optimal: Vec<BesideRow<'d>>,
    false_alarms: Vec<Value>,
    breakdown: &'d Breakdown,
    skipped_files: Vec<Value>,
    pull_requests_without_comments: Vec<&'d str>,
}

/// What a one-to-one assignment says of one pull request.
#[derive(Serialize)]
struct BesideRow<'d> {
    evaluation_id: String,
    #[serde(flatten)]
    beside: &'d Beside,
}

fn beside(evaluation: &Evaluation, which: fn(&Case) -> &Beside) -> Vec<BesideRow<'_>> {
    let evaluated = evaluation.cases.iter().filter(|case| case.skipped.is_none());
    evaluated.map(|case| BesideRow { evaluation_id: case.pull.evaluation_id(), beside: which(case) }).collect()
}

/// Writes both files.
pub(crate) fn write(
    ctx: &Context<'_>,
    config: &Config,
    evaluation: &Evaluation,
    totals: &Totals,
    breakdown: &Breakdown,
    skipped: &[(String, String)],
) -> Result<(), ScoreError> {
    let document = Document {
        summary: totals,
        profile: config.profile,
        estimate: config.matcher == Matcher::Lexical,
        usage: usage(&evaluation.usage),
        results: evaluation.cases.iter().map(|case| Row::of(case, config)).collect(),
        strict: beside(evaluation, |case| &case.strict),
        optimal: beside(evaluation, |case| &case.optimal),
        false_alarms: evaluation.cases.iter().flat_map(false_alarms).collect(),
        breakdown,
        skipped_files: skipped_files(evaluation, skipped),
        pull_requests_without_comments: super::totals::silent(evaluation),
    };
    ctx.artifact("evaluation_results.json", "application/json", |file| {
        serde_json::to_writer_pretty(&mut *file, &document).map_err(io::Error::from)?;
        file.write_all(b"\n")
    })?;
    if !config.by_meaning() {
        return Ok(());
    }
    ctx.artifact("judgements.jsonl", "application/x-ndjson", |file| {
        evaluation.cases.iter().try_for_each(|case| write_judgements(file, case))
    })
}

fn usage(usage: &Usage) -> Value {
    let Usage { done, calls, cached, shared, retries, tokens, undecided, failed, .. } = usage;
    json!({
        "pairs": done, "calls_made": calls, "known_before": cached, "equal_texts": shared, "retries": retries,
        "tokens": tokens, "undecided": undecided, "failed": failed,
    })
}

/// The files that took no part, with the reason.
pub(crate) fn skipped(files: &[CommentFile]) -> Vec<(String, String)> {
    files.iter().filter_map(|file| Some((file.name.clone(), file.skipped.clone()?))).collect()
}

/// Those, and the files of pull requests that a filter leaves out, by name.
fn skipped_files(evaluation: &Evaluation, skipped: &[(String, String)]) -> Vec<Value> {
    let filtered = evaluation.cases.iter().filter(|case| !case.is_selected());
    let filtered = filtered.filter_map(|case| Some((case.file.clone()?, FILTERED.to_owned())));
    let all: BTreeMap<String, String> = filtered.chain(skipped.iter().cloned()).collect();
    all.into_iter().map(|(file, reason)| json!({"file": file, "reason": reason})).collect()
}

fn false_alarms(case: &Case) -> impl Iterator<Item = Value> {
    let alarms = case.false_alarms.iter().enumerate().filter_map(|(at, alarm)| Some((at, (*alarm)?)));
    alarms.map(|(at, negative)| {
        json!({
            "evaluation_id": case.pull.evaluation_id(),
            "generated_comment_index": case.task.comments[at].number,
            "negative_index": negative,
        })
    })
}

fn write_judgements(file: &mut dyn Write, case: &Case) -> io::Result<()> {
    let mut pairs: Vec<_> = case.judgements.iter().collect();
    pairs.sort_by_key(|(pair, _)| **pair);
    for ((comment, reference), judgement) in pairs {
        let line = json!({
            "evaluation_id": case.pull.evaluation_id(),
            "generated_comment_index": case.task.comments[*comment as usize].number,
            "reference_index": case.task.references[*reference as usize].index,
            "verdict": format!("{:?}", judgement.verdict).to_lowercase(),
            "confidence": judgement.confidence,
            "reason": judgement.reason,
            "tokens": judgement.tokens,
            "latency_ms": judgement.latency.as_millis() as u64,
            "known": judgement.cached,
            "calls": judgement.calls,
        });
        writeln!(file, "{line}")?;
    }
    Ok(())
}
