//! `score`: many workspaces at once, one row each.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use serde_json::json;

use super::gates::{Gates, Judged};
use super::{interrupt, requests, stream};
use crate::engine::{Engine, Report};
use crate::entry::cli::ScoreArgs;
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::job::{Job, Request};
use crate::run::Cancel;
use crate::save::ResultFile;
use crate::settings::Settings;

/// Work that takes no longer needs no bar.
const BAR_AFTER: Duration = Duration::from_secs(1);

/// How many metrics of a single workspace are shown; all are in its result.
const SHOWN_METRICS: usize = 12;

/// Scores the workspaces.
pub fn run(args: &ScoreArgs, settings: &Settings, start: Instant) -> Result<Exit, ScoreError> {
    let cancel = interrupt::cancel()?;
    let engine = Engine::new(settings);
    if args.workspaces.iter().any(|workspace| workspace == "-") {
        check_stream(args)?;
        return stream::run(args, engine, &cancel);
    }
    if args.events {
        let message = "--events tells what happens to the folder of custom scorers, which only '-' follows";
        let error = ScoreError::new(ErrorCode::InvalidParams, message).at_stage("usage");
        return Err(
            error.hint("leave --events out, or write the workspaces to the stdin of 'score - --jsonl --events'")
        );
    }
    let requests = requests::requests(&args.workspaces, &args.job, !args.no_artifacts)?;
    let gates = Gates::new(&args.gate, requests.len())?;
    let names: Vec<_> =
        requests.iter().filter_map(|request| Job::prepare(request).ok()).map(|job| job.scorer).collect();
    engine.load_needed(names.iter());
    let reports = score_all(&engine, &requests, args.jobs, &cancel, |report| {
        if args.jsonl {
            line(report).print_line();
        }
    });
    let judged = gates.judge(&reports);
    let written = gates.write_junit(&reports, &judged).err();
    match (args.json, args.jsonl) {
        (true, _) => {
            let answer = document(&reports, &judged, args.gate.any(), start);
            answer.or_failed(written.as_ref()).print();
        }
        (_, true) => {}
        _ => {
            show(&reports);
            judged.show_kept();
        }
    }
    if let Some(error) = judged.error().filter(|_| !args.json) {
        print::err(print::explain(error, None));
    }
    judged.say_why();
    if let Some(error) = written.as_ref().filter(|_| !args.json) {
        print::err(print::explain(error, None));
    }
    // A failed score may be worse than a file that could not be written.
    let unwritten = written.as_ref().map_or(Exit::Done, Exit::of);
    Ok(worst(&reports).max(judged.exit()).max(unwritten))
}

/// Stdin cannot be mixed with other workspaces, and never makes one document.
fn check_stream(args: &ScoreArgs) -> Result<(), ScoreError> {
    let usage = |message: &str, hint: &str| {
        Err(ScoreError::new(ErrorCode::InvalidParams, message).hint(hint).at_stage("usage"))
    };
    match (args.workspaces.len(), args.json) {
        _ if args.gate.any() => usage("'-' has no end to hold scores against gates at", "name the workspaces"),
        (1, false) => Ok(()),
        (1, true) => usage("'-' has no end to print one document at", "use --jsonl for one document a line"),
        _ => usage("'-' stands alone", "name the workspaces, or write their names to stdin, but not both"),
    }
}

/// How many jobs run at the same time.
pub(super) fn workers(asked: Option<usize>) -> usize {
    asked.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)).max(1)
}

/// Scores on several threads; the reports have the order of the requests.
fn score_all(
    engine: &Engine,
    requests: &[Request],
    jobs: Option<usize>,
    cancel: &Cancel,
    done: impl Fn(&Report),
) -> Vec<Report> {
    if let ([request], false) = (requests, std::io::stderr().is_terminal()) {
        let report = engine.score(request, cancel);
        done(&report);
        return vec![report];
    }
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut reports: Vec<Option<Report>> = requests.iter().map(|_| None).collect();
    thread::scope(|scope| {
        for _ in 0..workers(jobs).min(requests.len()) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some((at, request)) = claim(next, requests) {
                    // The receiver lives as long as this scope.
                    _ = sender.send((at, engine.score(request, cancel)));
                }
            });
        }
        drop(sender);
        let mut bar: Option<ProgressBar> = None;
        let start = Instant::now();
        for count in 0.. {
            let patience = if bar.is_none() { BAR_AFTER.saturating_sub(start.elapsed()) } else { Duration::MAX };
            let received = receiver.recv_timeout(patience).or_else(|error| match error {
                RecvTimeoutError::Disconnected => Err(error),
                RecvTimeoutError::Timeout => {
                    bar = Some(progress_bar(requests.len(), count));
                    receiver.recv().map_err(|_| RecvTimeoutError::Disconnected)
                }
            });
            let Ok((at, report)) = received else { break };
            done(&report);
            bar.iter().for_each(|bar| bar.inc(1));
            reports[at] = Some(report);
        }
        bar.iter().for_each(ProgressBar::finish_and_clear);
    });
    reports.into_iter().flatten().collect()
}

