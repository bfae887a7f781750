//! `classification_accuracy`: the share of rows with the right label.

use autoscorer_plugin_api::prelude::*;
use autoscorer_plugin_api::rank::passes;

use crate::confusion::{Class, Confusion, ratio};
use crate::input::Input;
use crate::report;

/// The share of rows with the right label, over all and per class.
pub(crate) struct ClassificationAccuracy;

params! {
    /// What `classification_accuracy` can be told.
    pub(crate) struct AccuracyParams {
        /// The smallest score that passes.
        pass_threshold: f64 = 0.8,
        /// The smallest scores of the grades A, B and C.
        rank_thresholds: Ranking = [0.95, 0.85, 0.75],
        /// The column with the row's id.
        id_column: String = "id",
        /// The column with the label.
        label_column: String = "label",
    }
}

impl Scorer for ClassificationAccuracy {
    const ABOUT: About = About {
        id: "classification_accuracy",
        version: "2.0.0",
        summary: "Share of rows with the right label, over all and per class",
        algorithm: "Accuracy",
    };
    type Params = AccuracyParams;

    fn validate(&self, ctx: &Context<'_>, params: &AccuracyParams) -> Faults {
        Input::read(ctx, &params.id_column, &params.label_column).err().unwrap_or_default()
    }

    fn score(&self, ctx: &Context<'_>, params: &AccuracyParams) -> Result<Outcome, ScoreError> {
        let input = Input::read(ctx, &params.id_column, &params.label_column)?;
        ctx.check()?;
        let confusion = Confusion::of(input.pairs());
        let outcome = measure(&confusion, params);
        report::write_confusion(ctx, &confusion)?;
        Ok(outcome)
    }
}

fn measure(confusion: &Confusion<'_>, params: &AccuracyParams) -> Outcome {
    let (correct, total) = (confusion.correct(), confusion.total());
    let classes = confusion.classes();
    let accuracy = ratio(correct, total);
    let mut outcome = Outcome::new("accuracy", accuracy, Direction::Higher);
    outcome
        .graded(
            params.rank_thresholds.rank(accuracy, Direction::Higher),
            passes(accuracy, params.pass_threshold, Direction::Higher),
        )
        .metric("correct", correct as f64)
        .metric("total", total as f64)
        .metric("num_classes", classes.len() as f64)
        .detail("n_samples", total)
        .detail("n_labels", classes.len());
    report::add_classes(&mut outcome, "acc_", &classes, Class::recall);
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use autoscorer_plugin_api::testing::{Workspace, assert_metric};

    #[test]
    fn the_document_s_sample() {
        let outcome = Workspace::new()
            .file("input/gt.csv", "id,label\n1,cat\n2,dog\n3,cat\n")
            .file("output/pred.csv", "id,label\n3,dog\n1,cat\n2,dog\n")
            .score(&ClassificationAccuracy)
            .unwrap();
        assert_metric(&outcome, "accuracy", 2.0 / 3.0);
        assert_metric(&outcome, "correct", 2.0);
        assert_metric(&outcome, "total", 3.0);
        assert_metric(&outcome, "num_classes", 2.0);
        assert_metric(&outcome, "acc_cat", 0.5);
        assert_metric(&outcome, "acc_dog", 1.0);
        assert_eq!(outcome.summary.rank.as_deref(), Some("D"));
    }
}
