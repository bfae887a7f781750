//! A score with its name and its direction: what two results are ranked by.

use autoscorer_plugin_api::outcome::Direction;
use serde_json::{Map, Value};

/// The one number of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Scoreline {
    /// The primary metric.
    pub metric: String,
    /// Its value.
    pub score: f64,
    /// Whether more or less is better.
    pub direction: Direction,
}

impl Scoreline {
    /// The score in a summary; that of a failure has none.
    pub fn of(summary: &Map<String, Value>) -> Option<Self> {
        let direction = serde_json::from_value(summary.get("direction")?.clone()).ok()?;
        let metric = summary.get("primary_metric")?.as_str()?.to_owned();
        Some(Self { metric, score: summary.get("score")?.as_f64()?, direction })
    }

    /// By how much this one is worse than another; below 0 where it is better.
    pub fn worse_by(&self, other: &Self) -> f64 {
        match self.direction {
            Direction::Higher => other.score - self.score,
            Direction::Lower => self.score - other.score,
        }
    }
}
