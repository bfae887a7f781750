//! Boxes one by one, the worst first: the most confident mistakes and the largest missed boxes by turns, then hits from the
//! least exact one on.

use std::cmp::Ordering;
use std::io::{self, Write};

use autoscorer_plugin_api::prelude::*;
use serde_json::json;

use super::Findings;
use crate::audit::{Audit, Finding, Kind};
use crate::ids::Id;

/// A row: a prediction of a category, or a true box of the scene that was missed.
#[derive(Clone, Copy)]
enum Row {
    Prediction(usize, Finding),
    Missed(usize),
}

pub(super) fn write(ctx: &Context<'_>, findings: &Findings<'_>, outcome: &mut Outcome) -> Result<(), ScoreError> {
    let limit = findings.params.max_rows;
    let (mistakes, missed, hits) = (mistakes(findings), missed(findings), hits(findings));
    let total = findings.audits.iter().map(|audit| audit.kinds.len()).sum::<usize>() + missed.len();
    let rows = by_turns(mistakes, missed).chain(hits).take(limit);
    let mut listed = 0;
    ctx.artifact("matches.csv", "text/csv", |file| {
        writeln!(file, "kind,image_id,category_id,category,score,iou,pred_index,gt_index,gt_category_id")?;
        for row in rows {
            listed += 1;
            write_row(file, findings, row)?;
        }
        Ok(())
    })?;
    outcome.detail("matches", json!({"listed": listed, "total": total}));
    Ok(())
}

fn by_turns(one: Vec<Row>, other: Vec<Row>) -> impl Iterator<Item = Row> {
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    let mut turn = false;
    std::iter::from_fn(move || {
        turn = !turn;
        if turn { one.next().or_else(|| other.next()) } else { other.next().or_else(|| one.next()) }
    })
}

/// The most confident mistakes.
fn mistakes(findings: &Findings<'_>) -> Vec<Row> {
    let mistakes = all(findings, |audit| &audit.mistakes);
    let worse =
        |a: &(usize, Finding), b: &(usize, Finding)| b.1.score.total_cmp(&a.1.score).then(a.1.index.cmp(&b.1.index));
    first(mistakes, findings.params.max_rows, worse)
        .into_iter()
        .map(|(category, finding)| Row::Prediction(category, finding))
        .collect()
}

/// The first few of a list in an order.
fn first<T>(mut list: Vec<T>, count: usize, order: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    if count > 0 && count < list.len() {
        list.select_nth_unstable_by(count - 1, &order);
    }
    list.truncate(count);
    list.sort_by(order);
    list
}

fn all(findings: &Findings<'_>, list: fn(&Audit) -> &Vec<Finding>) -> Vec<(usize, Finding)> {
    let of_category = |(category, audit)| list(audit).iter().map(move |finding| (category, *finding));
    findings.audits.iter().enumerate().flat_map(of_category).collect()
}

/// The boxes that no prediction of their category hit, the largest first.
fn missed(findings: &Findings<'_>) -> Vec<Row> {
    let truths = &findings.scene.truths;
    let mut missed: Vec<usize> =
        (0..truths.len()).filter(|place| !findings.states[*place].hit && !truths[*place].truth.crowd).collect();
    missed.sort_by(|a, b| truths[*b].truth.area.total_cmp(&truths[*a].truth.area));
    missed.into_iter().map(Row::Missed).collect()
}

/// The hits, the least exact first.
fn hits(findings: &Findings<'_>) -> Vec<Row> {
    let hits = all(findings, |audit| &audit.hits);
    let worse =
        |a: &(usize, Finding), b: &(usize, Finding)| a.1.iou.total_cmp(&b.1.iou).then(a.1.index.cmp(&b.1.index));
    first(hits, findings.params.max_rows, worse)
        .into_iter()
        .map(|(category, finding)| Row::Prediction(category, finding))
        .collect()
}

fn write_row(file: &mut dyn Write, findings: &Findings<'_>, row: Row) -> io::Result<()> {
    let categories = &findings.dataset.categories;
    let (kind, category, image) = match &row {
        Row::Prediction(category, finding) => (name(finding.kind), *category, finding.image),
        Row::Missed(place) => {
            let placed = &findings.scene.truths[*place];
            ("unmatched_gt", placed.category as usize, placed.truth.image)
        }
    };
    let label = categories[category].name.as_deref().unwrap_or_default();
    let image = match &findings.dataset.images[image as usize] {
        Id::Number(number) => number.to_string(),
        Id::Name(name) => quoted(name),
    };
    write!(file, "{kind},{image},{},{},", categories[category].id, quoted(label))?;
    match row {
        Row::Prediction(_, finding) => {
            write!(file, "{},{:.6},{},", finding.score, finding.iou, finding.index)?;
            match finding.truth.map(|place| &findings.scene.truths[place as usize]) {
                Some(placed) => writeln!(file, "{},{}", placed.truth.index, categories[placed.category as usize].id),
                None => writeln!(file, ","),
            }
        }
        Row::Missed(place) => {
            let (placed, state) = (&findings.scene.truths[place], findings.states[place]);
            writeln!(file, ",{:.6},,{},{}", state.best, placed.truth.index, categories[placed.category as usize].id)
        }
    }
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Hit => "hit",
        Kind::Ignored => "ignored",
        Kind::Classification => "classification",
        Kind::Localisation => "localisation",
        Kind::Both => "both",
        Kind::Duplicate => "duplicate",
        Kind::Background => "background",
    }
}

/// A field of a CSV file.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
