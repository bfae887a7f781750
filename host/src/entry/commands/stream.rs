//! `score -`: workspaces come in on stdin, one a line, and are scored as they come, while the folder of custom scorers is
//! followed. A program can keep it running and feed it.

use std::io::{self, BufRead};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::requests;
use super::score::{line, row, workers};
use crate::engine::Engine;
use crate::entry::cli::ScoreArgs;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::job::Request;
use crate::registry::Event;
use crate::run::Cancel;

/// A line of stdin that is JSON.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    workspace: String,
    scorer: Option<String>,
    #[serde(default)]
    params: Map<String, Value>,
}

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
        read_lines(&template, &sender, cancel);
        drop(sender);
    });
    let worst = *worst.lock();
    Ok(if cancel.requested() { Exit::Interrupted } else { worst })
}

fn work(
    receiver: &Mutex<Receiver<Result<Request, ScoreError>>>,
    engine: &Engine,
    cancel: &Cancel,
    jsonl: bool,
    worst: &Mutex<Exit>,
) {
    loop {
        // The lock is held while waiting and given back before scoring.
        let next = receiver.lock().recv();
        let Ok(request) = next else { return };
        let start = Instant::now();
        let report = match request {
            Ok(request) => engine.score(&request, cancel),
            Err(error) => engine.reject(error),
        };
        if let Some(error) = &report.result.error {
            let mut worst = worst.lock();
            *worst = (*worst).max(Exit::of(error));
        }
        if jsonl {
            line(&report, start).print_line();
        } else {
            print::out(row(&report).join("\t"));
        }
    }
}

/// Reads on a thread of its own, since a read from stdin cannot be interrupted; an interrupt must end the program.
fn read_lines(template: &Request, sender: &SyncSender<Result<Request, ScoreError>>, cancel: &Cancel) {
    let (lines, received) = sync_channel(1);
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            if lines.send(line).is_err() {
                return;
            }
        }
    });
    while !cancel.requested() {
        match received.recv_timeout(std::time::Duration::from_millis(50)) {
            Ok(Ok(line)) if line.trim().is_empty() => {}
            Ok(Ok(line)) => _ = sender.send(request(template, &line)),
            Ok(Err(error)) => {
                let error = ScoreError::new(ErrorCode::BadFormat, format!("stdin cannot be read: {error}"));
                _ = sender.send(Err(error));
            }
            Err(std::sync::mpsc::RecvTimeoutError::Timeout) => {}
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// A line is a path, or a JSON object with the path and what else a request may have.
fn request(template: &Request, line: &str) -> Result<Request, ScoreError> {
    if !line.trim_start().starts_with('{') {
        return Ok(Request { workspace: line.to_owned(), ..template.clone() });
    }
    let wrong = |reason: String| {
        ScoreError::new(ErrorCode::InvalidParams, format!("a line of stdin is wrong: {reason}"))
            .found(line.chars().take(200).collect::<String>())
            .expected("a path, or {\"workspace\": PATH, \"scorer\": NAME, \"params\": {…}}")
            .at_stage("meta")
    };
    let given: Line = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
    let mut request = Request { workspace: given.workspace, ..template.clone() };
    if let Some(name) = given.scorer {
        request.scorer = Some(name.parse().map_err(wrong)?);
    }
    request.params.extend(given.params);
    Ok(request)
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
