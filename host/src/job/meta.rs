//! `meta.json`: which scorer, with which parameters, within which limits.

use std::fs;
use std::time::Duration;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::faults::Faults;
use autoscorer_plugin_api::files;
use serde_json::{Map, Value};

use super::name::ScorerName;
use super::quantity;
use super::workspace::Workspace;

const NAME: &str = "meta.json";

/// What `meta.json` says. Fields that are not ours are left alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Meta {
    /// The scorer.
    pub scorer: ScorerName,
    /// Its parameters.
    pub params: Map<String, Value>,
    /// The job's own name.
    pub job_id: Option<String>,
    /// How long the job may take.
    pub time_limit: Option<Duration>,
    /// How many bytes of memory it may use.
    pub memory_limit: Option<u64>,
}

impl Meta {
    /// Reads the file. A scorer given by the caller counts instead of the file's, and makes the file optional.
    pub fn read(workspace: &Workspace, given: Option<ScorerName>) -> Result<Self, Faults> {
        let missing = || workspace.path().join(NAME).symlink_metadata().is_err();
        let text = match files::read_text(workspace.path(), NAME) {
            Ok(text) => text,
            Err(_) if given.is_some() && missing() => "{}".to_owned(),
            Err(error) if missing() => {
                return Err(error.hint(without_meta(workspace)).into());
            }
            Err(error) => return Err(error.into()),
        };
        Self::parse(&text, given)
    }

    fn parse(text: &str, given: Option<ScorerName>) -> Result<Self, Faults> {
        let fields: Value = serde_json::from_str(text).map_err(|error| {
            ScoreError::new(ErrorCode::ParseError, format!("{NAME} is no JSON: {error}"))
                .file(NAME)
                .line(error.line() as u64)
        })?;
        let Value::Object(fields) = fields else {
            return Err(
                wrong("", &fields, "an object such as {\"scorer\": \"classification_f1\", \"params\": {}}").into()
            );
        };
        let memory = fields.get("resources").and_then(|resources| resources.get("memory"));
        let mut faults = Faults::none();
        let scorer = faults.absorb(given.map_or_else(|| scorer(&fields), Ok));
        let params = faults.absorb(params(&fields));
        let job_id = faults.absorb(checked("job_id", fields.get("job_id"), as_text));
        let time_limit = faults.absorb(checked("time_limit", fields.get("time_limit"), quantity::seconds));
        let memory_limit = faults.absorb(checked("resources.memory", memory, quantity::bytes));
        match (scorer, params, job_id, time_limit, memory_limit) {
            (Some(scorer), Some(params), Some(job_id), Some(time_limit), Some(memory_limit)) => {
                Ok(Self { scorer, params, job_id, time_limit, memory_limit })
            }
            _ => Err(faults),
        }
    }
}

/// What to do about a folder without the file; one that has workspaces in it is none itself.
fn without_meta(workspace: &Workspace) -> String {
    let is_workspace = |entry: &fs::DirEntry| entry.path().join(NAME).is_file();
    if fs::read_dir(workspace.path()).into_iter().flatten().flatten().any(|entry| is_workspace(&entry)) {
        let given = workspace.given().trim_end_matches('/');
        return format!("this is a folder of workspaces: name them with {given}/*/");
    }
    "write one, such as {\"scorer\": \"classification_f1\"}, or name a scorer with --scorer".to_owned()
}

fn as_text(value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| "text".to_owned())
}

fn scorer(fields: &Map<String, Value>) -> Result<ScorerName, ScoreError> {
    let Some(value) = fields.get("scorer") else {
        return Err(ScoreError::new(ErrorCode::BadFormat, format!("{NAME} names no scorer"))
            .file(NAME)
            .expected("a member \"scorer\", such as \"classification_f1\"")
            .hint("'autoscorer scorers list' shows the scorers there are"));
    };
    let name = value.as_str().ok_or_else(|| wrong("scorer", value, "the name of a scorer, as text"))?;
    name.parse().map_err(|reason: String| wrong("scorer", value, &reason))
}

