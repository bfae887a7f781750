//! A section of the page: one result with its score, metrics, pictures, warnings and provenance.

use autoscorer_plugin_api::error::ScoreError;
use serde_json::{Map, Value};

use super::page::Entry;
use super::picture::Pictures;
use crate::results::{Stored, escaped};

/// So many metrics are shown; all are in the result.
const MOST_METRICS: usize = 500;

/// So many are shown before one has to ask for the others.
const FIRST_METRICS: usize = 16;

/// So many warnings are shown.
const MOST_WARNINGS: usize = 200;

/// So many further faults of one error are shown.
const MOST_FAULTS: usize = 20;

/// The section of one entry, with a heading where there are several.
pub fn section(at: usize, entry: &Entry, with_heading: bool) -> String {
    let heading = if with_heading { format!("<h2>{}</h2>", escaped(&entry.name)) } else { String::new() };
    let body = match &entry.result {
        Ok((stored, pictures)) => result(stored, pictures),
        Err(error) => failure(error),
    };
    format!("<section id=\"r{at}\">{heading}{body}</section>\n")
}

/// Scorer, score, rank, pass and warnings, as cells of the overview.
pub fn overview_cells(stored: &Stored) -> String {
    let scorer = format!("<td>{}</td>", escaped(stored.made_by("scorer").unwrap_or("–")));
    let warnings = if stored.warnings.is_empty() { String::new() } else { stored.warnings.len().to_string() };
    match (&stored.error, stored.scoreline()) {
        (Some(error), _) => {
            format!("{scorer}<td class=\"number\">{}</td><td colspan=\"2\"></td><td>{warnings}</td>", code(error))
        }
        (None, line) => format!(
            "{scorer}<td class=\"number\">{}</td><td>{}</td><td>{}</td><td>{warnings}</td>",
            line.map(|line| number(line.score)).unwrap_or_default(),
            escaped(summary(stored, "rank")),
            pass(stored)
        ),
    }
}

/// An error's code as a tag.
pub fn code(error: &ScoreError) -> String {
    format!("<span class=\"tag no\">{}</span>", escaped(&error.code.to_string()))
}

fn result(stored: &Stored, pictures: &Pictures) -> String {
    let head = match &stored.error {
        Some(error) => failure(error),
        None => score(stored),
    };
    format!("{head}{}{}{}{}", warnings(stored), metrics(stored), shown(pictures), provenance(stored))
}

fn score(stored: &Stored) -> String {
    let Some(line) = stored.scoreline() else { return String::new() };
    let way = match line.direction {
        autoscorer_plugin_api::outcome::Direction::Higher => "more is better",
        autoscorer_plugin_api::outcome::Direction::Lower => "less is better",
    };
    let rank = Some(summary(stored, "rank")).filter(|rank| !rank.is_empty());
    let rank = rank.map(|rank| format!("<div><b>{}</b><span>rank</span></div>", escaped(rank))).unwrap_or_default();
    let pass = Some(pass(stored))
        .filter(|pass| !pass.is_empty())
        .map(|pass| format!("<div><b>{pass}</b><span>pass</span></div>"));
    format!(
        "<div class=\"score\"><div><b>{}</b><span>{}, {way}</span></div>{rank}{}<div><b class=\"small\">{}</b><span>scorer</span></div></div>",
        number(line.score),
        escaped(&line.metric),
        pass.unwrap_or_default(),
        escaped(stored.made_by("scorer").unwrap_or("–"))
    )
}

fn summary<'s>(stored: &'s Stored, key: &str) -> &'s str {
    stored.summary.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn pass(stored: &Stored) -> &'static str {
    match stored.summary.get("pass").and_then(Value::as_bool) {
        Some(true) => "<span class=\"yes\">yes</span>",
        Some(false) => "<span class=\"no\">no</span>",
        None => "",
    }
}

/// What, where, why, and what to do next.
fn failure(error: &ScoreError) -> String {
    let details = &error.details;
    let place = details.file.as_ref().map(|file| match details.line {
        Some(line) => format!("{file}:{line}"),
        None => file.clone(),
    });
    let mut rows = String::new();
    for (label, value) in
        [("at", &place), ("found", &details.found), ("expected", &details.expected), ("help", &details.hint)]
    {
        if let Some(value) = value {
            rows.push_str(&row(label, &cut(value)));
        }
    }
    for other in details.more.get("faults").and_then(Value::as_array).into_iter().flatten().take(MOST_FAULTS) {
        if let Some(message) = other.get("message").and_then(Value::as_str) {
            rows.push_str(&row("also", &cut(message)));
        }
    }
    let stage = error
        .stage
        .as_deref()
        .map(|stage| format!(" <span class=\"dim\">while: {}</span>", escaped(stage)))
        .unwrap_or_default();
    format!(
        "<div class=\"banner bad\"><p>{}{stage}</p><p><b>{}</b></p><table>{rows}</table></div>",
        code(error),
        cut(&error.message)
    )
}