fn claim<'r>(next: &AtomicUsize, requests: &'r [Request]) -> Option<(usize, &'r Request)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, requests.get(at)?))
}

/// A bar on stderr, if that is a terminal.
fn progress_bar(length: usize, done: u64) -> ProgressBar {
    let bar = ProgressBar::new(length as u64).with_position(done);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} workspaces, {eta} left") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// The worst thing that happened to any workspace.
pub(super) fn worst(reports: &[Report]) -> Exit {
    let exits = reports.iter().filter_map(|report| report.result.error.as_ref()).map(Exit::of);
    exits.max().unwrap_or(Exit::Done)
}

/// A result with the workspace it belongs to.
#[derive(Serialize)]
pub(super) struct Scored<'r> {
    workspace: &'r str,
    #[serde(flatten)]
    result: &'r ResultFile,
}

/// One workspace's answer.
pub(super) fn line(report: &Report) -> Envelope<Scored<'_>> {
    let scored = Scored { workspace: &report.workspace, result: &report.result };
    Envelope::after(Some(scored), report.result.error.clone(), report.result.timing.total_time)
}

/// The same without gates.
pub(super) fn document_of(reports: &[Report], start: Instant) -> Envelope<serde_json::Value> {
    document(reports, &Judged::default(), false, start)
}

/// One workspace's answer is its result; that of several is a list of them, and an error if any failed.
pub(super) fn document(
    reports: &[Report],
    judged: &Judged,
    gated: bool,
    start: Instant,
) -> Envelope<serde_json::Value> {
    let scored = |(at, report): (usize, &Report)| {
        let mut scored = json!(Scored { workspace: &report.workspace, result: &report.result });
        if gated {
            scored["gates"] = json!(judged.json(at));
        }
        scored
    };
    if let [report] = reports {
        let error = report.result.error.as_ref().or(judged.error()).cloned();
        return Envelope::new(Some(scored((0, report))), error, start);
    }
    let failed: Vec<&Report> = reports.iter().filter(|report| report.result.error.is_some()).collect();
    let error = failed.first().and_then(|report| report.result.error.as_ref()).map(|first| {
        let message = format!(
            "{} of {} workspaces failed; the first, {}: {}",
            failed.len(),
            reports.len(),
            failed[0].workspace,
            first.message
        );
        ScoreError::new(first.code, message)
    });
    let error = error.or_else(|| judged.error().cloned());
    let results: Vec<_> = reports.iter().enumerate().map(scored).collect();
    let data = json!({"succeeded": reports.len() - failed.len(), "failed": failed.len(), "results": results});
    Envelope::new(Some(data), error, start)
}

pub(super) fn show(reports: &[Report]) {
    let mut table = print::table(&["workspace", "scorer", "score", "rank", "pass", "time"]);
    for report in reports {
        table.add_row(row(report));
    }
    print::out(print::rows(&table));
    if let [report] = reports {
        show_metrics(&report.result);
    }
    for report in reports {
        let result = &report.result;
        for warning in &result.warnings {
            print::err(print::warning(&report.workspace, &print::visible(&warning.message)));
        }
        if let Some(error) = &result.error {
            print::err(print::explain(error, (reports.len() > 1).then_some(&report.workspace)));
        }
    }
}

pub(super) fn row(report: &Report) -> Vec<String> {
    let result = &report.result;
    let text = |key: &str| result.summary.get(key).and_then(|value| value.as_str()).unwrap_or("-").to_owned();
    let score = match (&result.error, result.summary.get("score").and_then(|value| value.as_f64())) {
        (None, Some(score)) => print::number(score),
        (Some(error), _) => error.code.to_string(),
        (None, None) => "-".to_owned(),
    };
    let pass = match result.summary.get("pass").and_then(|value| value.as_bool()) {
        Some(true) => "yes",
        Some(false) => "no",
        None => "-",
    };
    let scorer = result.versioning.scorer.clone().unwrap_or_else(|| "-".to_owned());
    vec![
        print::visible(&report.workspace),
        scorer,
        score,
        text("rank"),
        pass.to_owned(),
        print::seconds(result.timing.total_time),
    ]
}

fn show_metrics(result: &ResultFile) {
    if result.metrics.is_empty() {
        return;
    }
    let mut table = print::table(&["metric", "value"]);
    for (name, value) in result.metrics.iter().take(SHOWN_METRICS) {
        table.add_row([&print::visible(name), &print::number(*value)]);
    }
    print::out("");
    print::out(print::rows(&table));
    if result.metrics.len() > SHOWN_METRICS {
        print::out(format!("… {} more in the result", result.metrics.len() - SHOWN_METRICS));
    }
}
