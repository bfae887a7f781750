//! `score -`: workspaces come in on stdin, one a line, and are scored as they come, while the folder of custom scorers is
//! followed. A program can keep it running and feed it.

use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::requests;
use super::score::{line, row, workers};
use crate::engine::{Engine, Report};
use crate::entry::cli::ScoreArgs;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::job::Request;
use crate::registry::Event;
use crate::run::Cancel;

/// How often an interrupt is looked for.
const TICK: Duration = Duration::from_millis(50);

/// What a line asks for.
enum Order {
    Score(Request),
    /// Put the libraries back that were taken out and have this scorer.
    Lift(String),
}

/// A request to score, as JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScoreLine {
    workspace: String,
    scorer: Option<String>,
    #[serde(default)]
    params: Map<String, Value>,
}

/// A line that could not be understood, and for which workspace it was, as far as that is known.
struct Misread {
    workspace: String,
    error: ScoreError,
}

impl From<ScoreError> for Misread {
    fn from(error: ScoreError) -> Self {
        Self { workspace: String::new(), error }
    }
}

type Orders = Result<Order, Misread>;

/// Scores until stdin ends or somebody interrupts.
pub fn run(args: &ScoreArgs, engine: Engine, cancel: &Cancel) -> Result<Exit, ScoreError> {
    let template = requests::template(&args.job, !args.no_artifacts)?;
    narrate_events(&engine, args.events);
    engine.follow_folder().map_err(|error| ScoreError::new(ErrorCode::UnhandledError, error.to_string()))?;
    let workers = workers(args.jobs);
    // A bound, so that a fast writer waits instead of filling memory.
    let (sender, receiver) = sync_channel(workers);
    let receiver = Arc::new(Mutex::new(receiver));
    let worst = Mutex::new(Exit::Done);
    thread::scope(|scope| {
        for _ in 0..workers {
            let (receiver, engine, worst) = (receiver.clone(), &engine, &worst);
            scope.spawn(move || work(&receiver, engine, cancel, args.jsonl, worst));
        }
        read_orders(&template, &sender, cancel);
        drop(sender);
    });
    let worst = *worst.lock();
    Ok(if cancel.requested() { Exit::Interrupted } else { worst })
}

fn work(receiver: &Mutex<Receiver<Orders>>, engine: &Engine, cancel: &Cancel, jsonl: bool, worst: &Mutex<Exit>) {
    loop {
        // The lock is held while waiting and given back before scoring.
        let next = receiver.lock().recv();
        let Ok(order) = next else { return };
        let report = match order {
            Ok(Order::Score(request)) => engine.score(&request, cancel),
            Ok(Order::Lift(scorer)) => match lift(engine, &scorer) {
                Ok(()) => continue,
                Err(error) => engine.reject("", error),
            },
            Err(Misread { workspace, error }) => engine.reject(&workspace, error),
        };
        if let Some(error) = &report.result.error {
            let mut worst = worst.lock();
            *worst = (*worst).max(Exit::of(error));
        }
        show(&report, jsonl);
    }
}

fn show(report: &Report, jsonl: bool) {
    if jsonl {
        line(report).print_line();
        return;
    }
    print::out(row(report).join("\t"));
    if let Some(error) = &report.result.error {
        print::err(print::explain(error, Some(&report.workspace)));
    }
}

fn lift(engine: &Engine, scorer: &str) -> Result<(), ScoreError> {
    match engine.registry().lift(scorer) {
        Ok(0) => {
            Err(ScoreError::new(ErrorCode::ScorerNotFound, format!("no library with scorer '{scorer}' was taken out")))
        }
        Ok(_) => Ok(()),
        Err(refusal) => Err(refusal.as_error()),
    }
}

/// Reads on a thread of its own, since a read from stdin cannot be interrupted; an interrupt must end the program.
fn read_orders(template: &Request, sender: &SyncSender<Orders>, cancel: &Cancel) {
    let (lines, received) = sync_channel(1);
    thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        loop {
            let mut line = Vec::new();
            let read = match stdin.read_until(b'\n', &mut line) {
                Ok(0) => return,
                Ok(_) => Ok(line),
                Err(error) => Err(error),
            };
            let failed = read.is_err();
            if lines.send(read).is_err() || failed {
                return;
            }
        }
    });
    while !cancel.requested() && !print::is_closed() {
        match received.recv_timeout(TICK) {
            Ok(Ok(line)) if line.trim_ascii().is_empty() => {}
            // The workers live as long as the scope that this runs in.
            Ok(Ok(line)) => _ = sender.send(order(template, line)),
            Ok(Err(error)) => {
                let error = ScoreError::new(ErrorCode::BadFormat, format!("stdin cannot be read: {error}"));
                _ = sender.send(Err(error.into()));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// A line is a path, or a JSON object with the path and what else a request may have, or `{"lift": SCORER}`.
fn order(template: &Request, line: Vec<u8>) -> Orders {
    let line = String::from_utf8(line).map_err(|error| {
        let shown = String::from_utf8_lossy(error.as_bytes()).trim_end().to_owned();
        wrong(&shown, "it is not UTF-8")
    })?;
    let line = line.trim_end_matches(['\n', '\r']);
    if !line.trim_start().starts_with('{') {
        return Ok(Order::Score(Request { workspace: line.to_owned(), ..template.clone() }));
    }
    let object: Map<String, Value> = serde_json::from_str(line).map_err(|error| wrong(line, &error.to_string()))?;
    if let Some(Value::String(scorer)) = object.get("lift") {
        return Ok(Order::Lift(scorer.clone()));
    }
    let workspace = object.get("workspace").and_then(Value::as_str).unwrap_or_default().to_owned();
    let misread = |reason: &str| Misread { workspace: workspace.clone(), error: wrong(line, reason) };
    let given: ScoreLine = serde_json::from_value(object.into()).map_err(|error| misread(&error.to_string()))?;
    let mut request = Request { workspace: given.workspace, ..template.clone() };
    if let Some(name) = given.scorer {
        request.scorer = Some(name.parse().map_err(|expected: String| misread(&format!("expected {expected}")))?);
    }
    request.params.extend(given.params);
    Ok(Order::Score(request))
}

fn wrong(line: &str, reason: &str) -> ScoreError {
    ScoreError::new(ErrorCode::InvalidParams, format!("a line of stdin is wrong: {reason}"))
        .found(line.chars().take(200).collect::<String>())
        .expected("a path, or {\"workspace\": PATH, \"scorer\": NAME, \"params\": {…}}")
        .at_stage("meta")
}

/// Events go to stderr, or as lines of their own to stdout.
fn narrate_events(engine: &Engine, to_stdout: bool) {
    let events = engine.registry().events.subscribe();
    thread::spawn(move || {
        for event in events {
            if to_stdout {
                print::out(serde_json::to_string::<Event>(&event).unwrap_or_default());
            } else {
                print::err(&event.what);
            }
        }
    });
}