/// `scorer_params` is another name of `params`; with both there is no telling which one is meant.
fn params(fields: &Map<String, Value>) -> Result<Map<String, Value>, ScoreError> {
    let (key, value) = match (fields.get("params"), fields.get("scorer_params")) {
        (Some(params), Some(_)) => {
            return Err(wrong("params", params, "either \"params\" or \"scorer_params\", not both"));
        }
        (Some(params), None) => ("params", params),
        (None, Some(params)) => ("scorer_params", params),
        (None, None) => return Ok(Map::new()),
    };
    match value {
        Value::Object(params) => Ok(params.clone()),
        Value::Null => Ok(Map::new()),
        _ => Err(wrong(key, value, "an object")),
    }
}

fn checked<T>(
    key: &str,
    value: Option<&Value>,
    read: impl Fn(&Value) -> Result<T, String>,
) -> Result<Option<T>, ScoreError> {
    let given = value.filter(|value| !value.is_null());
    given.map(|value| read(value).map_err(|expected| wrong(key, value, &expected))).transpose()
}

fn wrong(key: &str, value: &Value, expected: &str) -> ScoreError {
    let subject = if key.is_empty() { NAME.to_owned() } else { format!("\"{key}\" in {NAME}") };
    let shown: String = value.to_string().chars().take(80).collect();
    ScoreError::new(ErrorCode::BadFormat, format!("{subject} is wrong")).file(NAME).found(shown).expected(expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Meta, Faults> {
        Meta::parse(text, None)
    }

    #[test]
    fn what_is_ours_is_read_and_the_rest_left_alone() {
        let meta = parse(
            r#"{"job_id": "j1", "scorer": "f1@2.0.0", "scorer_params": {"a": 1}, "time_limit": 90,
                "resources": {"memory": "2Gi", "cpu": 4}, "container": {"image": "x"}, "input_uri": "file:///w"}"#,
        )
        .unwrap();
        assert_eq!((meta.scorer.to_string().as_str(), meta.job_id.as_deref()), ("f1@2.0.0", Some("j1")));
        assert_eq!((meta.time_limit, meta.memory_limit), (Some(Duration::from_secs(90)), Some(2 << 30)));
        assert_eq!(meta.params["a"], 1);
    }

    #[test]
    fn all_that_is_wrong_is_found_at_once() {
        let faults = parse(r#"{"job_id": 7, "time_limit": "5", "resources": {"memory": "lots"}}"#).unwrap_err();
        assert_eq!(faults.total, 4);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let cases = [
            ("{", ErrorCode::ParseError, "meta.json is no JSON: EOF while parsing an object at line 1 column 1"),
            ("[]", ErrorCode::BadFormat, "meta.json is wrong"),
            ("{}", ErrorCode::BadFormat, "meta.json names no scorer"),
            (r#"{"scorer": 7}"#, ErrorCode::BadFormat, "\"scorer\" in meta.json is wrong"),
            (r#"{"scorer": "f1@"}"#, ErrorCode::BadFormat, "\"scorer\" in meta.json is wrong"),
            (r#"{"scorer": "f1", "params": 3}"#, ErrorCode::BadFormat, "\"params\" in meta.json is wrong"),
            (
                r#"{"scorer": "f1", "params": {}, "scorer_params": {}}"#,
                ErrorCode::BadFormat,
                "\"params\" in meta.json is wrong",
            ),
            (r#"{"scorer": "f1", "time_limit": "1h"}"#, ErrorCode::BadFormat, "\"time_limit\" in meta.json is wrong"),
            (
                r#"{"scorer": "f1", "resources": {"memory": "lots"}}"#,
                ErrorCode::BadFormat,
                "\"resources.memory\" in meta.json is wrong",
            ),
        ];
        for (text, code, message) in cases {
            let error = parse(text).unwrap_err().list.remove(0);
            assert_eq!((error.code, error.message.as_str()), (code, message), "{text}");
        }
    }
}
