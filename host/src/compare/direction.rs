//! Which way a metric is better: what a result says of its primary metric, and one table of known names for the others.

use autoscorer_plugin_api::outcome::Direction;
use autoscorer_plugin_api::outcome::Direction::{Higher, Lower};

/// Names that mean the same whoever computes them.
const NAMES: [(Direction, &[&str]); 2] = [
    (
        Higher,
        &[
            "accuracy",
            "balanced_accuracy",
            "f1",
            "f1_macro",
            "f1_micro",
            "f1_weighted",
            "precision",
            "precision_macro",
            "precision_micro",
            "precision_weighted",
            "recall",
            "recall_macro",
            "recall_micro",
            "recall_weighted",
            "matthews_corrcoef",
            "cohen_kappa",
            "r_squared",
            "explained_variance",
            "pearson_r",
            "mAP",
            "mAR",
            "coverage",
            "correct",
        ],
    ),
    (
        Lower,
        &[
            "rmse",
            "mse",
            "mae",
            "median_absolute_error",
            "max_error",
            "mape",
            "log_loss",
            "brier_score",
            "false_alarm_rate",
        ],
    ),
];

/// Names, or with a `*` their beginnings, that mean something with one family of our own scorers only.
const OF_SCORERS: [(&str, Direction, &[&str]); 4] = [
    ("classification_", Higher, &["f1_*", "precision_*", "recall_*", "acc_*"]),
    ("detection_", Higher, &["AP*", "AR*", "mAP_*"]),
    (
        "review_",
        Higher,
        &[
            "line_*",
            "overall_*",
            "references_located",
            "references_matched",
            "total_line_matches",
            "total_semantic_matches",
            "strict_*",
            "f1_*",
            "precision_*",
            "recall_*",
        ],
    ),
    ("review_", Lower, &["false_alarms", "pairs_without_verdict"]),
];

/// Which way a metric of a scorer is better, if that is known.
pub fn direction(scorer: &str, metric: &str) -> Option<Direction> {
    let named = NAMES.iter().find(|(_, names)| names.contains(&metric)).map(|(direction, _)| *direction);
    let of_scorer = || {
        let families = OF_SCORERS.iter().filter(|(family, _, _)| scorer.starts_with(family));
        families
            .filter(|(_, _, names)| names.iter().any(|name| matches(name, metric)))
            .map(|(_, direction, _)| *direction)
            .next()
    };
    named.or_else(of_scorer)
}

fn matches(pattern: &str, metric: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => metric.starts_with(beginning),
        None => metric == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_not_judged() {
        for (scorer, metric, expected) in [
            ("classification_f1", "f1_cat", Some(Higher)),
            ("somebody_s", "f1_cat", None),
            ("somebody_s", "accuracy", Some(Higher)),
            ("regression_rmse", "mae", Some(Lower)),
            ("regression_rmse", "gt_mean", None),
            ("classification_f1", "support_cat", None),
            ("detection_map", "AP_class_1", Some(Higher)),
            ("detection_map", "total_pred_boxes", None),
            ("review_match", "false_alarms", Some(Lower)),
            ("review_match", "comments", None),
        ] {
            assert_eq!(direction(scorer, metric), expected, "{scorer} {metric}");
        }
    }
}
