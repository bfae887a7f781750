//! The share of right answers in two JSON files.

use autoscorer_plugin_api::prelude::*;
use autoscorer_plugin_api::serde_json::{Map, Value};

/// The share of right answers.
struct MyScorer;

params! {
    /// What the scorer can be told, in `meta.json` or with `-p key=value`.
    struct MyParams {
        /// Whether "Paris" and "paris" are different answers.
        case_sensitive: bool = false,
        /// The smallest share that passes.
        pass_threshold: f64 = 0.5,
    }
}

impl Scorer for MyScorer {
    const ABOUT: About =
        About { id: "my_scorer", version: "0.1.0", summary: "Share of right answers", algorithm: "Exact match" };
    type Params = MyParams;

    fn validate(&self, ctx: &Context<'_>, params: &MyParams) -> Faults {
        self.score(ctx, params).err().map_or_else(Faults::none, Faults::from)
    }

    fn score(&self, ctx: &Context<'_>, params: &MyParams) -> Result<Outcome, ScoreError> {
        // Files of the form {"question": "answer"}.
        let truth: Map<String, Value> = ctx.json("input/gt.json")?;
        let guess: Map<String, Value> = ctx.json("output/pred.json")?;
        if truth.is_empty() {
            // A share of nothing is no number, and must not look like one.
            return Err(ScoreError::new(ErrorCode::BadFormat, "input/gt.json has no answers").file("input/gt.json"));
        }
        let (mut answered, mut right) = (0, 0);
        for (question, answer) in &truth {
            // Whoever waits for a long job may want it to stop.
            ctx.check()?;
            if let Some(given) = guess.get(question) {
                answered += 1;
                right += usize::from(same(given, answer, params.case_sensitive));
            }
        }
        let share = right as f64 / truth.len() as f64;

        let mut outcome = Outcome::new("exact_match", share, Direction::Higher);
        outcome.metric("answered", f64::from(answered));
        outcome.summary.pass = Some(share >= params.pass_threshold);
        Ok(outcome)
    }
}

fn same(given: &Value, answer: &Value, case_sensitive: bool) -> bool {
    match (given, answer) {
        (Value::String(given), Value::String(answer)) if !case_sensitive => {
            given.to_lowercase() == answer.to_lowercase()
        }
        _ => given == answer,
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
    fn an_answer_that_is_missing_is_wrong() {
        let outcome = Workspace::new()
            .file("input/gt.json", r#"{"q1": "Paris", "q2": 4}"#)
            .file("output/pred.json", r#"{"q2": 4}"#)
            .score(&MyScorer)
            .unwrap();
        assert_metric(&outcome, "exact_match", 0.5);
        assert_metric(&outcome, "answered", 1.0);
    }
}
