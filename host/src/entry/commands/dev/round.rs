//! A round: what one save has come to.

use autoscorer_plugin_api::error::ScoreError;
use serde::Serialize;

use crate::entry::print;
use crate::telemetry::time;

/// How a round ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// With a score.
    Scored,
    /// There is no library.
    BuildFailed,
    /// The host refused the library.
    Refused,
    /// The scorer gave an error, panicked or crashed.
    ScoreFailed,
}

/// What one save has come to.
#[derive(Debug, Serialize)]
pub struct Round {
    /// Counts from 1.
    pub round: u64,
    /// How it ended.
    pub status: Status,
    /// The primary metric's name.
    pub metric: Option<String>,
    /// Its value.
    pub score: Option<f64>,
    /// Its change against the last score.
    pub change: Option<f64>,
    /// Whether a second run gave the same.
    pub deterministic: Option<bool>,
    /// Why there is no library, in a few words.
    pub problem: Option<&'static str>,
    /// The compiler's errors, or cargo's, in their own words.
    pub compiler: Vec<String>,
    /// What the scorer logged and printed.
    pub log: Vec<String>,
    /// Why there is no score.
    pub error: Option<ScoreError>,
    /// What to do next.
    pub hints: Vec<String>,
    /// How long cargo took, in seconds.
    pub build_time: f64,
    /// When it ended.
    pub timestamp: String,
}

impl Round {
    /// A round of which nothing is known but how it ended.
    pub fn new(round: u64, status: Status, build_time: f64) -> Self {
        Self {
            round,
            status,
            metric: None,
            score: None,
            change: None,
            deterministic: None,
            problem: None,
            compiler: Vec::new(),
            log: Vec::new(),
            error: None,
            hints: Vec::new(),
            build_time,
            timestamp: time::now(),
        }
    }

    /// Prints it, for people or for machines.
    pub fn show(&self, jsonl: bool) {
        if jsonl {
            return print::out(serde_json::to_string(self).unwrap_or_default());
        }
        let built = print::seconds(self.build_time);
        match (&self.metric, self.score) {
            (Some(metric), Some(score)) => {
                let change = match self.change {
                    Some(change) if change != 0.0 => format!("  ({change:+.6})"),
                    Some(_) => "  (unchanged)".to_owned(),
                    None => String::new(),
                };
                print::out(format!("[{}] {metric} {}{change}  built in {built}", self.round, print::number(score)));
            }
            _ => print::out(format!("[{}] {}", self.round, self.failure())),
        }
        for hint in &self.hints {
            print::out(format!("    help: {}", print::visible(hint)));
        }
    }

    fn failure(&self) -> String {
        match &self.error {
            Some(error) => print::explain(error, None),
            None => [self.problem.unwrap_or_default()]
                .into_iter()
                .chain(self.compiler.iter().map(String::as_str))
                .collect::<Vec<_>>()
                .join("\n"),
        }
    }
}
