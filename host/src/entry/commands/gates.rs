//! The gates of `score`: borders and a baseline that scores are held against, and what build servers read of it.

use std::fs;
use std::io;
use std::path::Path;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::{Value, json};

use crate::compare::cautions;
use crate::engine::Report;
use crate::entry::exit::Exit;
use crate::entry::gate_args::GateArgs;
use crate::entry::print;
use crate::results::{Case, Gate, Scoreline, Stored, StoredSet, Trouble, junit, write_whole};
use crate::save::ResultFile;

/// What of a baseline's circumstances is worth a word: a failure has its own, and libraries are built anew all the time.
const SILENT: [&str; 2] = ["NO_SCORE", "DIFFERENT_LIBRARY"];

/// What scores are held against. A baseline is read before anything is scored: it may be what is scored anew.
pub struct Gates<'a> {
    args: &'a GateArgs,
    baseline: Option<StoredSet>,
}

/// What came of the gates, workspace by workspace.
#[derive(Default)]
pub struct Judged {
    checks: Vec<Vec<Check>>,
}

/// One gate on one workspace.
struct Check {
    /// For machines.
    json: Value,
    outcome: Outcome,
}

enum Outcome {
    Kept(Option<String>),
    Failed(String),
    Wrong(Box<ScoreError>),
}

impl<'a> Gates<'a> {
    /// Reads the baseline, for so many workspaces.
    pub fn new(args: &'a GateArgs, workspaces: usize) -> Result<Self, ScoreError> {
        let baseline = args.baseline.as_deref().map(StoredSet::read).transpose()?;
        if let (Some(path), Some(one)) = (&args.baseline, baseline.as_ref().and_then(StoredSet::single)) {
            let path = path.display();
            if workspaces > 1 {
                let message = format!("the baseline {path} is one result, and there are {workspaces} workspaces");
                return Err(usage(message).hint("name a folder of results; they are paired by name"));
            }
            if one.scoreline().is_none() {
                let message = format!("the baseline {path} is a failure and no score");
                return Err(ScoreError::new(ErrorCode::BadFormat, message).hint("name a result that has a score"));
            }
        }
        args.junit.as_deref().map_or(Ok(()), writable)?;
        Ok(Self { args, baseline })
    }

    /// Holds the results against the gates. A failed one keeps its own error.
    pub fn judge(&self, reports: &[Report]) -> Judged {
        let mut checks: Vec<Vec<Check>> = reports.iter().map(|report| self.check(report)).collect();
        for (place, gate) in self.args.gates.iter().enumerate() {
            tell_how_many(gate, &mut checks.iter_mut().filter_map(|checks| checks.get_mut(place)).collect::<Vec<_>>());
        }
        Judged { checks }
    }

    fn check(&self, report: &Report) -> Vec<Check> {
        if report.result.error.is_some() {
            return Vec::new();
        }
        let gates = self.args.gates.iter().map(|gate| check_gate(gate, report));
        gates.chain(self.check_baseline(report)).collect()
    }

    fn check_baseline(&self, report: &Report) -> Option<Check> {
        let set = self.baseline.as_ref()?;
        let name = name_of(&report.workspace);
        let stored = set.single().or_else(|| set.results.get(&name)?.as_ref().ok());
        let Some((stored, was)) = stored.and_then(|stored| Some((stored, stored.scoreline()?))) else {
            print::err(print::warning(&report.workspace, "the baseline has no score for it"));
            return None;
        };
        warn_of_differences(stored, report);
        let now = Scoreline::of(&report.result.summary)?;
        Some(self.against(&was, &now, report))
    }

    fn against(&self, was: &Scoreline, now: &Scoreline, report: &Report) -> Check {
        let (strict, workspace) = (self.args.fail_on_regression, print::visible(&report.workspace));
        let fail = |text: String| if strict { Outcome::Failed(text) } else { Outcome::Kept(Some(text)) };
        if (&was.metric, was.direction) != (&now.metric, now.direction) {
            let text = format!("{workspace}: the score is {}, that of the baseline {}", now.metric, was.metric);
            let wrong = || usage(text.clone()).hint("name a baseline that the same scorer made");
            return Check {
                json: json!({"baseline": was.score, "metric": was.metric, "passed": !strict}),
                outcome: if strict { Outcome::Wrong(Box::new(wrong())) } else { Outcome::Kept(Some(text)) },
            };
        }
        let difference = now.score - was.score;
        let regressed = now.worse_by(was) > self.args.tolerance.unwrap_or_default();
        let sign = if difference > 0.0 { "+" } else { "" };
        let [shown, before] = apart(now.score, was.score);
        let text =
            format!("{workspace}: {} is {shown}, the baseline {before} ({sign}{})", now.metric, small(difference));
        let json = json!({"baseline": was.score, "metric": now.metric, "value": now.score, "difference": difference,
                          "regressed": regressed, "passed": !(regressed && strict)});
        Check { json, outcome: if regressed { fail(text) } else { Outcome::Kept(Some(text)) } }
    }

