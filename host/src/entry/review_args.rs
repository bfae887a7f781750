//! The arguments of `review`, and the parameters of the scorer that they are short for.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Map, Value, json};

use super::cli::JobArgs;
use super::gate_args::GateArgs;

/// How parameters that errors speak of are given on the command line.
pub const FLAGS: [(&str, &str); 14] = [
    ("pr_url", "--pr-url"),
    ("semantic_matcher_type", "--matcher"),
    ("threshold", "--threshold"),
    ("pr_categories", "--pr-category"),
    ("project_languages", "--language"),
    ("comment_categories", "--category"),
    ("comment_contexts", "--context"),
    ("concurrency", "--concurrency"),
    ("votes", "--votes"),
    ("cache", "--cache"),
    ("env_file", "--env-file"),
    ("allow_errors", "--allow-errors"),
    ("call_timeout", "-p call_timeout"),
    ("preset", "-p preset"),
];

/// `review`
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// Folder of comment files, comments_{repo}_{number}.txt each, or one such file
    #[arg(long, value_name = "DIR|FILE")]
    pub comments: PathBuf,

    /// Reference comments: positive_samples.json, or JSON lines
    #[arg(long, value_name = "FILE")]
    pub references: PathBuf,

    /// Folder for the workspace, its result and the report
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,

    /// Comments known to be wrong, in the format of the references; repeating one is a false alarm
    #[arg(long, value_name = "FILE")]
    pub negatives: Option<PathBuf>,

    /// JSON object from comment file to pull request, for names that do not tell
    #[arg(long, value_name = "FILE")]
    pub manifest: Option<PathBuf>,

    /// The pull request of the only comment file
    #[arg(long, value_name = "URL")]
    pub pr_url: Option<String>,

    /// How comments are matched
    #[arg(long, value_name = "PROFILE", value_parser = ["corrected", "upstream", "strict"])]
    pub profile: Option<String>,

    /// What tells whether two comments mean the same [default: llm where one is configured, else lexical]
    #[arg(long, value_name = "MATCHER", value_parser = ["llm", "embedding", "lexical", "none"])]
    pub matcher: Option<String>,

    /// How many lines a comment may be away from its reference [default: 1]
    #[arg(long, value_name = "N", value_parser = crate::job::count_or_none_of_text::<u64>)]
    pub line_distance: Option<u64>,

    /// From which similarity on comments are the same, for lexical and embedding
    #[arg(long, value_name = "NUMBER")]
    pub threshold: Option<f64>,

    /// Only pull requests of this category (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub pr_category: Vec<String>,

    /// Only pull requests of projects in this language (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub language: Vec<String>,

    /// Only references of this category (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub category: Vec<String>,

    /// Only references that need this context (repeatable)
    #[arg(long, value_name = "NAME", help_heading = "Filters")]
    pub context: Vec<String>,

    /// Calls in flight, at most [default: 16]
    #[arg(long, value_name = "N", help_heading = "Judge")]
    pub concurrency: Option<usize>,

    /// Votes on each pair, an odd number [default: 1]
    #[arg(long, value_name = "N", help_heading = "Judge")]
    pub votes: Option<u64>,

    /// Folder that remembers verdicts [default: in the workspace]
    #[arg(long, value_name = "DIR", help_heading = "Judge")]
    pub cache: Option<PathBuf>,

    /// File with LLM_MODEL_URL, LLM_MODEL, LLM_API_KEY and the like [default: .env, if it is there]
    #[arg(long, value_name = "FILE", help_heading = "Judge")]
    pub env_file: Option<PathBuf>,

    /// Give a score although some pairs could not be judged, as if those were no matches
    #[arg(long, help_heading = "Judge")]
    pub allow_errors: bool,

    /// Tell how many pairs, calls and tokens it would take; ask nobody, write nothing
    #[arg(long, conflicts_with = "baseline")]
    pub dry_run: bool,

    /// Tell how far it is in lines on stderr, also where that is no terminal
    #[arg(long)]
    pub progress: bool,

    /// Further parameters and limits.
    #[command(flatten)]
    pub job: JobArgs,

    /// Print one JSON document
    #[arg(long)]
    pub json: bool,

    /// When the score is not good enough.
    #[command(flatten)]
    pub gate: GateArgs,
}

impl ReviewArgs {
    /// The scorer's parameters: only those that were given, so that its defaults hold.
    pub fn params(&self) -> Map<String, Value> {
        let words = |words: &Vec<String>| (!words.is_empty()).then(|| json!(words));
        let path = |path: &Option<PathBuf>| path.as_deref().map(|path| json!(absolute(path)));
        let flag = |given: bool| given.then(|| json!(true));
        let given = [
            ("pr_url", self.pr_url.as_ref().map(|url| json!(url))),
            ("profile", self.profile.as_ref().map(|profile| json!(profile))),
            ("semantic_matcher_type", self.matcher.as_ref().map(|matcher| json!(matcher))),
            ("line_distance_threshold", self.line_distance.map(|lines| json!(lines))),
            ("threshold", self.threshold.map(|threshold| json!(threshold))),
            ("pr_categories", words(&self.pr_category)),
            ("project_languages", words(&self.language)),
            ("comment_categories", words(&self.category)),
            ("comment_contexts", words(&self.context)),
            ("concurrency", self.concurrency.map(|calls| json!(calls))),
            ("votes", self.votes.map(|votes| json!(votes))),
            ("cache", path(&self.cache)),
            ("env_file", path(&self.env_file)),
            ("allow_errors", flag(self.allow_errors)),
            ("dry_run", flag(self.dry_run)),
        ];
        given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect()
    }
}

/// The scorer may run elsewhere.
pub fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
}
