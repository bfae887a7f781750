//! `classification_accuracy`: the share of rows with the right label.

use autoscorer_plugin_api::prelude::*;
use autoscorer_plugin_api::rank::passes;

use crate::averages;
use crate::confusion::{Class, Confusion};
use crate::input::{Input, Missing};
use crate::pictures::ClassBars;
use crate::report;

/// The share of rows with the right label, over all and per class.
pub(crate) struct ClassificationAccuracy;

params! {
    /// What `classification_accuracy` can be told.
    pub(crate) struct AccuracyParams {
        /// Ids that the predictions do not have: an "error", or "wrong" answers, told as coverage.
        missing: Missing = "error",
        /// The smallest score that passes.
        pass_threshold: f64 = 0.8,
        /// The smallest scores of the grades A, B and C.
        rank_thresholds: Ranking = [0.95, 0.85, 0.75],
        /// The column with the row's id.
        id_column: String = "id",
        /// The column with the label.
        label_column: String = "label",
        /// The most rows that a table among the artifacts may have.
        max_rows: usize = 1000,
    }
}

impl AccuracyParams {
    fn read(&self, ctx: &Context<'_>) -> Result<Input, Faults> {
        Input::read(ctx, &self.id_column, &self.label_column, self.missing)
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
        params.read(ctx).err().unwrap_or_default()
    }

    fn score(&self, ctx: &Context<'_>, params: &AccuracyParams) -> Result<Outcome, ScoreError> {
        let input = params.read(ctx)?;
        ctx.check()?;
        let (truths, guesses) = (input.true_names(), input.guessed_names());
        let confusion = Confusion::of(&truths, &guesses, input.codes());
        let mut outcome = measure(&confusion, params);
        if params.missing == Missing::Wrong {
            report::add_coverage(&mut outcome, &input);
        }
        report::add_classes(&mut outcome, &confusion.labels, &confusion.classes, &[("acc_", class_accuracy)]);
        let (labels, classes): (Vec<&str>, Vec<Class>) = with_rows(&confusion).unzip();
        report::add_error_count(&mut outcome, &confusion, params.max_rows);
        let bars = ClassBars {
            title: "Accuracy by class",
            labels: &labels,
            classes: &classes,
            measures: &[("accuracy", Class::recall)],
            reference: ("over all", outcome.summary.score),
        };
        report::write_artifacts(ctx, &input, &confusion, &bars, params.max_rows)?;
        Ok(outcome)
    }
}

fn measure(confusion: &Confusion<'_>, params: &AccuracyParams) -> Outcome {
    let accuracy = averages::accuracy(&confusion.classes, confusion.total);
    let mut outcome = Outcome::new("accuracy", accuracy, Direction::Higher);
    outcome
        .graded(
            params.rank_thresholds.rank(accuracy, Direction::Higher),
            passes(accuracy, params.pass_threshold, Direction::Higher),
        )
        .metric("correct", confusion.correct() as f64)
        .metric("total", confusion.total as f64)
        .metric("num_classes", confusion.labels.len() as f64)
        .detail("n_samples", confusion.total)
        .detail("n_labels", confusion.labels.len());
    outcome
}

/// A label that the ground truth never has can be neither right nor wrong.
fn class_accuracy(class: &Class) -> Option<f64> {
    (class.support > 0).then(|| class.recall())
}

fn with_rows<'l>(confusion: &Confusion<'l>) -> impl Iterator<Item = (&'l str, Class)> {
    let classes = confusion.labels.iter().copied().zip(confusion.classes.iter().copied());
    classes.filter(|(_, class)| class.support > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use autoscorer_plugin_api::testing::{Workspace, assert_metric};

    fn workspace(pred: &str) -> Workspace {
        Workspace::new().file("input/gt.csv", "id,label\n1,cat\n2,dog\n3,cat\n").file("output/pred.csv", pred)
    }

    #[test]
    fn the_document_s_sample() {
        let outcome = workspace("id,label\n3,dog\n1,cat\n2,dog\n").score(&ClassificationAccuracy).unwrap();
        assert_metric(&outcome, "accuracy", 2.0 / 3.0);
        assert_metric(&outcome, "correct", 2.0);
        assert_metric(&outcome, "total", 3.0);
        assert_metric(&outcome, "num_classes", 2.0);
        assert_metric(&outcome, "acc_cat", 0.5);
        assert_metric(&outcome, "acc_dog", 1.0);
        assert_eq!(outcome.summary.rank.as_deref(), Some("D"));
    }

    #[test]
    fn a_label_that_is_only_predicted_has_no_accuracy() {
        let outcome = workspace("id,label\n3,fox\n1,cat\n2,dog\n").score(&ClassificationAccuracy).unwrap();
        assert_metric(&outcome, "num_classes", 3.0);
        assert!(!outcome.metrics.contains_key("acc_fox"));
    }

    #[test]
    fn rows_without_a_prediction_are_wrong_if_that_is_wanted() {
        let some = || workspace("id,label\n2,dog\n1,cat\n");
        assert_eq!(some().score(&ClassificationAccuracy).unwrap_err().code, ErrorCode::Mismatch);
        let outcome = some().param("missing", "wrong").score(&ClassificationAccuracy).unwrap();
        assert_metric(&outcome, "accuracy", 2.0 / 3.0);
        assert_metric(&outcome, "coverage", 2.0 / 3.0);
        assert_metric(&outcome, "acc_cat", 0.5);
        assert_eq!(outcome.warnings[0].code, "MISSING_PREDICTIONS");
    }
}
