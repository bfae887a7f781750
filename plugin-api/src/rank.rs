//! Grades: a score becomes A, B, C or D, and passes or does not.

use serde::{Deserialize, Serialize};

use crate::outcome::Direction;
use crate::params::ParamType;
use crate::text::Text;

/// The three borders between the grades, best first: `[A, B, C]`; beyond the last is D.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Ranking(pub [f64; 3]);

impl Ranking {
    /// The grade of a score. A score on a border has the better grade.
    pub fn rank(&self, score: f64, direction: Direction) -> &'static str {
        let reached = |border: &f64| passes(score, *border, direction);
        match self.0.iter().position(reached) {
            Some(0) => "A",
            Some(1) => "B",
            Some(_) => "C",
            None => "D",
        }
    }
}

impl ParamType for Ranking {
    const SCHEMA: Text = Text::Raw(r#""type":"array","items":{"type":"number"},"minItems":3,"maxItems":3"#);
}

/// Whether a score reaches a threshold; being on it is enough.
pub fn passes(score: f64, threshold: f64, direction: Direction) -> bool {
    match direction {
        Direction::Higher => score >= threshold,
        Direction::Lower => score <= threshold,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_on_a_border_has_the_better_grade() {
        let higher = Ranking([0.9, 0.8, 0.7]);
        let grades = [1.0, 0.9, 0.89, 0.8, 0.7, 0.69].map(|score| higher.rank(score, Direction::Higher));
        assert_eq!(grades, ["A", "A", "B", "B", "C", "D"]);
        let lower = Ranking([0.1, 0.3, 0.5]);
        let grades = [0.0, 0.1, 0.2, 0.5, 0.51].map(|score| lower.rank(score, Direction::Lower));
        assert_eq!(grades, ["A", "A", "B", "C", "D"]);
    }
}
