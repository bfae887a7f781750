//! A gate: `f1_macro>=0.8`, a border that a metric has to keep.

use std::fmt;
use std::str::FromStr;

use autoscorer_plugin_api::suggest::nearest;
use indexmap::IndexMap;
use serde_json::{Map, Value};

/// What is compared how with what.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// A metric, or `score`.
    pub metric: String,
    operator: &'static str,
    border: f64,
}

/// A gate on a metric that the result does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// The metric that was probably meant.
    pub nearest: Option<String>,
}

/// Those of two characters first, so that `>=` is not read as `>`.
const OPERATORS: [&str; 5] = [">=", "<=", "==", ">", "<"];

impl FromStr for Gate {
    type Err = String;

    /// The last operator counts: a label, and so a metric, may contain one.
    fn from_str(text: &str) -> Result<Self, String> {
        let at = |operator: &&'static str| Some((text.rfind(*operator)?, *operator));
        let end = |(place, operator): &(usize, &str)| (place + operator.len(), operator.len());
        let last = OPERATORS.iter().filter_map(at).max_by_key(end);
        let (place, operator) = last.ok_or("expected METRIC>=NUMBER, with one of >= > <= < ==")?;
        let (metric, border) = (text[..place].trim(), text[place + operator.len()..].trim());
        if metric.is_empty() {
            return Err(format!("expected the name of a metric before {operator}"));
        }
        if metric.ends_with('=') {
            // No metric is called so; `=>` is a slip for `>=`.
            return Err(format!(
                "expected one of >= > <= < ==, found {:?}",
                &text[metric.len() - 1..place + operator.len()]
            ));
        }
        match border.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Self { metric: metric.to_owned(), operator, border: number }),
            _ => Err(format!("expected a number after {operator}, found {border:?}")),
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.metric, self.operator, self.border)
    }
}

impl Gate {
    /// The metric's value in a result.
    pub fn value(&self, metrics: &IndexMap<String, f64>, summary: &Map<String, Value>) -> Result<f64, Unknown> {
        let score = || summary.get("score").and_then(Value::as_f64);
        if let Some(value) = metrics.get(&self.metric) {
            return Ok(*value);
        }
        if matches!(self.metric.as_str(), "score" | "summary.score")
            && let Some(score) = score()
        {
            return Ok(score);
        }
        let known = metrics.keys().map(String::as_str).chain(["score"]);
        Err(Unknown { nearest: nearest(&self.metric, known).map(str::to_owned) })
    }

    /// Whether a value keeps the border.
    pub fn holds(&self, value: f64) -> bool {
        match self.operator {
            ">=" => value >= self.border,
            "<=" => value <= self.border,
            ">" => value > self.border,
            "<" => value < self.border,
            _ => value == self.border,
        }
    }

    /// What is expected, as people read it.
    pub fn expectation(&self) -> String {
        format!("{} {}", self.operator, self.border)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn gate(text: &str) -> Gate {
        text.parse().unwrap()
    }

    #[test]
    fn a_label_may_contain_an_operator() {
        assert_eq!(gate("f1_a>=b < 0.5"), Gate { metric: "f1_a>=b".to_owned(), operator: "<", border: 0.5 });
        assert_eq!(gate("x==1"), Gate { metric: "x".to_owned(), operator: "==", border: 1.0 });
        assert_eq!(gate("x>=1e-3").operator, ">=");
        assert_eq!(gate("x>1").operator, ">");
        for wrong in [
            "", "f1", "f1=0.8", ">=1", "f1>=", "f1>=high", "f1>=nan", "f1>=inf", "f1=>0.8x", "f1=>0.8", "f1 =< 1",
            "f1===1",
        ] {
            assert!(wrong.parse::<Gate>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_score_has_a_name_and_a_slip_is_recognised() {
        let metrics = IndexMap::from([("f1_macro".to_owned(), 0.5)]);
        let summary = Map::from_iter([("score".to_owned(), Value::from(0.5))]);
        assert_eq!(gate("score>=0.5").value(&metrics, &summary), Ok(0.5));
        let slip = gate("f1_marco>=0.5").value(&metrics, &summary).unwrap_err();
        assert_eq!(slip.nearest.as_deref(), Some("f1_macro"));
    }

    proptest! {
        #[test]
        fn a_gate_reads_itself_back(metric in "[a-z_<>=]{0,8}[a-z]", operator in 0..5usize, border in -1e9..1e9f64) {
            let gate = Gate { metric, operator: OPERATORS[operator], border };
            prop_assert_eq!(gate.to_string().parse(), Ok(gate));
        }

        #[test]
        fn of_a_border_and_its_opposite_one_holds(value in -1e3..1e3f64, border in -1e3..1e3f64) {
            let holds = |operator| Gate { metric: "m".to_owned(), operator, border }.holds(value);
            prop_assert_ne!(holds(">="), holds("<"));
            prop_assert_ne!(holds("<="), holds(">"));
            prop_assert_eq!(holds("=="), holds(">=") && holds("<="));
        }
    }
}
