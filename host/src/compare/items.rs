//! The items behind two results, as far as their artifacts tell: rows of a classification, references of a review.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::cells::{Cells, Classified};
use super::flips::Flips;
use super::interval::{Both, Interval};
use super::pulls::{Pull, Pulls, Reviewed};
use crate::results::Stored;

/// What of the artifacts is read at most.
const MOST_BYTES: u64 = 256 << 20;

/// An id or a label this long was cut, so two of them may only look the same.
const CUT_AT: usize = 1_000;

/// Two numbers that differ less are the same, added up in another order.
const SAME: f64 = 1e-9;

/// What is known item by item.
#[derive(Debug, Default, Serialize)]
pub struct Items {
    /// Which changed sides.
    pub flips: Option<Flips>,
    /// What chance could have done.
    pub intervals: Vec<Interval>,
    /// What is not known, and why.
    pub notes: Vec<String>,
}

impl Items {
    /// The items of two results.
    pub fn between(a: &Stored, b: &Stored) -> Self {
        let mut items = Self::default();
        if let Err(why) = items.fill(a, b) {
            items.notes.push(format!("no comparison item by item: {why}"));
        }
        if items.intervals.iter().any(Interval::is_thin) {
            items.notes.push(format!("only {} items: the intervals say little", items.intervals[0].items));
        }
        items
    }

    fn fill(&mut self, a: &Stored, b: &Stored) -> Result<(), String> {
        if let Some(failed) = [a, b].into_iter().find(|side| side.error.is_some()) {
            return Err(format!("{} is a failure", failed.path.display()));
        }
        let scorer = a.made_by("scorer").unwrap_or_default();
        if b.made_by("scorer") != Some(scorer) {
            return Err("different scorers".to_owned());
        }
        let truth = a.ground_truth();
        if truth.is_empty() {
            return Err("the results do not say what their ground truth was".to_owned());
        }
        if truth != b.ground_truth() {
            return Err("different ground truth".to_owned());
        }
        match scorer {
            "classification_f1" | "classification_accuracy" => self.fill_rows(a, b),
            "review_match" => self.fill_references(a, b),
            _ => Err(format!("the artifacts of {scorer:?} do not tell of single items")),
        }
    }

    fn fill_rows(&mut self, a: &Stored, b: &Stored) -> Result<(), String> {
        for column in ["id_column", "label_column"] {
            if param(a, column) != param(b, column) {
                return Err(format!("different columns were read ({column})"));
            }
        }
        let (first, second) = (classified(a)?, classified(b)?);
        if first.rows != second.rows {
            return Err("different numbers of rows".to_owned());
        }
        let wrong = [&first, &second].map(|side| side.wrong.keys().cloned().collect::<BTreeSet<_>>());
        self.flips = Some(Flips::of_wrong("row", first.rows, [&wrong[0], &wrong[1]]));
        let cells = Cells::of([&first, &second]);
        self.intervals = Interval::of_all(&cells.counts, |counts| cells.measure(counts));
        self.keep_confirmed(a, b, cells.measure(&cells.counts));
        Ok(())
    }

    fn fill_references(&mut self, a: &Stored, b: &Stored) -> Result<(), String> {
        let sides = [reviewed(a)?, reviewed(b)?];
        match [&sides[0].1, &sides[1].1] {
            [Some(first), Some(second)] => {
                let references = sides[0].0.references;
                // What is matched is known, so right and wrong change places.
                let turned = Flips::of_wrong("reference", references, [first, second]);
                self.flips = Some(Flips { fixed: turned.broken, broken: turned.fixed, ..turned });
            }
            _ => self.notes.push("no flips: references have no names in these results".to_owned()),
        }
        match Pulls::of([&sides[0].0, &sides[1].0]) {
            Ok(pulls) => {
                self.intervals = Interval::of_all(&pulls.counts(), |counts| pulls.measure(counts));
                self.keep_confirmed(a, b, pulls.measure(&pulls.counts()));
            }
            Err(why) => self.notes.push(format!("no intervals: {why}")),
        }
        Ok(())
    }

