//! What a person sees of a judged review: measures, counts, groups, and where the rest is.

use std::path::Path;

use serde_json::Value;

use crate::engine::Report;
use crate::entry::print;
use crate::save::ResultFile;

/// What filters leave out, told where they do.
const FILTERED: [&str; 5] = [
    "pull_requests_filtered",
    "comment_files_filtered",
    "comments_of_pull_requests_filtered",
    "references_of_pull_requests_filtered",
    "references_filtered",
];

/// Shows a report; what is in the folder is named.
pub fn show(report: &Report, folder: &Path) {
    let result = &report.result;
    for warning in &result.warnings {
        print::err(print::warning(&warning.code, &print::visible(&warning.message)));
    }
    if let Some(error) = &result.error {
        print::err(print::explain(error, None));
        return;
    }
    if result.details.get("dry_run").is_some() {
        let matcher = result.details.get("semantic_matcher_type").map(print::plain).unwrap_or_default();
        print::out(format!("meaning by {matcher}\n"));
        show_metrics(result, &["pairs", "pairs_known", "calls", "calls_most", "tokens"]);
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
    let partly = result.metrics.get("coverage").filter(|coverage| **coverage < 1.0);
    let partly = partly.map(|coverage| format!(", verdicts for {:.1} % of the pairs", 100.0 * coverage));
    let matcher = text("semantic_matcher_type");
    print::out(format!("profile {}, meaning by {matcher}{label}{}\n", text("profile"), partly.unwrap_or_default()));
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
    let left_out = FILTERED.iter().copied().filter(|name| result.metrics.get(*name).is_some_and(|count| *count > 0.0));
    show_metrics(result, &counts.into_iter().chain(left_out).collect::<Vec<_>>());
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
