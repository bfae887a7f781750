//! The configuration of a run: the parameters, checked, with presets and profiles resolved.

use std::path::{Path, PathBuf};
use std::time::Duration;

use autoscorer_judge::{JudgeError, Settings};
use autoscorer_plugin_api::prelude::*;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::filter::Filter;
use crate::matching::batch::Asked;
use crate::matching::location::Rule;
use crate::matching::task::Identity;
use crate::meaning::{lexical, vectors};
use crate::params::{LocationRule, MatcherName, Preset, Profile, ReviewParams};

/// What tells whether two comments mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Matcher {
    Llm,
    Embedding,
    Lexical,
    None,
}

impl Matcher {
    /// As it is written in parameters and results.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Llm => "llm",
            Self::Embedding => "embedding",
            Self::Lexical => "lexical",
            Self::None => "none",
        }
    }

    /// Whether somebody can be asked. Where verdicts are remembered, the model's name may be enough.
    fn check_settings(self, judge: &Settings) -> Result<(), JudgeError> {
        match self {
            Self::Llm if judge.remembers() => judge.need_model().map(|_| ()),
            Self::Llm => judge.need_llm().map(|_| ()),
            Self::Embedding => judge.need_embedding().map(|_| ()),
            Self::Lexical | Self::None => Ok(()),
        }
    }
}

/// How a run is made.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) profile: Profile,
    pub(crate) matcher: Matcher,
    pub(crate) rule: Rule,
    pub(crate) line_distance: u64,
    pub(crate) filter: Filter,
    /// From which similarity on notes are the same, for the matchers that measure one.
    pub(crate) similarity: f64,
    /// Whom to ask and how.
    pub(crate) judge: Settings,
    /// What settings are wanting, where the matcher was chosen for that.
    pub(crate) fell_back: Option<String>,
}

impl Config {
    /// Checks the parameters; all faults are found in one go.
    pub(crate) fn of(params: &ReviewParams, workspace: &Path) -> Result<Self, Faults> {
        let mut faults = Faults::none();
        let filter = faults.absorb(Filter::of(params)).unwrap_or_default();
        if params.preset == Preset::WithFilter && !filter.is_given() {
            faults.push(wrong("preset", "\"with_filter\" without any filter", "pr_categories or another filter"));
        }
        if params.threshold.is_some_and(|threshold| !(0.0..=1.0).contains(&threshold)) {
            faults.push(wrong("threshold", "a similarity that cannot be", "a number from 0 to 1"));
        }
        if !(params.call_timeout > 0.0 && params.call_timeout < 1e6) {
            faults.push(wrong("call_timeout", "a time that cannot be", "a number of seconds above 0"));
        }
        if params.concurrency == 0 {
            faults.push(wrong("concurrency", "no call could ever be made", "at least 1"));
        }
        if params.votes.is_multiple_of(2) {
            let what = format!("{} votes can be without a majority", params.votes);
            faults.push(wrong("votes", &what, "an odd number"));
        }
        let agrees = faults.absorb(agreement(params)).is_some();
        let judge = faults.absorb(settings(params, workspace));
        // Of settings that are wrong nothing more can be said, nor of those of a matcher that nobody is sure to want.
        if let Some(judge) = judge.as_ref().filter(|_| agrees && !params.dry_run) {
            faults.absorb(Self::matcher(params, judge).check_settings(judge).map_err(missing));
        }
        faults.into_result()?;
        let judge = judge.unwrap_or_default();
        let matcher = Self::matcher(params, &judge);
        let fell_back = params.semantic_matcher_type == MatcherName::Auto && matcher == Matcher::Lexical;
        Ok(Self {
            profile: params.profile,
            matcher,
            rule: rule(params),
            line_distance: params.line_distance_threshold,
            filter,
            similarity: params.threshold.unwrap_or(default_similarity(matcher)),
            fell_back: fell_back.then(|| wanting(&judge)),
            judge,
        })
    }

    fn matcher(params: &ReviewParams, judge: &Settings) -> Matcher {
        if !params.enable_semantic_match || params.preset == Preset::LocationOnly {
            return Matcher::None;
        }
        let name =
            if params.preset == Preset::Embedding { MatcherName::Embedding } else { params.semantic_matcher_type };
        match name {
            MatcherName::Llm => Matcher::Llm,
            // The published evaluator asks its language model in either case.
            MatcherName::Embedding if params.profile == Profile::Upstream => Matcher::Llm,
            MatcherName::Embedding => Matcher::Embedding,
            MatcherName::Lexical => Matcher::Lexical,
            MatcherName::None => Matcher::None,
            MatcherName::Auto if judge.llm.is_some() => Matcher::Llm,
            MatcherName::Auto => Matcher::Lexical,
        }
    }

