//! Printing: data to stdout, narration to stderr, for people or for machines.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anstyle::{AnsiColor, Style};
use autoscorer_plugin_api::error::ScoreError;
use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Table};
use serde_json::Value;

use super::envelope::Envelope;
use super::exit::Exit;

const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// How many further faults of one error are shown; `validate` shows all.
const SHOWN_FAULTS: usize = 5;

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Prints a line of data, in one piece. When nobody reads any more, as after `| head`, the work goes on in silence.
pub fn out(line: impl Display) {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(format!("{line}\n").as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => CLOSED.store(true, Ordering::Relaxed),
        Err(error) => {
            err(format!("error: stdout cannot be written: {error}"));
            std::process::exit(Exit::ScorerFailed as i32);
        }
    }
}

/// Whether nobody reads stdout any more; what goes on for ever ends then.
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Prints a line of narration, in one piece. A closed stderr must not stop the work.
pub fn err(line: impl Display) {
    _ = anstream::stderr().lock().write_all(format!("{line}\n").as_bytes());
}

/// Prints why a command failed.
pub fn failure(error: &ScoreError, json: bool, start: Instant) {
    if json {
        Envelope::<Value>::new(None, Some(error.clone()), start).print();
    } else {
        err(explain(error, None));
    }
}

/// An error in full: what, where, why, and what to do next.
pub fn explain(error: &ScoreError, workspace: Option<&str>) -> String {
    let details = &error.details;
    // A server has codes of its own, which say more.
    let code = details.more.get("server_code").and_then(Value::as_str).map_or_else(|| error.code.to_string(), visible);
    let mut text = format!("{RED}error[{code}]{RED:#} {}", visible(&error.message));
    let mut line = |label: &str, value: &dyn Display| {
        text.push_str(&format!("\n  {DIM}{label:>9}{DIM:#} {}", visible(&value.to_string())));
    };
    if let Some(workspace) = workspace {
        line("workspace", &workspace);
    }
    if let Some(file) = &details.file {
        line("at", &details.line.map_or_else(|| file.clone(), |number| format!("{file}:{number}")));
    }
    if let Some(location) = details.more.get("location").and_then(Value::as_str) {
        line("panic at", &location);
    }
    for (label, value) in [("found", &details.found), ("expected", &details.expected), ("help", &details.hint)] {
        if let Some(value) = value {
            line(label, value);
        }
    }
    for other in details.more.get("faults").and_then(Value::as_array).into_iter().flatten().take(SHOWN_FAULTS) {
        if let Ok(other) = serde_json::from_value::<ScoreError>(other.clone()) {
            line("also", &in_a_line(&other));
        }
    }
    text
}

/// Foreign text for a terminal: what would move the cursor or change colours is written out, and what is endless is cut.
pub fn visible(text: &str) -> String {
    const LONGEST: usize = 400;
    let mut shown = String::new();
    for c in text.chars().take(LONGEST) {
        if c.is_control() { shown.extend(c.escape_default()) } else { shown.push(c) }
    }
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// So many of something: `1 file`, `2 files`.
pub fn count(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// An error in one line, for a list of them.
fn in_a_line(error: &ScoreError) -> String {
    let details = &error.details;
    let place = match (&details.file, details.line) {
        (Some(file), Some(line)) => format!(" at {file}:{line}"),
        _ => String::new(),
    };
    let help = details.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("[{}] {}{place}{help}", error.code, error.message)
}

/// A warning in one line.
pub fn warning(subject: &str, message: &str) -> String {
    format!("{YELLOW}warning{YELLOW:#} {}: {message}", visible(subject))
}

/// A table without borders, as wide as its content.
pub fn table(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header.iter().map(|title| title.to_uppercase()));
    table
}

/// A table's text without the blanks that fill its last column, and without the one before its first.
pub fn rows(table: &Table) -> String {
    let text = table.to_string();
    let lines: Vec<&str> =
        text.lines().map(|line| line.trim_end().strip_prefix(' ').unwrap_or(line.trim_end())).collect();
    lines.join("\n")
}

/// A number as people read it: six digits after the point, whole numbers without any.
pub fn number(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 { format!("{value}") } else { format!("{value:.6}") }
}

/// A JSON value as people read it: text without quotes.
pub fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A time as people read it.
pub fn seconds(value: f64) -> String {
    if value < 1.0 { format!("{:.1} ms", value * 1e3) } else { format!("{value:.2} s") }
}
