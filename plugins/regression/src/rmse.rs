//! `regression_rmse`: the root of the mean squared error, and what else is said of errors.

use autoscorer_plugin_api::prelude::*;
use autoscorer_plugin_api::rank::passes;

use crate::errors::Errors;
use crate::input::Input;
use crate::report;

/// The root of the mean squared error.
pub(crate) struct RegressionRmse;

params! {
    /// What `regression_rmse` can be told.
    pub(crate) struct RmseParams {
        /// The largest score that passes.
        pass_threshold: f64 = 0.5,
        /// The largest scores of the grades A, B and C.
        rank_thresholds: Ranking = [0.1, 0.3, 0.5],
        /// The column with the row's id.
        id_column: String = "id",
        /// The column with the number; "label" stands in for "value" where a file has no such column.
        value_column: String = "value",
        /// The most rows that a table among the artifacts may have.
        max_rows: usize = 1000,
    }
}

impl RmseParams {
    fn read(&self, ctx: &Context<'_>) -> Result<Input, Faults> {
        Input::read(ctx, &self.id_column, &self.value_column)
    }
}

impl Scorer for RegressionRmse {
    const ABOUT: About = About {
        id: "regression_rmse",
        version: "2.0.0",
        summary: "Root mean squared error, with MAE, R² and other measures of error",
        algorithm: "Root Mean Squared Error",
    };
    type Params = RmseParams;

    fn validate(&self, ctx: &Context<'_>, params: &RmseParams) -> Faults {
        params.read(ctx).err().unwrap_or_default()
    }

    fn score(&self, ctx: &Context<'_>, params: &RmseParams) -> Result<Outcome, ScoreError> {
        let input = params.read(ctx)?;
        ctx.check()?;
        let errors = Errors::of(input.truths(), input.guesses());
        if errors.vanishing {
            let message = "the errors are so small that their squares vanish, and RMSE with them";
            return Err(ScoreError::new(ErrorCode::ScoreError, message).hint("express the numbers in a smaller unit"));
        }
        let mut outcome = measure(&errors, params);
        outcome.metric("n_samples", input.truths().len() as f64);
        for file in input.fallbacks(&params.value_column) {
            outcome
                .warn("COLUMN_LABEL_READ", format!("{file} has no column 'value'; the numbers are those of 'label'"));
        }
        report::add_row_count(&mut outcome, &input, params.max_rows);
        report::write_artifacts(ctx, &input, params.max_rows)?;
        Ok(outcome)
    }
}

