//! `compare`: two results, or two folders of them, side by side.

use std::time::Instant;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::outcome::Direction;
use serde_json::{Value, json};

use crate::compare::{Comparison, Flips, Items, Metric, Verdict};
use crate::entry::compare_args::CompareArgs;
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::results::{Stored, StoredSet};

/// How many metrics of one comparison are shown; `--json` has all.
const SHOWN_METRICS: usize = 40;

/// How many items are named; `--json` has all.
const SHOWN_ITEMS: usize = 10;

/// What came of a path with the same name on both sides.
struct Pair {
    name: String,
    compared: Result<(Stored, Stored, Comparison), ScoreError>,
}

/// Compares.
pub fn run(args: &CompareArgs, start: Instant) -> Result<Exit, ScoreError> {
    let (a, b) = (StoredSet::read(&args.a)?, StoredSet::read(&args.b)?);
    let (pairs, alone) = pair(a, b, args)?;
    if args.json {
        document(&pairs, &alone, start).print();
    } else if let ([pair], [[], []]) = (&pairs[..], [&alone[0][..], &alone[1][..]]) {
        show_one(pair);
    } else {
        show_many(&pairs, &alone, args);
    }
    let exits = pairs.iter().filter_map(|pair| pair.compared.as_ref().err()).map(Exit::of);
    Ok(exits.max().unwrap_or(Exit::Done))
}

/// Single results are a pair whatever their names; results of folders are paired by name, and some stay alone.
fn pair(a: StoredSet, b: StoredSet, args: &CompareArgs) -> Result<(Vec<Pair>, [Vec<String>; 2]), ScoreError> {
    if a.is_folder != b.is_folder {
        let (folder, other) = if a.is_folder { (&args.a, &args.b) } else { (&args.b, &args.a) };
        let message = format!("{} is a folder of results and {} is one result", folder.display(), other.display());
        return Err(ScoreError::new(ErrorCode::InvalidParams, message)
            .hint("name two results, or two folders of results")
            .at_stage("usage"));
    }
    let is_folder = a.is_folder;
    let mut second = b.results;
    let (mut pairs, mut only_a) = (Vec::new(), Vec::new());
    for (name, a) in a.results {
        let partner = if is_folder { second.remove(&name) } else { second.pop_first().map(|(_, stored)| stored) };
        let Some(b) = partner else {
            only_a.push(name);
            continue;
        };
        let compared = a.and_then(|a| b.map(|b| (a, b))).map(|(a, b)| {
            let comparison = Comparison::of(&a, &b);
            (a, b, comparison)
        });
        pairs.push(Pair { name, compared });
    }
    Ok((pairs, [only_a, second.into_keys().collect()]))
}

fn document(pairs: &[Pair], alone: &[Vec<String>; 2], start: Instant) -> Envelope<Value> {
    let side = |stored: &Stored| {
        json!({"result": stored.path.display().to_string(), "summary": stored.summary, "scorer": stored.made_by("scorer"),
               "version": stored.made_by("version"), "error": stored.error})
    };
    let one = |pair: &Pair| match &pair.compared {
        Ok((a, b, comparison)) => {
            let mut value = json!({"name": pair.name, "a": side(a), "b": side(b)});
            if let (Value::Object(fields), Ok(Value::Object(more))) = (&mut value, serde_json::to_value(comparison)) {
                fields.extend(more);
            }
            value
        }
        Err(error) => json!({"name": pair.name, "error": error}),
    };
    let all: Vec<Value> = pairs.iter().map(one).collect();
    let error = pairs.iter().find_map(|pair| pair.compared.as_ref().err()).cloned();
    Envelope::new(Some(json!({"pairs": all, "only_a": alone[0], "only_b": alone[1]})), error, start)
}

fn show_one(pair: &Pair) {
    match &pair.compared {
        Ok((_, _, comparison)) => {
            warn(&pair.name, comparison);
            show_metrics(comparison);
            show_items(&comparison.items);
        }
        Err(error) => print::err(print::explain(error, None)),
    }
}

/// What makes results hard to compare comes first: no number below it can be read without it.
fn warn(name: &str, comparison: &Comparison) {
    for caution in &comparison.cautions {
        print::err(print::warning(name, &print::visible(&caution.message)));
    }
}