    /// An interval is told only for a metric that the items give as it was recorded.
    fn keep_confirmed(&mut self, a: &Stored, b: &Stored, measured: Vec<Both>) {
        let same = |side: &Stored, name: &str, value: f64| {
            side.metrics.get(name).is_some_and(|one| (one - value).abs() < SAME)
        };
        let confirmed: Vec<&str> = measured
            .iter()
            .filter(|(name, first, second)| same(a, name, *first) && same(b, name, *second))
            .map(|(name, _, _)| *name)
            .collect();
        self.intervals.retain(|interval| confirmed.contains(&interval.metric));
        let primary = a.scoreline().map(|line| line.metric).unwrap_or_default();
        if !confirmed.contains(&primary.as_str()) {
            self.notes.push(format!("no interval for {primary}: its value does not follow from the items alone"));
        }
    }
}

fn param<'s>(side: &'s Stored, name: &str) -> Option<&'s Value> {
    side.versioning.get("params")?.get(name)
}

/// The wrong rows of a classification, unless some of them are not listed.
fn classified(side: &Stored) -> Result<Classified, String> {
    let count = |key: &str| side.details.get("error_cases").and_then(|cases| cases.get(key)?.as_u64());
    let (Some(total), Some(listed)) = (count("total"), count("listed")) else {
        return Err("a result does not count its wrong rows".to_owned());
    };
    if listed < total {
        return Err(format!(
            "{listed} of {total} wrong rows of {} are listed; score with -p max_rows={total}",
            side.name
        ));
    }
    let rows = side.details.get("n_samples").and_then(Value::as_u64).ok_or("a result does not count its rows")?;
    let bytes = side.artifact("error_cases.csv", MOST_BYTES)?;
    let mut wrong = BTreeMap::new();
    for record in csv::Reader::from_reader(bytes.as_slice()).records() {
        let record = record.map_err(|error| format!("error_cases.csv: {error}"))?;
        let cell = |at: usize| record.get(at).unwrap_or_default().to_owned();
        if record.iter().any(|cell| cell.chars().nth(CUT_AT).is_some()) {
            return Err("an id or a label is so long that it was cut".to_owned());
        }
        let guess = Some(cell(2)).filter(|guess| !guess.is_empty());
        wrong.insert(cell(0), (cell(1), guess));
    }
    if wrong.len() as u64 != total {
        return Err("error_cases.csv does not have the rows that the result counts".to_owned());
    }
    let classes = side.details.get("per_class").and_then(Value::as_object).into_iter().flatten();
    let support = classes.filter_map(|(label, class)| Some((label.clone(), class.get("support")?.as_u64()?))).collect();
    Ok(Classified { rows, support, wrong })
}

/// The pull requests of a review, and the references that were matched, if they have names.
fn reviewed(side: &Stored) -> Result<(Reviewed, Option<BTreeSet<String>>), String> {
    let document: Value = serde_json::from_slice(&side.artifact("evaluation_results.json", MOST_BYTES)?)
        .map_err(|error| format!("evaluation_results.json: {error}"))?;
    let references = side.metrics.get("references").copied().ok_or("a result does not count its references")? as u64;
    let by_place = side.scoreline().is_some_and(|line| line.metric.starts_with("line_"));
    let matched_by = if by_place { "line_match" } else { "semantic_match" };
    let mut review = Reviewed { references, ..Reviewed::default() };
    let mut matched = Some(BTreeSet::new());
    for row in document["results"].as_array().into_iter().flatten() {
        let url = row["github_pr_url"].as_str().unwrap_or_default();
        let count = |key: &str| row[key].as_u64().unwrap_or_default();
        if row["skipped"] == true {
            // What a filter leaves out takes no part; what nobody commented on does.
            if row["skip_reason"].as_str().is_some_and(|reason| reason.starts_with("no comment")) {
                review.pulls.insert(url.to_owned(), None);
            }
            continue;
        }
        let pull = Pull {
            said: count("total_generated_nums"),
            wanted: count("positive_expected_nums"),
            matches: count("positive_match_nums"),
            places: count("positive_line_match_nums"),
        };
        review.pulls.insert(url.to_owned(), Some(pull));
        for detail in row["match_details"].as_array().into_iter().flatten().filter(|detail| detail[matched_by] == true)
        {
            match (&mut matched, &detail["matched_reference_id"]) {
                (Some(names), Value::String(name)) => _ = names.insert(format!("{url} {name}")),
                (Some(names), name) if !name.is_null() => _ = names.insert(format!("{url} {name}")),
                _ => matched = None,
            }
        }
    }
    Ok((review, matched))
}