    /// Writes the file for build servers, if one is wanted.
    pub fn write_junit(&self, reports: &[Report], judged: &Judged) -> Result<(), ScoreError> {
        let Some(path) = &self.args.junit else { return Ok(()) };
        let cases: Vec<Case> =
            reports.iter().zip(&judged.checks).map(|(report, checks)| case(report, checks)).collect();
        write_whole(path, junit(&cases).as_bytes()).map_err(|error| unwritable(path, &error))
    }
}

impl Judged {
    /// How the command ends because of the gates.
    pub fn exit(&self) -> Exit {
        let exits = self.checks.iter().flatten().map(|check| match &check.outcome {
            Outcome::Kept(_) => Exit::Done,
            Outcome::Failed(_) => Exit::Differs,
            Outcome::Wrong(error) => Exit::of(error),
        });
        exits.max().unwrap_or(Exit::Done)
    }

    /// The checks of a workspace, for machines.
    pub fn json(&self, workspace: usize) -> Vec<&Value> {
        self.checks.get(workspace).into_iter().flatten().map(|check| &check.json).collect()
    }

    /// The first gate that could not be looked at.
    pub fn error(&self) -> Option<&ScoreError> {
        self.checks.iter().flatten().find_map(|check| match &check.outcome {
            Outcome::Wrong(error) => Some(&**error),
            _ => None,
        })
    }

    /// Says how scores stand to their baselines.
    pub fn show_kept(&self) {
        for check in self.checks.iter().flatten() {
            if let Outcome::Kept(Some(text)) = &check.outcome {
                print::out(format!("baseline: {text}"));
            }
        }
    }

    /// Says in one line which gates failed.
    pub fn say_why(&self) {
        let failed: Vec<&String> = self.checks.iter().flatten().filter_map(Check::failure).collect();
        let Some(first) = failed.first() else { return };
        let workspaces =
            self.checks.iter().filter(|checks| checks.iter().any(|check| check.failure().is_some())).count();
        let count = match (failed.len(), self.checks.len()) {
            (1, _) => String::new(),
            (gates, 1) => format!(" (and {} more)", gates - 1),
            (gates, all) => format!(" (and {} more, in {workspaces} of {all} workspaces)", gates - 1),
        };
        print::err(format!("gate failed: {first}{count}"));
    }
}

impl Check {
    fn failure(&self) -> Option<&String> {
        match &self.outcome {
            Outcome::Failed(text) => Some(text),
            _ => None,
        }
    }
}

