//! "Did you mean": the known name nearest to one that is not known.

/// The most similar of the known names, if any is similar enough to be a slip.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(name, candidate), candidate))
        .filter(|(similarity, _)| *similarity > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let known = ["classification_f1", "classification_accuracy", "regression_rmse"];
        assert_eq!(nearest("clasification_f1", known), Some("classification_f1"));
        assert_eq!(nearest("regression_mse", known), Some("regression_rmse"));
        assert_eq!(nearest("bleu", known), None);
    }
}
