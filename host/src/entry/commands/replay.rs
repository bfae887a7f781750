//! `replay`: computes a result again, by the very library that made it, and compares.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::{Map, Value, json};

use super::interrupt;
use crate::engine::Engine;
use crate::entry::cli::ReplayArgs;
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::job::{Pin, Request, ScorerName};
use crate::save::{Inputs, ResultFile};
use crate::settings::Settings;

/// What of a result must be the same again. Warnings name what a reader should know, timing and resources vary.
const COMPARED: [&str; 4] = ["summary", "metrics", "details", "error"];

/// Replays the result.
pub fn run(args: &ReplayArgs, settings: &Settings, start: Instant) -> Result<Exit, ScoreError> {
    let recorded = Recorded::read(args)?;
    let changed = recorded.changed_inputs();
    if !changed.is_empty() {
        return Err(ScoreError::new(
            ErrorCode::Mismatch,
            format!("the inputs are not those of the result: {}", changed.join(", ")),
        )
        .hint("put the files back that the result was computed from"));
    }
    let cancel = interrupt::cancel()?;
    let engine = Engine::new(settings);
    engine.load_needed([&recorded.scorer].into_iter());
    let again = engine.rescore(&recorded.request(), &cancel)?;
    let differences = recorded.differences(&again);
    if args.json {
        let data =
            json!({"equal": differences.is_empty(), "differences": differences, "scorer": recorded.scorer.to_string()});
        Envelope::new(Some(data), None, start).print();
    } else {
        show(&recorded, &differences);
    }
    Ok(if differences.is_empty() { Exit::Done } else { Exit::Differs })
}

fn show(recorded: &Recorded, differences: &[Value]) {
    if differences.is_empty() {
        print::out(format!("equal: {} gives the same result again", recorded.scorer));
        return;
    }
    let mut table = print::table(&["value", "recorded", "again"]);
    for difference in differences {
        table.add_row(["at", "recorded", "again"].map(|key| print::plain(&difference[key])));
    }
    print::out(print::rows(&table));
}

/// A result file, and how it was made.
struct Recorded {
    workspace: PathBuf,
    result: Value,
    scorer: ScorerName,
    params: Map<String, Value>,
}

impl Recorded {
    fn read(args: &ReplayArgs) -> Result<Self, ScoreError> {
        let path = if args.result.is_dir() { args.result.join("output/result.json") } else { args.result.clone() };
        let name = path.display();
        let wrong = |what: &str| {
            ScoreError::new(ErrorCode::BadFormat, format!("{name} {what}"))
                .expected("a result.json that autoscorer wrote")
        };
        let text = fs::read(&path).map_err(|error| {
            ScoreError::new(ErrorCode::MissingFile, format!("{name} cannot be read: {error}"))
                .file(name.to_string())
                .expected("a result.json, or a workspace that has one in output/")
                .hint("score the workspace first")
        })?;
        let no_json = |error| ScoreError { code: ErrorCode::ParseError, ..wrong(&format!("is no JSON: {error}")) };
        let result: Value = serde_json::from_slice(&text).map_err(|error: serde_json::Error| no_json(error))?;
        let versioning = &result["versioning"];
        let field = |key: &str| {
            versioning[key].as_str().map(str::to_owned).ok_or_else(|| wrong(&format!("has no versioning.{key}")))
        };
        let scorer = ScorerName { id: field("scorer")?, pin: Some(Pin::Sha256(field("plugin_sha256")?)) };
        // Without them a replay would be another job, and its difference would mean nothing.
        let params = versioning["params"].as_object().cloned().ok_or_else(|| wrong("has no versioning.params"))?;
        let alone = || wrong("lies in no output/ folder of a workspace").hint("name the workspace with --workspace");
        let workspace = args.workspace.clone().or_else(|| workspace_of(&path)).ok_or_else(alone)?;
        Ok(Self { workspace, result, scorer, params })
    }

    /// The files that are not as they were.
    fn changed_inputs(&self) -> Vec<String> {
        let workspace = if self.workspace.as_os_str().is_empty() { Path::new(".") } else { &self.workspace };
        let now = json!(Inputs::of(workspace).hashes());
        differences(&self.result["versioning"]["inputs"], &now, "")
            .into_iter()
            .map(|one| print::plain(&one["at"]))
            .collect()
    }

    fn request(&self) -> Request {
        let workspace =
            if self.workspace.as_os_str().is_empty() { ".".to_owned() } else { self.workspace.display().to_string() };
        Request { workspace, scorer: Some(self.scorer.clone()), params: self.params.clone(), ..Request::default() }
    }

    fn differences(&self, again: &ResultFile) -> Vec<Value> {
        let again = serde_json::to_value(again).unwrap_or_default();
        COMPARED.iter().flat_map(|member| differences(&self.result[*member], &again[*member], member)).collect()
    }
}

/// `WORKSPACE/output/result.json` lies in a workspace; any other file does not.
fn workspace_of(path: &Path) -> Option<PathBuf> {
    let folder = std::path::absolute(path).ok()?.parent()?.to_owned();
    folder.ends_with("output").then(|| folder.parent().map(Path::to_owned)).flatten()
}

/// Every place at which two values differ.
fn differences(recorded: &Value, again: &Value, at: &str) -> Vec<Value> {
    match (recorded, again) {
        (Value::Object(left), Value::Object(right)) => {
            let keys: std::collections::BTreeSet<&String> = left.keys().chain(right.keys()).collect();
            let below = |key: &String| if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            let member = |object: &Map<String, Value>, key: &String| object.get(key).cloned().unwrap_or_default();
            keys.into_iter().flat_map(|key| differences(&member(left, key), &member(right, key), &below(key))).collect()
        }
        (left, right) if left == right => Vec::new(),
        (left, right) => vec![json!({"at": at, "recorded": left, "again": right})],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named_by_their_path() {
        let (left, right) = (json!({"a": {"b": 1, "c": 2}, "d": 3}), json!({"a": {"b": 1, "c": 4}, "e": 5}));
        let places: Vec<_> = differences(&left, &right, "").iter().map(|one| print::plain(&one["at"])).collect();
        assert_eq!(places, ["a.c", "d", "e"]);
        assert!(differences(&left, &left, "").is_empty());
    }
}
