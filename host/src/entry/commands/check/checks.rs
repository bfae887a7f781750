//! What is asked of every scorer, one function for each check; those that take more have files of their own.

use std::path::Path;

use autoscorer_plugin_api::error::ErrorCode;
use autoscorer_plugin_api::outcome::Outcome;
use serde_json::{Map, Value, json};

use super::inputs::Spoilt;
use super::list::{Found, in_a_line};
use super::trial::{Trial, is_own_fault};
use crate::entry::commands::author::NOT_THE_SAME;
use crate::entry::print;

/// Every parameter has a description, a type and a default; unknown ones are refused, and the defaults are not.
pub fn params(trial: &Trial, workspace: &Path) -> Found {
    let schema = &trial.lease.scorer().params;
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Found::fail("a schema without properties", "describe the parameters with params!, or use NoParams");
    };
    for (name, property) in properties {
        let missing = ["description", "default"].into_iter().find(|key| property.get(*key).is_none());
        let untyped = ["type", "enum", "oneOf"].iter().all(|key| property.get(*key).is_none());
        if let Some(missing) = missing.or(untyped.then_some("type")) {
            return Found::fail(
                format!("'{name}' has no {missing}"),
                "give every parameter a description, a type and a default",
            );
        }
    }
    let refused = |params: Map<String, Value>| {
        let faults = match trial.validate(workspace, params) {
            Ok(faults) => faults.list,
            Err(error) => vec![error],
        };
        faults.into_iter().find(|fault| fault.code == ErrorCode::InvalidParams)
    };
    let defaults =
        properties.iter().filter_map(|(name, property)| Some((name.clone(), property.get("default")?.clone())));
    if let Some(fault) = refused(defaults.collect()) {
        return Found::fail(in_a_line(&fault), "the defaults in the schema have to be accepted by the scorer");
    }
    match refused(Map::from_iter([("no_such_parameter".to_owned(), json!(true))])) {
        Some(_) => Found::Pass(format!("{}; unknown ones are refused", print::count(properties.len(), "parameter"))),
        None => Found::fail(
            "an unknown parameter was accepted",
            "refuse unknown parameters with INVALID_PARAMS, as params! does",
        ),
    }
}

/// `validate` answers, whatever the workspace is like.
pub fn validate(trial: &Trial, spoilt: &[&Spoilt]) -> Found {
    for one in spoilt {
        match trial.validate(&one.folder, Map::new()) {
            Err(error) if is_own_fault(&error) => {
                return Found::fail(format!("{}: {}", one.how, in_a_line(&error)), trial.help(&error));
            }
            _ => {}
        }
    }
    Found::Pass(spoilt.iter().map(|one| one.how).collect::<Vec<_>>().join(", "))
}

/// `score` gives a score or an error, and neither panics nor crashes.
pub fn errors(trial: &Trial, spoilt: &[Spoilt]) -> Found {
    let mut failed = 0;
    for one in spoilt {
        match trial.score(&one.folder) {
            Err(error) if is_own_fault(&error) => {
                return Found::fail(format!("{}: {}", one.how, in_a_line(&error)), trial.help(&error));
            }
            Err(_) => failed += 1,
            Ok(_) => {}
        }
    }
    Found::Pass(format!("{failed} of {} spoilt workspaces are errors, none a panic or a crash", spoilt.len()))
}

/// The workspace has a score. Where none was given, one that the scorer cannot use is no fault of its own.
pub fn score(trial: &Trial, workspace: &Path, given: bool) -> Found {
    match trial.score(workspace) {
        Ok(outcome) => Found::Pass(format!("{} = {}", outcome.summary.primary_metric, outcome.summary.score)),
        Err(error) if given || is_own_fault(&error) => Found::fail(in_a_line(&error), trial.help(&error)),
        Err(_) => Found::Skip("give a workspace that it can score: --workspace".to_owned()),
    }
}

/// Two runs in one process and one in another give the same outcome to the byte.
pub fn determinism(trial: &Trial, other: &Trial, workspace: &Path) -> Found {
    let text = |outcome: Outcome| serde_json::to_string(&outcome).unwrap_or_default();
    let mut first: Option<String> = None;
    for trial in [trial, trial, other] {
        let run = match trial.score(workspace) {
            Ok(outcome) => text(outcome),
            Err(error) => return Found::fail(in_a_line(&error), trial.help(&error)),
        };
        if first.as_ref().is_some_and(|first| *first != run) {
            return Found::fail(difference(first.as_deref().unwrap_or_default(), &run), NOT_THE_SAME);
        }
        first.get_or_insert(run);
    }
    Found::Pass("3 runs in 2 processes are equal to the byte".to_owned())
}

fn difference(first: &str, second: &str) -> String {
    let metrics = |text: &str| serde_json::from_str::<Outcome>(text).map(|outcome| outcome.metrics).unwrap_or_default();
    let (first, second) = (metrics(first), metrics(second));
    match first.iter().find(|(name, value)| second.get(*name) != Some(value)) {
        Some((name, value)) => {
            let other = second.get(name).map_or("absent".to_owned(), f64::to_string);
            format!("{name} is {value} in one run and {other} in another")
        }
        None => "two runs with the same metrics differ in the rest of the outcome".to_owned(),
    }
}
