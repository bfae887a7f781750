//! One pull request in `evaluation_results.json`: the document's keys, in its order.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::evaluation::{Case, Skip};
use super::rate::rounded;
use crate::config::{Config, Echo};
use crate::filter::Filter;
use crate::matching::location::compare;
use crate::matching::sequential::Found;
use crate::params::Profile;
use crate::read::comment::Place;

/// The document's words for what a filter leaves out.
pub(crate) const FILTERED: &str = "PR does not match filter criteria";

/// A pull request that was evaluated, or why it was not.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Row<'c> {
    Evaluated(Box<Evaluated<'c>>),
    Skipped(Skipped<'c>),
}

#[derive(Serialize)]
pub(crate) struct Skipped<'c> {
    github_pr_url: &'c str,
    evaluation_id: String,
    skipped: bool,
    skip_reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter_config: Option<PullFilter<'c>>,
}

#[derive(Serialize)]
struct PullFilter<'c> {
    pr_categories: &'c Option<Vec<String>>,
    project_languages: &'c Option<Vec<String>>,
}

#[derive(Serialize)]
pub(crate) struct Evaluated<'c> {
    github_pr_url: &'c str,
    owner: &'c str,
    repo: &'c str,
    pr_number: &'c str,
    evaluation_id: String,
    config: Echo,
    positive_expected_nums: usize,
    total_generated_nums: usize,
    positive_match_nums: usize,
    positive_line_match_nums: usize,
    unmatched_nums: usize,
    positive_match_rate: f64,
    positive_recall_rate: f64,
    positive_line_match_rate: f64,
    positive_line_recall_rate: f64,
    unmatched_rate: f64,
    match_details: MatchDetails<'c>,
    matched_reference_comments: Vec<MatchedReference<'c>>,
    llm_comparisons: Vec<Comparison<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filter_config: Option<&'c Filter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    original_good_comments_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    filtered_good_comments_count: Option<usize>,
}

/// What became of each comment; made one by one while it is written, since there may be very many.
struct MatchDetails<'c> {
    case: &'c Case,
    config: &'c Config,
}

impl Serialize for MatchDetails<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let comments = 0..self.case.task.comments.len();
        serializer.collect_seq(comments.map(|comment| MatchDetail::of(self.case, self.config, comment)))
    }
}

#[derive(Serialize)]
struct MatchDetail<'c> {
    generated_comment_index: usize,
    generated_comment: &'c str,
    generated_location: &'c Place,
    line_match: bool,
    semantic_match: bool,
    matched_reference_id: Value,
    matched_reference_note: Option<&'c str>,
    matched_reference_location: Option<&'c Place>,
    matched_reference_details: Map<String, Value>,
    /// Empty where nothing matched.
    location_match_details: Value,
    llm_comparison: Option<Said<'c>>,
}

#[derive(Serialize)]
struct Said<'c> {
    is_similar: bool,
    reason: &'c str,
    raw_response: &'c str,
}

#[derive(Serialize)]
struct MatchedReference<'c> {
    reference_comment_id: Value,
    reference_note: &'c str,
    reference_location: &'c Place,
    reference_details: &'c Map<String, Value>,
    matched_by_generated_index: usize,
    matched_by_generated_note: &'c str,
}

#[derive(Serialize)]
struct Comparison<'c> {
    generated_comment_index: usize,
    generated_note: &'c str,
    reference_comment_id: Value,
    reference_note: &'c str,
    is_similar: bool,
    llm_response: &'c str,
}

impl<'c> Row<'c> {
    /// The row of a pull request.
    pub(crate) fn of(case: &'c Case, config: &'c Config) -> Self {
        match case.skipped {
            Some(Skip::Filtered) => Self::Skipped(Skipped::of(case, FILTERED, Some(&config.filter))),
            Some(Skip::Silent) if case.file.is_some() => {
                Self::Skipped(Skipped::of(case, "no comment in its file", None))
            }
            Some(Skip::Silent) => Self::Skipped(Skipped::of(case, "no comment file", None)),
            None => Self::Evaluated(Box::new(Evaluated::of(case, config))),
        }
    }
}

impl<'c> Skipped<'c> {
    fn of(case: &'c Case, skip_reason: &'static str, filter: Option<&'c Filter>) -> Self {
        let pulls = |filter: &'c Filter| PullFilter {
            pr_categories: &filter.pr_categories,
            project_languages: &filter.project_languages,
        };
        Self {
            github_pr_url: &case.pull.url,
            evaluation_id: case.pull.evaluation_id(),
            skipped: true,
            skip_reason,
            filter_config: filter.map(pulls),
        }
    }
}

