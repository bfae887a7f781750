//! What a scorer gives back when it succeeded; the host makes `result.json` of it.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{ErrorCode, ScoreError};

/// Whether more or less of the primary metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// A score with its metrics, artifacts and warnings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The one number, and how to read it.
    pub summary: Summary,
    /// Flat name -> number, in the order the scorer gave them.
    pub metrics: IndexMap<String, f64>,
    /// Files written through [`Context::artifact`](crate::context::Context::artifact).
    #[serde(default)]
    pub artifacts: IndexMap<String, Artifact>,
    /// What the reader of the score should know.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Structured values that do not fit a flat name, such as a table per class.
    #[serde(default)]
    pub details: Map<String, Value>,
}

/// The one number, and how to read it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The primary metric's value.
    pub score: f64,
    /// The primary metric's name.
    pub primary_metric: String,
    /// Whether more or less is better.
    pub direction: Direction,
    /// The grade, where the scorer gives one.
    #[serde(default)]
    pub rank: Option<String>,
    /// Whether the score is good enough, where the scorer says so.
    #[serde(default)]
    pub pass: Option<bool>,
}

/// A file that a scorer wrote beside its score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// Relative to the workspace.
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// Of the whole content, in hexadecimal.
    pub sha256: String,
    /// As in HTTP, such as `text/csv`.
    pub content_type: String,
}

/// Something the reader of the score should know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// For machines, in the style of the error codes.
    pub code: String,
    /// For people.
    pub message: String,
}

impl Outcome {
    /// An outcome whose score is this metric; the metric is listed as well.
    pub fn new(primary_metric: &str, score: f64, direction: Direction) -> Self {
        Self {
            summary: Summary { score, primary_metric: primary_metric.to_owned(), direction, rank: None, pass: None },
            metrics: IndexMap::from([(primary_metric.to_owned(), score)]),
            artifacts: IndexMap::new(),
            warnings: Vec::new(),
            details: Map::new(),
        }
    }

    /// Adds a metric. The first of two with the same name stays, and the second becomes a warning:
    /// a label called `macro` must not replace `f1_macro`.
    pub fn metric(&mut self, name: impl Into<String>, value: f64) -> &mut Self {
        let name = name.into();
        if self.metrics.contains_key(&name) {
            let message = format!("a second value for the metric '{name}' was left out; it is in the details");
            return self.warn("METRIC_NAME_TAKEN", message);
        }
        self.metrics.insert(name, value);
        self
    }

    /// Sets the grade and whether it passes.
    pub fn graded(&mut self, rank: &str, pass: bool) -> &mut Self {
        self.summary.rank = Some(rank.to_owned());
        self.summary.pass = Some(pass);
        self
    }

    /// Adds a warning.
    pub fn warn(&mut self, code: &str, message: impl Into<String>) -> &mut Self {
        self.warnings.push(Warning { code: code.to_owned(), message: message.into() });
        self
    }

    /// Adds a structured value.
    pub fn detail(&mut self, key: &str, value: impl Into<Value>) -> &mut Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// The outcome, unless one of its numbers is none: NaN and infinities are failures, not scores.
    pub fn checked(self) -> Result<Self, ScoreError> {
        let primary = (&self.summary.primary_metric, &self.summary.score);
        let infinite = self.metrics.iter().chain([primary]).find(|(_, value)| !value.is_finite());
        match infinite {
            None => Ok(self),
            Some((name, value)) => Err(ScoreError::new(
                ErrorCode::ScoreError,
                format!("the metric '{name}' is {value}, which is no score"),
            )
            .hint("an input may be so large that a sum overflows; a scorer leaves out a metric that is undefined")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_two_metrics_with_one_name_stays() {
        let mut outcome = Outcome::new("f1_macro", 0.5, Direction::Higher);
        outcome.metric("f1_macro", 0.9).metric("f1_cat", 0.7);
        assert_eq!(outcome.metrics["f1_macro"], 0.5);
        assert_eq!(outcome.metrics["f1_cat"], 0.7);
        assert_eq!(outcome.warnings[0].code, "METRIC_NAME_TAKEN");
    }

    #[test]
    fn a_number_that_is_none_is_an_error() {
        for value in [f64::NAN, f64::INFINITY] {
            let mut outcome = Outcome::new("m", 1.0, Direction::Lower);
            outcome.metric("odd", value);
            assert_eq!(outcome.checked().unwrap_err().code, ErrorCode::ScoreError);
            assert!(Outcome::new("m", value, Direction::Lower).checked().is_err());
        }
    }
}