/// Whether the file for build servers can be written, asked before anything is scored.
fn writable(path: &Path) -> Result<(), ScoreError> {
    if path.is_dir() {
        return Err(unwritable(path, &io::Error::from(io::ErrorKind::IsADirectory)));
    }
    let beside = path.with_file_name(format!(".autoscorer-{}", std::process::id()));
    write_whole(&beside, b"").map_err(|error| unwritable(path, &error))?;
    fs::remove_file(beside).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> ScoreError {
    ScoreError::new(ErrorCode::MissingFile, format!("{} cannot be written: {error}", path.display()))
        .file(path.display().to_string())
        .hint("name a file in a folder that exists and can be written to")
        .at_stage("save")
}

fn check_gate(gate: &Gate, report: &Report) -> Check {
    let workspace = print::visible(&report.workspace);
    match gate.value(&report.result.metrics, &report.result.summary) {
        Ok(value) => {
            let passed = gate.holds(value);
            let json = json!({"gate": gate.to_string(), "value": value, "passed": passed});
            let why = || {
                format!(
                    "{workspace}: {} is {}, expected {}",
                    print::visible(&gate.metric),
                    exact(value),
                    gate.expectation()
                )
            };
            Check { json, outcome: if passed { Outcome::Kept(None) } else { Outcome::Failed(why()) } }
        }
        Err(unknown) => {
            let message = format!("the gate {gate} is on a metric that {} does not have", report.workspace);
            let likely = || unknown.nearest.map(|name| format!("did you mean '{name}'?"));
            let hint = several(gate).or_else(likely).unwrap_or_else(|| known(&report.result));
            let error = usage(message).file(report.workspace.clone()).hint(hint);
            Check {
                json: json!({"gate": gate.to_string(), "passed": false, "error": error}),
                outcome: Outcome::Wrong(Box::new(error)),
            }
        }
    }
}

/// One unknown name in many workspaces is one mistake, and mostly that of scorers which have no metric in common.
fn tell_how_many(gate: &Gate, checks: &mut [&mut Check]) {
    let all = checks.len();
    let mut wrong: Vec<&mut ScoreError> = checks
        .iter_mut()
        .filter_map(|check| match &mut check.outcome {
            Outcome::Wrong(error) => Some(&mut **error),
            _ => None,
        })
        .collect();
    let lacking = wrong.len();
    if let Some(first) = wrong.first_mut().filter(|_| all > 1 && several(gate).is_none()) {
        let name = first.details.file.clone().unwrap_or_default();
        first.message =
            format!("the gate {gate} is on a metric that {lacking} of {all} workspaces do not have, such as {name}");
        if lacking < all {
            first.details.hint = Some("'score' is the name that all have: --gate 'score>=0.6'".to_owned());
        }
    }
}

/// A list of gates in one, which is read as a gate on a metric with a comma in its name.
fn several(gate: &Gate) -> Option<String> {
    let text = gate.to_string();
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let all = parts.len() > 1 && parts.iter().all(|part| part.parse::<Gate>().is_ok());
    let flags: Vec<String> = parts.iter().map(|part| format!("--gate '{part}'")).collect();
    all.then(|| format!("repeat --gate for each: {}", flags.join(" ")))
}

fn known(result: &ResultFile) -> String {
    let names: Vec<&str> = result.metrics.keys().take(10).map(String::as_str).collect();
    let more = if result.metrics.len() > names.len() { ", …" } else { "" };
    format!("its metrics are {}{more}", names.join(", "))
}

/// Two numbers as people read them, unless they would look the same.
fn apart(a: f64, b: f64) -> [String; 2] {
    let short = [a, b].map(print::number);
    if a != b && short[0] == short[1] { [a, b].map(exact) } else { short }
}

fn small(difference: f64) -> String {
    if difference != 0.0 && difference.abs() < 1e-6 { format!("{difference:e}") } else { print::number(difference) }
}

/// A number that is just beside a border must not be rounded onto it.
fn exact(value: f64) -> String {
    value.to_string()
}

fn case(report: &Report, checks: &[Check]) -> Case {
    let result = &report.result;
    let error = |error: &ScoreError| {
        let hint = error.details.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
        Trouble::Error { code: error.code.to_string(), message: format!("{}{hint}", error.message) }
    };
    let gate = |check: &Check| match &check.outcome {
        Outcome::Kept(_) => None,
        Outcome::Failed(text) => Some(Trouble::Failure(text.clone())),
        Outcome::Wrong(wrong) => Some(error(wrong)),
    };
    let log =
        Scoreline::of(&result.summary).map(|line| format!("{} = {}", line.metric, line.score)).unwrap_or_default();
    Case {
        name: report.workspace.clone(),
        scorer: result.versioning.scorer.clone().unwrap_or_else(|| "unknown".to_owned()),
        time: result.timing.total_time,
        troubles: result.error.iter().map(error).chain(checks.iter().filter_map(gate)).collect(),
        log,
    }
}

fn warn_of_differences(was: &Stored, report: &Report) {
    let Some(now) = serde_json::to_value(&report.result).ok().and_then(|value| serde_json::from_value(value).ok())
    else {
        return;
    };
    for caution in cautions(was, &now).iter().filter(|caution| !SILENT.contains(&caution.code)) {
        let message = format!("compared with the baseline: {}", print::visible(&caution.message));
        print::err(print::warning(&report.workspace, &message));
    }
}

/// What a workspace is paired by: the name of its folder.
fn name_of(workspace: &str) -> String {
    let path = fs::canonicalize(workspace).unwrap_or_else(|_| workspace.into());
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn usage(message: String) -> ScoreError {
    ScoreError::new(ErrorCode::InvalidParams, message).at_stage("usage")
}
