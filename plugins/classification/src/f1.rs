//! `classification_f1`: the F1 of every class and its averages.

use std::collections::{BTreeMap, BTreeSet};

use autoscorer_plugin_api::params::ParamType;
use autoscorer_plugin_api::prelude::*;
use autoscorer_plugin_api::rank::passes;
use autoscorer_plugin_api::text::Text;
use serde::Deserialize;
use serde_json::Value;

use crate::confusion::{Class, Confusion, ratio};
use crate::input::Input;
use crate::report;

/// The F1 of every class and its averages, as scikit-learn's `f1_score` with `zero_division=0`.
pub(crate) struct ClassificationF1;

params! {
    /// What `classification_f1` can be told.
    pub(crate) struct F1Params {
        /// Which average is the score.
        average: Average = "macro",
        /// The labels averaged over: "union" of ground truth and predictions, those of the "gt", or a list.
        labels: Labels = "union",
        /// The smallest score that passes.
        pass_threshold: f64 = 0.8,
        /// The smallest scores of the grades A, B and C.
        rank_thresholds: Ranking = [0.9, 0.8, 0.7],
        /// The column with the row's id.
        id_column: String = "id",
        /// The column with the label.
        label_column: String = "label",
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

/// Which labels the averages are over.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Value")]
pub(crate) enum Labels {
    Union,
    Gt,
    Listed(Vec<String>),
}

impl ParamType for Labels {
    const SCHEMA: Text =
        Text::Raw(r#""oneOf":[{"enum":["union","gt"]},{"type":"array","items":{"type":"string"},"minItems":1}]"#);
}

impl TryFrom<Value> for Labels {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        match &value {
            Value::String(text) if text == "union" => Ok(Self::Union),
            Value::String(text) if text == "gt" => Ok(Self::Gt),
            Value::Array(list) if !list.is_empty() => {
                serde_json::from_value(value).map(Self::Listed).map_err(|e| e.to_string())
            }
            _ => Err("expected \"union\", \"gt\" or a list of labels".to_owned()),
        }
    }
}

impl Labels {
    /// The classes that are averaged over. A listed label that never occurs counts as a class with nothing in it.
    fn choose<'l>(&'l self, confusion: &Confusion<'l>) -> BTreeMap<&'l str, Class> {
        let mut classes = confusion.classes();
        match self {
            Self::Union => {}
            Self::Gt => {
                let labels = confusion.true_labels();
                classes.retain(|label, _| labels.contains(label));
            }
            Self::Listed(list) => {
                let labels: BTreeSet<&str> = list.iter().map(String::as_str).collect();
                classes.retain(|label, _| labels.contains(label));
                for label in labels {
                    classes.entry(label).or_default();
                }
            }
        }
        classes
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
        Input::read(ctx, &params.id_column, &params.label_column).err().unwrap_or_default()
    }

    fn score(&self, ctx: &Context<'_>, params: &F1Params) -> Result<Outcome, ScoreError> {
        let input = Input::read(ctx, &params.id_column, &params.label_column)?;
        ctx.check()?;
        let confusion = Confusion::of(input.pairs());
        let classes = params.labels.choose(&confusion);
        let outcome = measure(&confusion, &classes, params);
        report::write_confusion(ctx, &confusion)?;
        Ok(outcome)
    }
}

fn measure(confusion: &Confusion<'_>, classes: &BTreeMap<&str, Class>, params: &F1Params) -> Outcome {
    let averages = Averages::of(classes);
    let (name, score) = match params.average {
        Average::Macro => ("f1_macro", averages.macro_f1),
        Average::Micro => ("f1_micro", averages.micro_f1),
        Average::Weighted => ("f1_weighted", averages.weighted_f1),
    };
    let mut outcome = Outcome::new(name, score, Direction::Higher);
    outcome.graded(
        params.rank_thresholds.rank(score, Direction::Higher),
        passes(score, params.pass_threshold, Direction::Higher),
    );
    let fixed = [
        ("f1_macro", averages.macro_f1),
        ("f1_micro", averages.micro_f1),
        ("f1_weighted", averages.weighted_f1),
        ("accuracy", ratio(confusion.correct(), confusion.total())),
        ("num_labels", classes.len() as f64),
        ("total_samples", confusion.total() as f64),
    ];
    for (key, value) in fixed.into_iter().filter(|(key, _)| *key != name) {
        outcome.metric(key, value);
    }
    outcome.detail("n_samples", confusion.total()).detail("n_labels", classes.len());
    report::add_classes(&mut outcome, "f1_", classes, Class::f1);
    for label in unseen(classes) {
        outcome.warn("LABEL_NEVER_OCCURS", format!("the listed label {label:?} is in no row; its F1 counts as 0"));
    }
    outcome
}

fn unseen<'l>(classes: &BTreeMap<&'l str, Class>) -> impl Iterator<Item = &'l str> {
    classes.iter().filter(|(_, class)| class.support + class.predicted == 0).map(|(label, _)| *label)
}

/// The three ways to average over classes.
#[derive(Debug, PartialEq)]
struct Averages {
    macro_f1: f64,
    micro_f1: f64,
    weighted_f1: f64,
}

impl Averages {
    fn of(classes: &BTreeMap<&str, Class>) -> Self {
        let sum = |of: fn(&Class) -> u64| classes.values().map(of).sum::<u64>();
        let support = sum(|class| class.support);
        let weighted: f64 = classes.values().map(|class| class.f1() * class.support as f64).sum();
        Self {
            macro_f1: classes.values().map(Class::f1).sum::<f64>() / classes.len() as f64,
            micro_f1: ratio(2 * sum(|class| class.hits), support + sum(|class| class.predicted)),
            weighted_f1: if support == 0 { 0.0 } else { weighted / support as f64 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use autoscorer_plugin_api::testing::{Workspace, assert_metric};
    use serde_json::json;

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
