//! `review`: comments and references become a workspace of `review_match`, which is scored and shown.

use std::path::Path;
use std::sync::Arc;

use autoscorer_plugin_api::context::Level;
use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::Value;

use super::judging_bar::JudgingBar;
use super::laid_out::LaidOut;
use super::{interrupt, requests, score};
use crate::engine::{Engine, Report};
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::entry::review_args::ReviewArgs;
use crate::job::{Observer, Request, ScorerName};
use crate::save::ResultFile;
use crate::settings::Settings;
use crate::telemetry::narrate;

/// The scorer behind the command.
pub const SCORER: &str = "review_match";

/// Lays out the workspace, scores it, shows what came of it.
pub fn run(args: &ReviewArgs, settings: &Settings) -> Result<Exit, ScoreError> {
    let cancel = interrupt::cancel()?;
    if args.progress {
        narrate::from(Level::Info);
    }
    let mut request = requests::template(&args.job, true)?;
    let mut params = args.params();
    params.append(&mut request.params);
    let laid_out = LaidOut::new(args, &params)?;
    let scorer: ScorerName = SCORER.parse().map_err(|expected: String| unhandled(&expected))?;
    let engine = Engine::new(settings);
    let workspace = laid_out.folder().display().to_string();
    let bar = Arc::new(JudgingBar::new(args.progress));
    let observer = Observer::new(bar.clone());
    let request = Request { workspace, scorer: request.scorer.or(Some(scorer)), params, observer, ..request };
    engine.load_needed(request.scorer.iter());
    let report = engine.score(&request, &cancel);
    bar.clear();
    laid_out.bring_up(&report.result)?;
    if args.json {
        score::line(&report).print();
    } else {
        show(&report, laid_out.folder());
    }
    Ok(report.result.error.as_ref().map_or(Exit::Done, Exit::of))
}

fn unhandled(message: &str) -> ScoreError {
    ScoreError::new(ErrorCode::UnhandledError, message)
}

fn show(report: &Report, folder: &Path) {
    let result = &report.result;
    for warning in &result.warnings {
        print::err(print::warning(&warning.code, &print::visible(&warning.message)));
    }
    if let Some(error) = &result.error {
        print::err(print::explain(error, None));
        return;
    }
    if result.details.get("dry_run").is_some() {
        show_metrics(result, &["pairs", "calls", "calls_most", "tokens"]);
        return;
    }
    let estimate = result.details.get("estimate") == Some(&Value::Bool(true));
    show_head(result, estimate);
    show_groups(result);
    print::out("");
    for name in ["evaluation_results.json", "report.html"].iter().filter(|name| folder.join(name).exists()) {
        print::out(folder.join(name).display());
    }
}

/// The measures with their intervals, then the way from references to matches.
fn show_head(result: &ResultFile, estimate: bool) {
    let text = |key: &str| result.details.get(key).map(print::plain).unwrap_or_default();
    let label = if estimate { " (an estimate)" } else { "" };
    print::out(format!("profile {}, meaning by {}{label}\n", text("profile"), text("semantic_matcher_type")));
    let mut table = print::table(&["measure", "value", "95 % interval"]);
    for name in ["f1", "precision", "recall", "line_f1", "line_precision", "line_recall"] {
        let metric = |suffix: &str| result.metrics.get(&format!("{name}{suffix}")).copied();
        if let Some(value) = metric("") {
            let interval = metric("_low").zip(metric("_high"));
            let interval = interval.map_or("-".to_owned(), |(low, high)| format!("{low:.3} – {high:.3}"));
            table.add_row([name.to_owned(), format!("{value:.4}"), interval]);
        }
    }
    print::out(print::rows(&table));
    print::out("");
    let counts = ["pull_requests", "comments", "references", "references_located", "references_matched", "coverage"];
    show_metrics(result, &counts);
}

fn show_metrics(result: &ResultFile, names: &[&str]) {
    let mut table = print::table(&["count", "value"]);
    for (name, value) in names.iter().filter_map(|name| Some((name, result.metrics.get(*name)?))) {
        table.add_row([(*name).to_owned(), print::number(*value)]);
    }
    print::out(print::rows(&table));
}

/// References by category: how many there are, were located, were matched.
fn show_groups(result: &ResultFile) {
    let groups = |key: &str| result.details.get("breakdown").and_then(|all| all.get(key)?.as_object());
    let mut table = print::table(&["references", "all", "located", "matched", "recall"]);
    for (name, group) in ["comment_category", "comment_context"].iter().filter_map(|key| groups(key)).flatten() {
        let number = |key: &str| group[key].as_u64().unwrap_or_default().to_string();
        let recall = format!("{:.3}", group["recall"].as_f64().unwrap_or_default());
        table.add_row([print::visible(name), number("references"), number("located"), number("matched"), recall]);
    }
    if !table.is_empty() {
        print::out("");
        print::out(print::rows(&table));
    }
}