fn warnings(stored: &Stored) -> String {
    let (all, shown) = (stored.warnings.len(), stored.warnings.len().min(MOST_WARNINGS));
    if all == 0 {
        return String::new();
    }
    let rows: String = stored.warnings[..shown]
        .iter()
        .map(|one| format!("<tr><td><code>{}</code></td><td>{}</td></tr>", escaped(&one.code), cut(&one.message)))
        .collect();
    let more =
        if all > shown { format!("<p class=\"dim\">{} more in result.json</p>", all - shown) } else { String::new() };
    format!("<div class=\"banner\"><p><b>Worth knowing</b></p><table>{rows}</table>{more}</div>")
}

fn metrics(stored: &Stored) -> String {
    if stored.metrics.is_empty() {
        return String::new();
    }
    let rows: Vec<String> = stored
        .metrics
        .iter()
        .take(MOST_METRICS)
        .map(|(name, value)| format!("<tr><td>{}</td><td class=\"number\">{}</td></tr>", cut(name), number(*value)))
        .collect();
    let (first, rest) = rows.split_at(rows.len().min(FIRST_METRICS));
    let mut text = format!("<h3>Metrics</h3><div class=\"columns\"><table>{}</table></div>", first.concat());
    if !rest.is_empty() {
        let more = stored.metrics.len() - first.len();
        let note = if stored.metrics.len() > MOST_METRICS {
            "<p class=\"dim\">The others are in result.json.</p>"
        } else {
            ""
        };
        text.push_str(&format!(
            "<details><summary>{more} more</summary><div class=\"columns\"><table>{}</table></div>{note}</details>",
            rest.concat()
        ));
    }
    text
}

fn shown(pictures: &Pictures) -> String {
    if pictures.shown.is_empty() && pictures.missing.is_empty() {
        return String::new();
    }
    let figure = |picture: &super::picture::Picture| {
        let name = escaped(&picture.name);
        format!("<figure><img alt=\"{name}\" src=\"{}\"/><figcaption>{name}</figcaption></figure>", picture.url)
    };
    let figures: String = pictures.shown.iter().map(figure).collect();
    let missing: String = pictures.missing.iter().map(|why| format!("<p class=\"dim\">{}</p>", cut(why))).collect();
    format!("<h3>Pictures</h3><div class=\"pictures\">{figures}</div>{missing}")
}

fn provenance(stored: &Stored) -> String {
    let mut rows = row("result", &cut(&stored.path.display().to_string()));
    for (key, value) in &stored.versioning {
        match value {
            Value::Null => {}
            Value::Object(fields) if fields.is_empty() => {}
            Value::Object(fields) => rows.push_str(&row(&escaped(key), &nested(fields))),
            Value::String(text) => rows.push_str(&row(&escaped(key), &cut(text))),
            other => rows.push_str(&row(&escaped(key), &cut(&other.to_string()))),
        }
    }
    if let Some(total) = stored.timing.get("total_time").and_then(Value::as_f64) {
        rows.push_str(&row("total_time", &format!("{total:.3} s")));
    }
    let artifacts: String = stored
        .artifacts
        .iter()
        .take(MOST_WARNINGS)
        .map(|(name, artifact)| {
            row(&escaped(name), &format!("{} bytes, <code>{}</code>", artifact.size, cut(&artifact.sha256)))
        })
        .collect();
    let artifacts =
        if artifacts.is_empty() { artifacts } else { format!("<h4>Artifacts</h4><table>{artifacts}</table>") };
    format!("<details class=\"provenance\"><summary>Provenance</summary><table>{rows}</table>{artifacts}</details>")
}

fn nested(fields: &Map<String, Value>) -> String {
    let line = |(key, value): (&String, &Value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("<div>{} <code>{}</code></div>", escaped(key), cut(&value))
    };
    fields.iter().take(MOST_WARNINGS).map(line).collect()
}

/// The label is ours or escaped, and so is the value.
fn row(label: &str, value: &str) -> String {
    format!("<tr><th scope=\"row\">{label}</th><td>{value}</td></tr>")
}

/// A foreign text, escaped, and cut where it has no end.
fn cut(text: &str) -> String {
    const LONGEST: usize = 1_000;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", escaped(&text[..end])),
        None => escaped(text),
    }
}

/// Six digits after the point, whole numbers without any.
fn number(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 { format!("{value}") } else { format!("{value:.6}") }
}
