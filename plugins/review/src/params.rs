//! What `review_match` can be told.

use autoscorer_plugin_api::params::ParamType;
use autoscorer_plugin_api::prelude::*;
use autoscorer_plugin_api::text::Text;
use serde::{Deserialize, Serialize};

params! {
    /// What `review_match` can be told.
    pub(crate) struct ReviewParams {
        /// How comments are matched: "corrected" (in turn, each reference once), "upstream" (as the published evaluator does), "strict" (one to one, places normalised).
        profile: Profile = "corrected",
        /// What tells whether two comments mean the same: "llm", "embedding", "lexical" (offline, an estimate), "none"; "auto" is "llm" where one is configured, else "lexical".
        semantic_matcher_type: MatcherName = "auto",
        /// The language model's name; LLM_MODEL, if it is not given. Verdicts that are remembered need no other setting.
        llm_model: Option<String> = null,
        /// A shorthand: "embedding", "location_only", or "with_filter", which needs a filter.
        preset: Preset = "none",
        /// How many lines a comment may be away from its reference; 0 means that they share a line.
        line_distance_threshold: u64 = 1,
        /// Whether meaning counts; without it only places are compared.
        enable_semantic_match: bool = true,
        /// How places are compared: as the "profile" does, as the "document" does, or "normalised".
        location_rule: LocationRule = "profile",
        /// Only pull requests of these categories.
        pr_categories: Vec<String> = [],
        /// Only pull requests of projects in these languages.
        project_languages: Vec<String> = [],
        /// Only references of these categories.
        comment_categories: Vec<String> = [],
        /// Only references that need this much context.
        comment_contexts: Vec<String> = [],
        /// The pull request of the only comment file, where its name does not tell.
        pr_url: Option<String> = null,
        /// From which similarity on two comments are the same, for "lexical" (0.118) and "embedding" (0.8).
        threshold: Option<f64> = null,
        /// Calls in flight, at most.
        concurrency: usize = 16,
        /// Votes on each pair, an odd number; the majority decides.
        votes: u64 = 1,
        /// Seconds a call may take.
        call_timeout: f64 = 60,
        /// How often a call that failed is made again; twice as often while the server answers others.
        retries: u64 = 5,
        /// Folder that remembers verdicts, relative to the workspace; "" remembers none.
        cache: String = "output/.verdicts",
        /// File with LLM_MODEL_URL and the like, where the environment does not have them; ".env" of the current folder, if it is there.
        env_file: Option<String> = null,
        /// Give a score although some pairs could not be judged; coverage tells how many could.
        allow_errors: bool = false,
        /// Count pairs, calls and tokens; ask nobody.
        dry_run: bool = false,
        /// How often pull requests are drawn anew for the confidence intervals; 0 for none.
        resamples: usize = 1000,
        /// The seed of these draws.
        seed: u64 = 1,
        /// So many characters of a note are shown to a judge.
        max_note_chars: usize = 20000,
    }
}

/// How comments are matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Profile {
    Corrected,
    Upstream,
    Strict,
}

impl ParamType for Profile {
    const SCHEMA: Text = Text::Raw(r#""enum":["corrected","upstream","strict"]"#);
}

/// What tells whether two comments mean the same, as it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum MatcherName {
    Auto,
    Llm,
    Embedding,
    Lexical,
    None,
}

impl ParamType for MatcherName {
    const SCHEMA: Text = Text::Raw(r#""enum":["auto","llm","embedding","lexical","none"]"#);
}

/// The document's shorthands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Preset {
    None,
    Embedding,
    LocationOnly,
    WithFilter,
}

impl ParamType for Preset {
    const SCHEMA: Text = Text::Raw(r#""enum":["none","embedding","location_only","with_filter"]"#);
}

/// How places are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LocationRule {
    Profile,
    Document,
    Normalised,
}

impl ParamType for LocationRule {
    const SCHEMA: Text = Text::Raw(r#""enum":["profile","document","normalised"]"#);
}
