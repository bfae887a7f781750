//! `review`: comments and references become a workspace of `review_match`, which is scored and shown.

mod bar;
mod laid_out;
mod show;
mod words;

use std::sync::Arc;
use std::time::Instant;

use autoscorer_plugin_api::context::Level;
use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::{Value, json};

use self::bar::JudgingBar;
use self::laid_out::LaidOut;
use super::gates::Gates;
use super::{interrupt, requests, score};
use crate::engine::{Engine, Report};
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::entry::review_args::{ReviewArgs, absolute};
use crate::job::{Observer, Request, ScorerName};
use crate::run::Cancel;
use crate::scratch::Scratch;
use crate::settings::Settings;
use crate::telemetry::narrate;

/// The scorer behind the command.
const SCORER: &str = "review_match";

/// Where the scorer remembers verdicts in its workspace, unless it is told otherwise.
const VERDICTS: &str = "output/.verdicts";

/// Lays out the workspace, scores it, shows what came of it.
pub fn run(args: &ReviewArgs, settings: &Settings) -> Result<Exit, ScoreError> {
    let start = Instant::now();
    let cancel = interrupt::cancel()?;
    if args.progress {
        narrate::from(Level::Info);
    }
    let gates = Gates::new(&args.gate, 1)?;
    let bar = Arc::new(JudgingBar::new(args.progress));
    let mut request = request(args, Observer::new(bar.clone()))?;
    // It is no property of the workspace: whoever scores it later wants a score.
    let dry = request.params.remove("dry_run") == Some(Value::Bool(true));
    let engine = Engine::new(settings);
    engine.load_needed(request.scorer.iter());
    let report = if dry { estimate(args, &engine, request, &cancel) } else { judge(args, &engine, request, &cancel) };
    bar.clear();
    let reports = [report?];
    let judged = gates.judge(&reports);
    let written = gates.write_junit(&reports, &judged).err();
    if args.json {
        score::document(&reports, &judged, args.gate.any(), start).or_failed(written.as_ref()).print();
    } else {
        show::show(&reports[0], &args.out);
        judged.show_kept();
        judged.error().into_iter().for_each(|error| print::err(print::explain(error, None)));
    }
    judged.say_why();
    if let Some(error) = written.as_ref().filter(|_| !args.json) {
        print::err(print::explain(error, None));
    }
    Ok(score::worst(&reports).max(judged.exit()).max(written.as_ref().map_or(Exit::Done, Exit::of)))
}

/// What is asked of the scorer, in a workspace that is not there yet.
fn request(args: &ReviewArgs, observer: Observer) -> Result<Request, ScoreError> {
    let mut request = requests::template(&args.job, true)?;
    let mut params = args.params();
    params.append(&mut request.params);
    let unhandled = |expected: String| ScoreError::new(ErrorCode::UnhandledError, expected);
    let scorer: ScorerName = SCORER.parse().map_err(unhandled)?;
    Ok(Request { scorer: request.scorer.or(Some(scorer)), params, observer, ..request })
}

fn judge(args: &ReviewArgs, engine: &Engine, request: Request, cancel: &Cancel) -> Result<Report, ScoreError> {
    let laid_out = LaidOut::new(args, &args.out, &request.params)?;
    let request = Request { workspace: args.out.display().to_string(), ..request };
    let Report { workspace, result } = engine.score(&request, cancel);
    laid_out.bring_up(&result)?;
    laid_out.pin(&request.params, &result)?;
    Ok(Report { workspace, result: laid_out.words().result(result) })
}

/// A dry run leaves everything as it is, so it is made elsewhere; but what is remembered where it would be made is known.
fn estimate(args: &ReviewArgs, engine: &Engine, mut request: Request, cancel: &Cancel) -> Result<Report, ScoreError> {
    let scratch = Scratch::new("review").map_err(|error| {
        ScoreError::new(ErrorCode::WorkspaceNotFound, format!("no folder for the dry run can be made: {error}"))
            .hint("set TMPDIR to a folder that can be written to")
    })?;
    let laid_out = LaidOut::new(args, scratch.path(), &request.params)?;
    let cache = request.params.get("cache").and_then(Value::as_str).unwrap_or(VERDICTS);
    let cache = if cache.is_empty() { String::new() } else { absolute(&args.out.join(cache)) };
    request.params.insert("cache".to_owned(), json!(cache));
    request.params.insert("dry_run".to_owned(), json!(true));
    request.workspace = scratch.path().display().to_string();
    let mut result = laid_out.words().result(engine.rescore(&request, cancel)?);
    // The number of calls is no score.
    result.summary.clear();
    Ok(Report { workspace: args.out.display().to_string(), result })
}
