//! What is asked of every scorer, one function for each check.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::outcome::Outcome;
use serde_json::{Map, Value, json};

use super::inputs::{Inputs, Spoilt};
use super::list::{Found, in_a_line};
use super::trial::{Trial, is_own_fault};
use crate::run::Cancel;

/// So many calls show a leak.
const CALLS: u32 = 1_000;

/// After so many calls everything that is made once has been made.
const WARM: u32 = 100;

/// More growth than this over all calls is a leak.
const GROWTH: u64 = 8 << 20;

/// A call that would have gone on for longer should have heard that it was to stop.
const PATIENCE: Duration = Duration::from_secs(1);

fn fail(found: impl Into<String>, help: &str) -> Found {
    Err((found.into(), help.to_owned()))
}

/// Every parameter has a description, a type and a default; unknown ones are refused, and the defaults are not.
pub fn params(trial: &Trial, workspace: &Path) -> Found {
    let schema = &trial.lease.scorer().params;
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return fail("a schema without properties", "describe the parameters with params!, or use NoParams");
    };
    for (name, property) in properties {
        let missing = ["description", "default"].into_iter().find(|key| property.get(*key).is_none());
        let untyped = ["type", "enum", "oneOf"].iter().all(|key| property.get(*key).is_none());
        if let Some(missing) = missing.or(untyped.then_some("type")) {
            return fail(
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
        return fail(in_a_line(&fault), "the defaults in the schema have to be accepted by the scorer");
    }
    match refused(Map::from_iter([("no_such_parameter".to_owned(), json!(true))])) {
        Some(_) => Ok(format!("{} parameters; unknown ones are refused", properties.len())),
        None => {
            fail("an unknown parameter was accepted", "refuse unknown parameters with INVALID_PARAMS, as params! does")
        }
    }
}

/// `validate` answers, whatever the workspace is like.
pub fn validate(trial: &Trial, spoilt: &[&Spoilt]) -> Found {
    for one in spoilt {
        match trial.validate(&one.folder, Map::new()) {
            Err(error) if is_own_fault(&error) => {
                return fail(format!("{}: {}", one.how, in_a_line(&error)), advice(&error));
            }
            _ => {}
        }
    }
    Ok(spoilt.iter().map(|one| one.how).collect::<Vec<_>>().join(", "))
}

/// `score` gives a score or an error, and neither panics nor crashes.
pub fn errors(trial: &Trial, spoilt: &[Spoilt]) -> Found {
    let mut failed = 0;
    for one in spoilt {
        match trial.score(&one.folder) {
            Err(error) if is_own_fault(&error) => {
                return fail(format!("{}: {}", one.how, in_a_line(&error)), advice(&error));
            }
            Err(_) => failed += 1,
            Ok(_) => {}
        }
    }
    Ok(format!("{failed} of {} spoilt workspaces are errors, none a panic or a crash", spoilt.len()))
}

fn advice(error: &ScoreError) -> &'static str {
    match error.code {
        ErrorCode::ScorerPanic => "return a ScoreError instead of unwrap, expect and indexing",
        ErrorCode::ScorerCrashed => "look for abort, exit, endless recursion and unsafe code",
        ErrorCode::TimeoutError => "ask ctx.check() in long loops, or give the check more time with --timeout",
        ErrorCode::MemoryLimit => "read the input in parts, or free what is not needed",
        _ => "see the message",
    }
}

/// The workspace that was given has a score.
pub fn score(trial: &Trial, workspace: &Path) -> Found {
    match trial.score(workspace) {
        Ok(outcome) => Ok(format!("{} = {}", outcome.summary.primary_metric, outcome.summary.score)),
        Err(error) => fail(in_a_line(&error), error.details.hint.as_deref().unwrap_or_else(|| advice(&error))),
    }
}

/// Two runs in one process and one in another give the same outcome to the byte.
pub fn determinism(trial: &Trial, other: &Trial, workspace: &Path) -> Found {
    let text = |outcome: Outcome| serde_json::to_string(&outcome).unwrap_or_default();
    let mut first: Option<String> = None;
    for trial in [trial, trial, other] {
        let run = match trial.score(workspace) {
            Ok(outcome) => text(outcome),
            Err(error) => return fail(in_a_line(&error), advice(&error)),
        };
        if first.as_ref().is_some_and(|first| *first != run) {
            let help = "look for the clock, random numbers, the order of a HashMap, and threads that add numbers up";
            return fail(difference(first.as_deref().unwrap_or_default(), &run), help);
        }
        first.get_or_insert(run);
    }
    Ok("3 runs in 2 processes are equal to the byte".to_owned())
}

fn difference(first: &str, second: &str) -> String {
    let metrics = |text: &str| serde_json::from_str::<Outcome>(text).map(|outcome| outcome.metrics).unwrap_or_default();
    let (first, second) = (metrics(first), metrics(second));
    match first.iter().find(|(name, value)| second.get(*name) != Some(value)) {
        Some((name, value)) => format!("{name} is {value} in one run and {:?} in another", second.get(name)),
        None => "two runs with the same metrics differ in the rest of the outcome".to_owned(),
    }
}

