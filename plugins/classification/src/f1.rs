//! `classification_f1`: the F1 of every class and its averages.

use autoscorer_plugin_api::params::ParamType;
use autoscorer_plugin_api::prelude::*;
use autoscorer_plugin_api::rank::passes;
use autoscorer_plugin_api::text::Text;
use serde::Deserialize;

use crate::agreement;
use crate::averages::{self, Averages};
use crate::confusion::{Class, Confusion};
use crate::input::{Input, Missing};
use crate::labels::{Chosen, Labels};
use crate::pictures::ClassBars;
use crate::report::{self, ClassMetric};

/// The F1 of every class and its averages, as scikit-learn's `f1_score` with `zero_division=0`.
pub(crate) struct ClassificationF1;

params! {
    /// What `classification_f1` can be told.
    pub(crate) struct F1Params {
        /// Which average is the score.
        average: Average = "macro",
        /// The labels averaged over: "union" of ground truth and predictions, those of the "gt", or a list.
        labels: Labels = "union",
        /// Ids that the predictions do not have: an "error", or "wrong" answers, told as coverage.
        missing: Missing = "error",
        /// The smallest score that passes.
        pass_threshold: f64 = 0.8,
        /// The smallest scores of the grades A, B and C.
        rank_thresholds: Ranking = [0.9, 0.8, 0.7],
        /// The column with the row's id.
        id_column: String = "id",
        /// The column with the label.
        label_column: String = "label",
        /// The most rows that a table among the artifacts may have.
        max_rows: usize = 1000,
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Average {
    Macro,
    Micro,
    Weighted,
}

impl ParamType for Average {
    const SCHEMA: Text = Text::Raw(r#""enum":["macro","micro","weighted"]"#);
}

impl F1Params {
    fn read(&self, ctx: &Context<'_>) -> Result<Input, Faults> {
        Input::read(ctx, &self.id_column, &self.label_column, self.missing)
    }
}

impl Scorer for ClassificationF1 {
    const ABOUT: About = About {
        id: "classification_f1",
        version: "2.0.0",
        summary: "F1 per class, averaged: macro (the score), micro and weighted",
        algorithm: "Macro-F1 Score",
    };
    type Params = F1Params;

    fn validate(&self, ctx: &Context<'_>, params: &F1Params) -> Faults {
        params.read(ctx).err().unwrap_or_default()
    }

    fn score(&self, ctx: &Context<'_>, params: &F1Params) -> Result<Outcome, ScoreError> {
        let input = params.read(ctx)?;
        ctx.check()?;
        let (truths, guesses) = (input.true_names(), input.guessed_names());
        let confusion = Confusion::of(&truths, &guesses, input.codes());
        let chosen = params.labels.choose(&confusion);
        let mut outcome = measure(&confusion, &chosen, params);
        if params.missing == Missing::Wrong {
            report::add_coverage(&mut outcome, &input);
        }
        report::add_classes(&mut outcome, &chosen.labels, &chosen.classes, &PER_CLASS);
        report::add_error_count(&mut outcome, &confusion, params.max_rows);
        let bars = ClassBars {
            title: "F1 by class",
            labels: &chosen.labels,
            classes: &chosen.classes,
            measures: &[("F1", Class::f1), ("precision", Class::precision), ("recall", Class::recall)],
            reference: ("mean F1", outcome.metrics["f1_macro"]),
        };
        report::write_artifacts(ctx, &input, &confusion, &bars, params.max_rows)?;
        Ok(outcome)
    }
}

/// What each class gets a metric for.
const PER_CLASS: [ClassMetric<'static>; 4] = [
    ("f1_", |class| Some(class.f1())),
    ("precision_", |class| Some(class.precision())),
    ("recall_", |class| Some(class.recall())),
    ("support_", |class| Some(class.support as f64)),
];

fn measure(confusion: &Confusion<'_>, chosen: &Chosen<'_>, params: &F1Params) -> Outcome {
    let averages = Averages::of(&chosen.classes);
    let f1 = averages.f1;
    let (name, score) = match params.average {
        Average::Macro => ("f1_macro", f1.over_classes),
        Average::Micro => ("f1_micro", f1.over_rows),
        Average::Weighted => ("f1_weighted", f1.weighted),
    };
    let mut outcome = Outcome::new(name, score, Direction::Higher);
    outcome.graded(
        params.rank_thresholds.rank(score, Direction::Higher),
        passes(score, params.pass_threshold, Direction::Higher),
    );
    for (key, value) in fixed_metrics(confusion, chosen, &averages).into_iter().filter(|(key, _)| *key != name) {
        outcome.metric(key, value);
    }
    outcome.detail("n_samples", confusion.total).detail("n_labels", chosen.labels.len());
    match agreement::kappa(confusion) {
        Some(kappa) => outcome.metric("cohen_kappa", kappa),
        None => {
            outcome.warn("KAPPA_UNDEFINED", "cohen_kappa is undefined: there is one label, and it is always predicted")
        }
    };
    for (label, _) in
        chosen.labels.iter().zip(&chosen.classes).filter(|(_, class)| class.support + class.predicted == 0)
    {
        outcome.warn("LABEL_NEVER_OCCURS", format!("the listed label {label:?} is in no row; its F1 counts as 0"));
    }
    outcome
}

fn fixed_metrics(confusion: &Confusion<'_>, chosen: &Chosen<'_>, averages: &Averages) -> [(&'static str, f64); 14] {
    let Averages { f1, precision, recall } = averages;
    [
        ("f1_macro", f1.over_classes),
        ("f1_micro", f1.over_rows),
        ("f1_weighted", f1.weighted),
        ("precision_macro", precision.over_classes),
        ("precision_micro", precision.over_rows),
        ("precision_weighted", precision.weighted),
        ("recall_macro", recall.over_classes),
        ("recall_micro", recall.over_rows),
        ("recall_weighted", recall.weighted),
        ("accuracy", averages::accuracy(&confusion.classes, confusion.total)),
        ("balanced_accuracy", averages::balanced_accuracy(&confusion.classes)),
        ("matthews_corrcoef", agreement::matthews(confusion)),
        ("num_labels", chosen.labels.len() as f64),
        ("total_samples", confusion.total as f64),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use autoscorer_plugin_api::testing::{Workspace, assert_metric};
    use serde_json::{Value, json};

    fn workspace(gt: &[&str], pred: &[&str]) -> Workspace {
        let csv = |labels: &[&str]| {
            let rows: String = labels.iter().enumerate().map(|(id, label)| format!("{id},{label}\n")).collect();
            format!("id,label\n{rows}")
        };
        Workspace::new().file("input/gt.csv", csv(gt)).file("output/pred.csv", csv(pred))
    }

    #[test]
    fn the_document_s_sample_with_the_numbers_put_right() {
        let outcome = workspace(&["cat", "dog", "cat"], &["cat", "dog", "dog"]).score(&ClassificationF1).unwrap();
        for key in ["f1_macro", "f1_cat", "f1_dog"] {
            assert_metric(&outcome, key, 2.0 / 3.0);
        }
        assert_metric(&outcome, "num_labels", 2.0);
        assert_metric(&outcome, "total_samples", 3.0);
        assert_eq!((outcome.summary.rank.as_deref(), outcome.summary.pass), (Some("D"), Some(false)));
    }

    #[test]
    fn the_label_set_is_a_choice() {
        // Worked out by hand: f1 is 2/3 for a, 1 for b, 0 for x, which is only predicted.
        let both = || workspace(&["a", "a", "b"], &["a", "x", "b"]);
        let score = |workspace: Workspace| workspace.score(&ClassificationF1).unwrap().summary.score;
        assert_eq!(score(both()), (2.0 / 3.0 + 1.0) / 3.0);
        assert_eq!(score(both().param("labels", "gt")), (2.0 / 3.0 + 1.0) / 2.0);
        assert_eq!(score(both().param("labels", json!(["a"]))), 2.0 / 3.0);
        let unseen = both().param("labels", json!(["b", "z"])).score(&ClassificationF1).unwrap();
        assert_eq!((unseen.summary.score, unseen.warnings[0].code.as_str()), (0.5, "LABEL_NEVER_OCCURS"));
    }

    #[test]
    fn the_average_is_a_choice() {
        // f1: a 2·2/(3+2) = .8, b 2·1/(1+2) = 2/3; micro 3/4; weighted (3·.8 + 2/3)/4.
        let both = || workspace(&["a", "a", "a", "b"], &["a", "a", "b", "b"]);
        let score = |average: &str| both().param("average", average).score(&ClassificationF1).unwrap();
        assert_eq!(score("micro").summary.score, 0.75);
        assert_eq!(score("micro").summary.primary_metric, "f1_micro");
        assert!((score("weighted").summary.score - (2.4 + 2.0 / 3.0) / 4.0).abs() < 1e-15);
        assert_eq!(score("macro").metrics["f1_micro"], 0.75);
    }

    #[test]
    fn a_label_that_takes_a_metric_s_name_is_kept_in_the_details() {
        let outcome = workspace(&["macro", "b"], &["macro", "macro"]).score(&ClassificationF1).unwrap();
        assert_eq!(outcome.metrics["f1_macro"], outcome.summary.score);
        assert_eq!(outcome.details["per_class"]["macro"]["f1"], json!(2.0 / 3.0));
        assert_eq!(outcome.warnings[0].code, "METRIC_NAME_TAKEN");
    }

    #[test]
    fn wrong_params_name_their_key() {
        let wrong = |key: &str, value: Value| {
            workspace(&["a"], &["a"]).param(key, value).score(&ClassificationF1).unwrap_err().message
        };
        assert_eq!(wrong("labels", json!(3)), "params.labels: expected \"union\", \"gt\" or a list of labels");
        assert!(wrong("average", json!("median")).starts_with("params.average: unknown variant `median`"));
    }

    #[test]
    fn validate_finds_the_faults_of_both_files() {
        let faults = Workspace::new()
            .file("input/gt.csv", "id,label\n1,\n")
            .file("output/pred.csv", "id,class\n1,a\n")
            .validate(&ClassificationF1)
            .unwrap();
        let files: Vec<_> = faults.list.iter().map(|fault| fault.details.file.as_deref().unwrap()).collect();
        assert_eq!(files, ["input/gt.csv", "output/pred.csv"]);
    }
}