    /// Whether meaning counts.
    pub(crate) fn by_meaning(&self) -> bool {
        self.matcher != Matcher::None
    }

    /// What makes references the same.
    pub(crate) fn identity(&self) -> Identity {
        if self.profile == Profile::Upstream { Identity::Id } else { Identity::Index }
    }

    /// Which pairs are judged.
    pub(crate) fn asked(&self) -> Asked {
        if self.profile == Profile::Strict { Asked::All } else { Asked::InTurn }
    }

    /// What a later run of the same workspace has to be told to be the same: the matcher, and the model that it asks.
    pub(crate) fn chosen(&self) -> Map<String, Value> {
        let matcher = ("semantic_matcher_type".to_owned(), self.matcher.name().into());
        let model = self.judge.model().filter(|_| self.matcher == Matcher::Llm);
        let model = model.map(|model| ("llm_model".to_owned(), model.into()));
        [matcher].into_iter().chain(model).collect()
    }

    /// The document's echo of the configuration.
    pub(crate) fn echo(&self) -> Echo {
        Echo {
            line_distance_threshold: self.line_distance,
            semantic_matcher_type: self.matcher,
            enable_semantic_match: self.by_meaning(),
        }
    }
}

/// The configuration as every result of a pull request repeats it.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Echo {
    line_distance_threshold: u64,
    semantic_matcher_type: Matcher,
    enable_semantic_match: bool,
}

/// A preset and a matcher that was asked for have to agree: whichever went first, the other would be ignored silently.
fn agreement(params: &ReviewParams) -> Result<(), ScoreError> {
    let fits = |matcher| match params.preset {
        Preset::None | Preset::WithFilter => true,
        Preset::LocationOnly => matcher == MatcherName::None,
        // The published evaluator's vectors are its language model, which is what its workspace remembers.
        Preset::Embedding if params.profile == Profile::Upstream && matcher == MatcherName::Llm => true,
        Preset::Embedding => matcher == MatcherName::Embedding,
    };
    let other = match params.semantic_matcher_type {
        _ if params.preset == Preset::Embedding && !params.enable_semantic_match => {
            "params.enable_semantic_match false".to_owned()
        }
        MatcherName::Auto => return Ok(()),
        matcher if fits(matcher) => return Ok(()),
        matcher => format!("params.semantic_matcher_type {}", json!(matcher)),
    };
    let what = format!("{} contradicts {other}", json!(params.preset));
    Err(wrong("preset", &what, "one of the two, or both the same"))
}

/// Why no language model is asked: an address or a model that stands alone was hardly meant to.
fn wanting(judge: &Settings) -> String {
    match judge.half_llm() {
        Some([there, absent]) => format!("{there} is set, {absent} is not"),
        None => "no language model is configured (LLM_MODEL_URL, LLM_MODEL)".to_owned(),
    }
}

fn rule(params: &ReviewParams) -> Rule {
    match (params.location_rule, params.profile) {
        (LocationRule::Document, _) => Rule::Document,
        (LocationRule::Normalised, _) | (LocationRule::Profile, Profile::Strict) => Rule::Normalised,
        (LocationRule::Profile, _) => Rule::Document,
    }
}

fn default_similarity(matcher: Matcher) -> f64 {
    if matcher == Matcher::Embedding { vectors::THRESHOLD } else { lexical::THRESHOLD }
}

fn settings(params: &ReviewParams, workspace: &Path) -> Result<Settings, ScoreError> {
    let named = params.env_file.as_ref().map(PathBuf::from);
    let file = named.or_else(|| Some(PathBuf::from(".env")).filter(|file| file.is_file()));
    let settings = Settings::from_env(file.as_deref(), params.llm_model.as_deref()).map_err(missing)?;
    Ok(Settings {
        concurrency: params.concurrency,
        votes: u32::try_from(params.votes).unwrap_or(u32::MAX),
        timeout: Duration::try_from_secs_f64(params.call_timeout).unwrap_or(settings.timeout),
        retries: u32::try_from(params.retries).unwrap_or(u32::MAX),
        cache: (!params.cache.is_empty()).then(|| workspace.join(&params.cache)),
        ..settings
    })
}

/// Settings that are absent or wrong.
pub(crate) fn missing(error: JudgeError) -> ScoreError {
    ScoreError::new(ErrorCode::InvalidParams, error.to_string()).hint(
        "or use params.semantic_matcher_type \"lexical\", an offline estimate, or \"none\" to compare places only",
    )
}

fn wrong(key: &str, what: &str, expected: &str) -> ScoreError {
    ScoreError::new(ErrorCode::InvalidParams, format!("params.{key}: {what}")).expected(expected).detail("key", key)
}