fn measure(errors: &Errors, params: &RmseParams) -> Outcome {
    let mut outcome = Outcome::new("rmse", errors.rmse, Direction::Lower);
    outcome
        .graded(
            params.rank_thresholds.rank(errors.rmse, Direction::Lower),
            passes(errors.rmse, params.pass_threshold, Direction::Lower),
        )
        .metric("mse", errors.mse)
        .metric("mae", errors.mae)
        .metric("median_absolute_error", errors.median)
        .metric("max_error", errors.max)
        .metric("gt_mean", errors.gt_mean)
        .metric("pred_mean", errors.pred_mean);
    let undefined = [
        ("r_squared", errors.r_squared, "the true numbers are all the same, or hardly differ"),
        ("explained_variance", errors.explained_variance, "the true numbers are all the same, or hardly differ"),
        ("pearson_r", errors.pearson_r, "the true numbers, or the predicted ones, are all the same, or hardly differ"),
        ("mape", errors.mape, "a true number is 0, or so small that a share in it cannot be told"),
    ];
    for (name, value, why) in undefined {
        match value {
            Some(value) => outcome.metric(name, value),
            None => outcome.warn("METRIC_UNDEFINED", format!("{name} is undefined and left out: {why}")),
        };
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;
    use autoscorer_plugin_api::testing::{Workspace, assert_metric};

    fn workspace(header: &str, pairs: &[(&str, &str)]) -> Workspace {
        let csv = |cells: Vec<&str>| {
            let rows: String = cells.iter().enumerate().map(|(id, cell)| format!("{id},{cell}\n")).collect();
            format!("id,{header}\n{rows}")
        };
        let (truths, guesses) = pairs.iter().copied().unzip();
        Workspace::new().file("input/gt.csv", csv(truths)).file("output/pred.csv", csv(guesses))
    }

    fn codes(outcome: &Outcome) -> Vec<&str> {
        outcome.warnings.iter().map(|warning| warning.code.as_str()).collect()
    }

    #[test]
    fn the_document_s_sample_with_the_numbers_put_right() {
        let outcome =
            workspace("value", &[("2.5", "2.3"), ("3.8", "4.1"), ("1.2", "1.0")]).score(&RegressionRmse).unwrap();
        // Errors −.2, .3, −.2 about a truth of mean 2.5 whose squares about it sum up to 3.38.
        let squares = 0.04 + 0.09 + 0.04;
        assert_metric(&outcome, "rmse", (squares / 3f64).sqrt());
        assert_metric(&outcome, "mse", squares / 3.0);
        assert_metric(&outcome, "mae", 0.7 / 3.0);
        assert_metric(&outcome, "r_squared", 1.0 - squares / 3.38);
        assert_metric(&outcome, "gt_mean", 2.5);
        assert_metric(&outcome, "pred_mean", 7.4 / 3.0);
        assert_metric(&outcome, "n_samples", 3.0);
        assert_metric(&outcome, "median_absolute_error", 0.2);
        assert_metric(&outcome, "max_error", 0.3);
        assert_metric(&outcome, "mape", (0.2 / 2.5 + 0.3 / 3.8 + 0.2 / 1.2) / 3.0);
        let summary = &outcome.summary;
        assert_eq!(
            (summary.rank.as_deref(), summary.pass, summary.direction),
            (Some("B"), Some(true), Direction::Lower)
        );
        assert!(outcome.warnings.is_empty());
    }

    #[test]
    fn what_is_undefined_is_left_out_with_a_warning() {
        let constant = workspace("value", &[("0", "1"), ("0", "2")]).score(&RegressionRmse).unwrap();
        for name in ["r_squared", "explained_variance", "pearson_r", "mape"] {
            assert!(!constant.metrics.contains_key(name), "{name}");
        }
        assert_eq!(codes(&constant), ["METRIC_UNDEFINED"; 4]);
        let one = workspace("value", &[("0.1", "0.1")]).score(&RegressionRmse).unwrap();
        assert_eq!((one.summary.score, codes(&one).len(), one.metrics["mape"]), (0.0, 3, 0.0));
    }

    #[test]
    fn label_stands_in_for_value_and_only_for_it() {
        let old = workspace("label", &[("1", "1.5"), ("2", "2.5")]);
        assert_eq!(codes(&old.score(&RegressionRmse).unwrap()), ["COLUMN_LABEL_READ"; 2]);
        let named = workspace("label", &[("1", "1.5"), ("2", "2.5")]).param("value_column", "price");
        assert!(named.score(&RegressionRmse).unwrap_err().message.contains("has no column 'price'"));
        let asked = workspace("label", &[("1", "1.5"), ("2", "2.5")]).param("value_column", "label");
        assert!(asked.score(&RegressionRmse).unwrap().warnings.is_empty());
    }

    #[test]
    fn squares_that_overflow_or_vanish_are_no_score() {
        let huge = workspace("value", &[("1e200", "-1e200"), ("1", "1")]).score(&RegressionRmse).unwrap_err();
        assert_eq!(
            (huge.code, huge.message.as_str()),
            (ErrorCode::ScoreError, "the metric 'rmse' is inf, which is no score")
        );
        let tiny = workspace("value", &[("1e-200", "2e-200"), ("1", "1")]).score(&RegressionRmse).unwrap_err();
        assert_eq!(tiny.code, ErrorCode::ScoreError);
    }

    #[test]
    fn every_fault_of_both_files_is_found() {
        let faults = Workspace::new()
            .file("input/gt.csv", "id,value\n1,one\n2,\n3,nan\n3,1\n")
            .file("output/pred.csv", "id,value\n1,0x10\n2,1e999\n")
            .validate(&RegressionRmse)
            .unwrap();
        let found: Vec<_> = faults
            .list
            .iter()
            .map(|fault| (fault.code, fault.details.file.as_deref().unwrap(), fault.details.line.unwrap()))
            .collect();
        assert_eq!(
            found,
            [
                (ErrorCode::TypeError, "input/gt.csv", 2),
                (ErrorCode::BadFormat, "input/gt.csv", 3),
                (ErrorCode::BadFormat, "input/gt.csv", 4),
                (ErrorCode::Mismatch, "input/gt.csv", 5),
                (ErrorCode::TypeError, "output/pred.csv", 2),
                (ErrorCode::BadFormat, "output/pred.csv", 3),
            ]
        );
    }
}
