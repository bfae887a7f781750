//! The mean absolute error of numbers in two CSV files.

use autoscorer_plugin_api::prelude::*;
use autoscorer_plugin_api::rank::passes;

/// The mean absolute error.
struct MyScorer;

params! {
    /// What the scorer can be told, in `meta.json` or with `-p key=value`.
    struct MyParams {
        /// The column with the number.
        column: String = "value",
        /// The largest error that passes.
        pass_threshold: f64 = 0.5,
    }
}

impl Scorer for MyScorer {
    const ABOUT: About = About {
        id: "my_scorer",
        version: "0.1.0",
        summary: "Mean absolute error of a column of numbers",
        algorithm: "Mean absolute error",
    };
    type Params = MyParams;

    fn validate(&self, ctx: &Context<'_>, params: &MyParams) -> Faults {
        self.score(ctx, params).err().map_or_else(Faults::none, Faults::from)
    }

    fn score(&self, ctx: &Context<'_>, params: &MyParams) -> Result<Outcome, ScoreError> {
        let gt = ctx.table("input/gt.csv", "id", &[&params.column])?;
        let pred = ctx.table("output/pred.csv", "id", &[&params.column])?;
        let rows = join(&gt, &pred)?;
        let (truth, guess) = (gt.numbers(0)?, pred.numbers(0)?);
        let sum: f64 = truth.iter().zip(&rows).map(|(value, row)| (value - guess[*row]).abs()).sum();
        let error = sum / rows.len() as f64;

        let mut outcome = Outcome::new("mae", error, Direction::Lower);
        let grades = Ranking([0.1, 0.3, 0.5]);
        outcome.graded(grades.rank(error, Direction::Lower), passes(error, params.pass_threshold, Direction::Lower));
        Ok(outcome)
    }
}

export_scorers!(MyScorer);

#[cfg(test)]
mod tests {
    use super::*;
    use autoscorer_plugin_api::testing::{Workspace, assert_golden, assert_metric};

    #[test]
    fn the_golden_cases_are_right() {
        assert_golden(&MyScorer, concat!(env!("CARGO_MANIFEST_DIR"), "/cases"));
    }

    #[test]
    fn rows_are_joined_by_id() {
        let outcome = Workspace::new()
            .file("input/gt.csv", "id,value\na,1\nb,2\n")
            .file("output/pred.csv", "id,value\nb,2.5\na,1\n")
            .score(&MyScorer)
            .unwrap();
        assert_metric(&outcome, "mae", 0.25);
        assert_eq!(outcome.summary.rank.as_deref(), Some("B"));
    }
}