impl<'c> Evaluated<'c> {
    fn of(case: &'c Case, config: &'c Config) -> Self {
        let (expected, generated) = (case.task.expected(), case.task.comments.len());
        let (matches, lines) = (case.matches(), case.line_matches());
        let unmatched = if config.by_meaning() { generated - matches } else { 0 };
        let filtered = config.filter.is_given();
        Self {
            github_pr_url: &case.pull.url,
            owner: &case.pull.owner,
            repo: &case.pull.repo,
            pr_number: &case.pull.number,
            evaluation_id: case.pull.evaluation_id(),
            config: config.echo(),
            positive_expected_nums: expected,
            total_generated_nums: generated,
            positive_match_nums: matches,
            positive_line_match_nums: lines,
            unmatched_nums: unmatched,
            positive_match_rate: rounded(matches, generated, 3),
            positive_recall_rate: rounded(matches, expected, 3),
            positive_line_match_rate: rounded(lines, generated, 3),
            positive_line_recall_rate: rounded(lines, expected, 3),
            unmatched_rate: rounded(unmatched, generated, 3),
            match_details: MatchDetails { case, config },
            matched_reference_comments: meant(case)
                .map(|(at, one)| MatchedReference::of(case, config, at, one))
                .collect(),
            llm_comparisons: meant(case).map(|(at, one)| Comparison::of(case, config, at, one)).collect(),
            filter_config: filtered.then_some(&config.filter),
            original_good_comments_count: filtered.then_some(case.references.0),
            filtered_good_comments_count: filtered.then_some(case.references.1),
        }
    }
}

/// The comments that mean the same as a reference, with it.
fn meant(case: &Case) -> impl Iterator<Item = (usize, u32)> {
    let found = case.found.iter().enumerate().filter(|(_, found)| found.meaning);
    found.filter_map(|(at, found)| Some((at, found.reference?)))
}

/// What a reference is called in results; the published evaluator knows those names only that the file gives.
fn name(case: &Case, config: &Config, reference: u32) -> Value {
    let reference = &case.task.references[reference as usize];
    if config.profile == Profile::Upstream { reference.id.clone().unwrap_or_default() } else { reference.name() }
}

/// What the judge said of a pair that is the same: the reason, and the whole answer, which is the reason where none is known.
fn said(case: &Case, comment: usize, reference: u32) -> Said<'_> {
    let judgement = case.judgements.get(&(comment as u32, reference));
    let reason = judgement.and_then(|judgement| judgement.reason.as_deref()).unwrap_or("yes");
    let raw = judgement.and_then(|judgement| judgement.raw.as_deref());
    Said { is_similar: true, reason, raw_response: raw.unwrap_or(reason) }
}

impl<'c> MatchDetail<'c> {
    fn of(case: &'c Case, config: &Config, at: usize) -> Self {
        let (comment, Found { line, meaning, reference }) = (&case.task.comments[at], case.found[at]);
        let matched = reference.map(|reference| &case.task.references[reference as usize]);
        Self {
            generated_comment_index: comment.number,
            generated_comment: &comment.note,
            generated_location: &comment.place,
            line_match: line,
            semantic_match: meaning,
            matched_reference_id: reference.map(|reference| name(case, config, reference)).unwrap_or_default(),
            matched_reference_note: matched.map(|matched| matched.note.as_str()),
            matched_reference_location: matched.map(|matched| &matched.place),
            matched_reference_details: matched.map(|matched| matched.details.clone()).unwrap_or_default(),
            location_match_details: matched
                .map(|matched| compare(config.rule, &comment.place, &matched.place, config.line_distance))
                .map_or_else(|| json!({}), |agreement| json!(agreement)),
            llm_comparison: reference.filter(|_| meaning).map(|reference| said(case, at, reference)),
        }
    }
}

impl<'c> MatchedReference<'c> {
    fn of(case: &'c Case, config: &Config, at: usize, reference: u32) -> Self {
        let (comment, matched) = (&case.task.comments[at], &case.task.references[reference as usize]);
        Self {
            reference_comment_id: name(case, config, reference),
            reference_note: &matched.note,
            reference_location: &matched.place,
            reference_details: &matched.details,
            matched_by_generated_index: comment.number,
            matched_by_generated_note: &comment.note,
        }
    }
}

impl<'c> Comparison<'c> {
    fn of(case: &'c Case, config: &Config, at: usize, reference: u32) -> Self {
        let (comment, matched) = (&case.task.comments[at], &case.task.references[reference as usize]);
        Self {
            generated_comment_index: comment.number,
            generated_note: &comment.note,
            reference_comment_id: name(case, config, reference),
            reference_note: &matched.note,
            is_similar: true,
            llm_response: said(case, at, reference).raw_response,
        }
    }
}