fn show_metrics(comparison: &Comparison) {
    if comparison.metrics.is_empty() {
        return;
    }
    let mut table = print::table(&["metric", "better", "a", "b", "difference", "verdict", "95 % interval"]);
    for metric in comparison.metrics.iter().take(SHOWN_METRICS) {
        table.add_row(cells(metric, &comparison.items));
    }
    print::out(print::rows(&table));
    if comparison.metrics.len() > SHOWN_METRICS {
        print::out(format!("… {} more with --json", comparison.metrics.len() - SHOWN_METRICS));
    }
}

fn cells(metric: &Metric, items: &Items) -> Vec<String> {
    let value = |value: Option<f64>| value.map_or("-".to_owned(), print::number);
    let better = match metric.direction {
        Some(Direction::Higher) => "more",
        Some(Direction::Lower) => "less",
        None => "-",
    };
    vec![
        print::visible(&metric.name),
        better.to_owned(),
        value(metric.a),
        value(metric.b),
        metric.difference.map_or("-".to_owned(), signed),
        verdict(metric).to_owned(),
        interval(metric, items),
    ]
}

fn verdict(metric: &Metric) -> &'static str {
    match metric.verdict {
        Some(Verdict::Better) => "better",
        Some(Verdict::Worse) => "worse",
        Some(Verdict::Same) => "same",
        None => "-",
    }
}

fn interval(metric: &Metric, items: &Items) -> String {
    let Some(found) = items.intervals.iter().find(|interval| interval.metric == metric.name) else {
        return "-".to_owned();
    };
    let chance = if found.excludes_zero() || found.difference == 0.0 { "" } else { " (may be chance)" };
    format!("{:+.4} to {:+.4}{chance}", found.low, found.high)
}

fn signed(difference: f64) -> String {
    match difference {
        0.0 => "0".to_owned(),
        // Six digits would show nothing of it.
        tiny if tiny.abs() < 5e-7 => format!("{tiny:+.1e}"),
        _ => format!("{}{}", if difference > 0.0 { "+" } else { "" }, print::number(difference)),
    }
}

fn show_items(items: &Items) {
    if let Some(flips) = &items.flips {
        print::out("");
        print::out(in_a_line(flips));
        for (what, names) in [("fixed", &flips.fixed), ("broken", &flips.broken)] {
            for name in names.iter().take(SHOWN_ITEMS) {
                print::out(format!("  {what}  {}", print::visible(name)));
            }
            if names.len() > SHOWN_ITEMS {
                print::out(format!("  … {} more {what} with --json", names.len() - SHOWN_ITEMS));
            }
        }
    }
    for note in &items.notes {
        print::err(format!("note: {}", print::visible(note)));
    }
}

fn in_a_line(flips: &Flips) -> String {
    let (fixed, broken) = (flips.fixed.len(), flips.broken.len());
    format!("of {} {}s, {fixed} wrong in A and right in B, {broken} right in A and wrong in B", flips.items, flips.item)
}

fn show_many(pairs: &[Pair], alone: &[Vec<String>; 2], args: &CompareArgs) {
    let mut table =
        print::table(&["name", "metric", "better", "a", "b", "difference", "verdict", "95 % interval", "flips"]);
    for pair in pairs {
        if let Ok((a, b, comparison)) = &pair.compared {
            warn(&pair.name, comparison);
            table.add_row(overview(&pair.name, a, b, comparison));
        }
    }
    if !table.is_empty() {
        print::out(print::rows(&table));
    }
    for (names, side) in alone.iter().zip([&args.a, &args.b]) {
        for name in names {
            print::out(format!("only in {}: {}", side.display(), print::visible(name)));
        }
    }
    for pair in pairs {
        if let Err(error) = &pair.compared {
            print::err(print::explain(error, Some(&pair.name)));
        }
    }
}

fn overview(name: &str, a: &Stored, b: &Stored, comparison: &Comparison) -> Vec<String> {
    let flips = comparison.items.flips.as_ref();
    let flips = flips.map_or("-".to_owned(), |flips| format!("+{} -{}", flips.fixed.len(), flips.broken.len()));
    let mut row = vec![print::visible(name)];
    match comparison.primary() {
        Some(metric) => row.extend(cells(metric, &comparison.items)),
        None => {
            let code = |side: &Stored| side.error.as_ref().map_or("-".to_owned(), |error| error.code.to_string());
            row.extend(["-".to_owned(), "-".to_owned(), code(a), code(b)]);
        }
    }
    row.resize(8, "-".to_owned());
    row.push(flips);
    row
}