/// A call that takes long stops when it is asked to.
pub fn cancel(trial: &Trial, candidates: &[&Path]) -> Found {
    let timed = candidates.iter().map(|workspace| (trial.time(workspace), workspace)).max_by_key(|(time, _)| *time);
    let Some((full, workspace)) = timed else { return Ok("nothing to stop".to_owned()) };
    let ask_at = full.min(PATIENCE) / 4;
    let cancel = Cancel::default();
    let (answer, waited) = thread::scope(|scope| {
        let call = scope.spawn(|| trial.score_until(workspace, None, &cancel));
        thread::park_timeout(ask_at);
        let asked = Instant::now();
        cancel.flag().store(true, std::sync::atomic::Ordering::Relaxed);
        let answer = call.join().unwrap_or_else(|_| Err(ScoreError::new(ErrorCode::UnhandledError, "no answer")));
        (answer, asked.elapsed())
    });
    let (full, waited) = (full.as_secs_f64(), waited.as_millis());
    match answer {
        // The host's own words for a worker that did not hear.
        Err(error) if error.message.contains("killed") && full - ask_at.as_secs_f64() > PATIENCE.as_secs_f64() => fail(
            format!("it had to be killed: {full:.1} s of work that do not hear the word to stop"),
            "ask ctx.check() in long loops and return its error",
        ),
        Err(error) if error.code == ErrorCode::Cancelled => Ok(format!("stopped after {waited} ms")),
        _ => Ok(format!("the longest call took {:.0} ms, and was done before it could be stopped", full * 1e3)),
    }
}

/// Many calls in one process leave its memory as it was.
pub fn memory(trial: &Trial, workspace: &Path, tick: &dyn Fn()) -> Found {
    let start = Instant::now();
    let budget = trial.limits.time * 6;
    let (mut warm, mut calls) = (None, 0);
    while calls < CALLS && start.elapsed() < budget && !trial.cancel.requested() {
        if let Err(error) = trial.score(workspace)
            && is_own_fault(&error)
        {
            return fail(format!("call {}: {}", calls + 1, in_a_line(&error)), advice(&error));
        }
        calls += 1;
        if calls == WARM {
            warm = trial.resident();
        }
        if calls % 10 == 0 {
            tick();
        }
    }
    let (Some(warm), Some(end)) = (warm, trial.resident()) else {
        return Ok(format!("{calls} calls, too few or too slow to tell"));
    };
    let grown = end.saturating_sub(warm);
    if grown > GROWTH {
        let each = (grown / u64::from((calls - WARM).max(1))) >> 10;
        let found = format!("{} MiB more after {calls} calls, {each} KiB a call", grown >> 20);
        return fail(found, "look for statics that grow, leaked boxes and threads that never end");
    }
    Ok(format!("{calls} calls, {} KiB more", grown >> 10))
}

/// The scorer leaves nothing in the workspace but the artifacts that it lists, and those are as it says.
pub fn artifacts(trial: &Trial, inputs: &Inputs) -> std::io::Result<Found> {
    let workspace = inputs.good("artifacts")?;
    let before = tree(&workspace)?;
    let aside = workspace.join("output/.artifacts-check");
    let outcome = match trial.score_until(&workspace, Some(&aside), &trial.cancel) {
        Ok(outcome) => outcome,
        Err(error) if is_own_fault(&error) => return Ok(fail(in_a_line(&error), advice(&error))),
        Err(error) => return Ok(Ok(format!("an error leaves none ({})", error.code))),
    };
    let after = tree(&workspace)?;
    let help = "write files with ctx.artifact() only, which records them";
    for (name, artifact) in &outcome.artifacts {
        let inside = artifact.path.strip_prefix("output/artifacts/").filter(|path| !path.contains(".."));
        let Some(path) = inside else {
            return Ok(fail(format!("the artifact {name} claims to be at {}", artifact.path), help));
        };
        if fs::metadata(aside.join(path)).map(|metadata| metadata.len()).ok() != Some(artifact.size) {
            return Ok(fail(format!("the artifact {name} is not there, or has another size"), help));
        }
    }
    let listed = |name: &str| {
        outcome.artifacts.values().any(|artifact| name == artifact.path.replacen("artifacts", ".artifacts-check", 1))
    };
    let changed = before.iter().find(|file| !after.contains(file));
    let extra = after.iter().find(|file| !before.contains(file) && !listed(&file.0));
    Ok(match changed.or(extra) {
        Some((name, _)) => fail(format!("{name} was written or changed, and is no artifact of the outcome"), help),
        None => Ok(format!("{} artifacts, all listed", outcome.artifacts.len())),
    })
}

/// All files of a folder with their content's length and text.
fn tree(folder: &Path) -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
                files.push((name, fs::read(&path)?));
            }
        }
    }
    Ok(files)
}
