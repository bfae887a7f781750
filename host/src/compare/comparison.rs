//! A comparison of two results: what makes them hard to compare, each metric with its difference, and the items.

use std::collections::BTreeSet;

use autoscorer_plugin_api::outcome::Direction;
use serde::Serialize;
use serde_json::{Map, Value};

use super::direction::direction;
use super::items::Items;
use crate::results::Stored;

/// Two results, the first being what the second is held against.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// The metric that the first is ranked by.
    pub primary_metric: Option<String>,
    /// What makes them hard to compare.
    pub cautions: Vec<Caution>,
    /// All metrics of either.
    pub metrics: Vec<Metric>,
    /// Item by item.
    pub items: Items,
}

/// Something that makes two results hard to compare.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Caution {
    /// For machines.
    pub code: &'static str,
    /// For people.
    pub message: String,
}

/// One metric of both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Metric {
    /// Its name.
    pub name: String,
    /// In the first.
    pub a: Option<f64>,
    /// In the second.
    pub b: Option<f64>,
    /// Second minus first.
    pub difference: Option<f64>,
    /// Which way is better, if that is known.
    pub direction: Option<Direction>,
    /// What the difference means, if that is known.
    pub verdict: Option<Verdict>,
}

/// What a difference means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The second is better.
    Better,
    /// The second is worse.
    Worse,
    /// There is none.
    Same,
}

impl Comparison {
    /// Compares two results.
    pub fn of(a: &Stored, b: &Stored) -> Self {
        Self {
            primary_metric: a.scoreline().or_else(|| b.scoreline()).map(|line| line.metric),
            cautions: cautions(a, b),
            metrics: metrics(a, b),
            items: Items::between(a, b),
        }
    }

    /// The metric that the first is ranked by.
    pub fn primary(&self) -> Option<&Metric> {
        self.metrics.iter().find(|metric| Some(&metric.name) == self.primary_metric.as_ref())
    }
}

impl Metric {
    fn new(name: &str, a: Option<f64>, b: Option<f64>, direction: Option<Direction>) -> Self {
        let difference = a.zip(b).map(|(a, b)| b - a);
        Self { name: name.to_owned(), a, b, difference, direction, verdict: verdict(difference, direction) }
    }
}

fn verdict(difference: Option<f64>, direction: Option<Direction>) -> Option<Verdict> {
    let difference = difference?;
    if difference == 0.0 {
        return Some(Verdict::Same);
    }
    let better = match direction? {
        Direction::Higher => difference > 0.0,
        Direction::Lower => difference < 0.0,
    };
    Some(if better { Verdict::Better } else { Verdict::Worse })
}

/// The primary metric first, then those of the first in its order, then what only the second has.
fn metrics(a: &Stored, b: &Stored) -> Vec<Metric> {
    let lines = [a.scoreline(), b.scoreline()];
    let primary = lines.iter().flatten().map(|line| line.metric.as_str());
    let mut seen = BTreeSet::new();
    let names = primary.chain(a.metrics.keys().map(String::as_str)).chain(b.metrics.keys().map(String::as_str));
    let names: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    let said = |name: &str| lines.iter().flatten().find(|line| line.metric == name).map(|line| line.direction);
    // A name that two families of scorers use may mean something else in each: then both have to say the same.
    let known = |name: &str| {
        let having = [a, b].into_iter().filter(|side| side.metrics.contains_key(name));
        let mut ways = having.map(|side| direction(side.made_by("scorer").unwrap_or_default(), name));
        let first = ways.next().flatten();
        first.filter(|_| ways.all(|way| way == first))
    };
    let metric = |name: &str| {
        let value = |side: &Stored| side.metrics.get(name).copied();
        Metric::new(name, value(a), value(b), said(name).or_else(|| known(name)))
    };
    names.into_iter().map(metric).collect()
}

/// What makes two results hard to compare.
pub fn cautions(a: &Stored, b: &Stored) -> Vec<Caution> {
    let mut cautions = Vec::new();
    let mut say = |code, message: String| cautions.push(Caution { code, message });
    for side in [a, b] {
        if let Some(error) = &side.error {
            say(
                "NO_SCORE",
                format!("{} is a failure and no score: {} {}", side.path.display(), error.code, error.message),
            );
        }
    }
    if a.error.is_some() || b.error.is_some() {
        return cautions;
    }
    let mut say = |code, message: String| cautions.push(Caution { code, message });
    let of = |side: &Stored, key: &str| side.made_by(key).unwrap_or("unknown").to_owned();
    for (key, code) in [("scorer", "DIFFERENT_SCORER"), ("version", "DIFFERENT_VERSION")] {
        if a.made_by(key) != b.made_by(key) {
            say(code, format!("the {key} differs: {} and {}", of(a, key), of(b, key)));
        }
    }
    let same_version = ["scorer", "version"].iter().all(|key| a.made_by(key) == b.made_by(key));
    if same_version && a.made_by("plugin_sha256") != b.made_by("plugin_sha256") {
        say("DIFFERENT_LIBRARY", "the same version of the scorer, but built differently".to_owned());
    }
    let params = differing(params(a), params(b));
    if !params.is_empty() {
        say("DIFFERENT_PARAMS", format!("the parameters differ: {}", params.join(", ")));
    }
    let (first, second) = (a.ground_truth(), b.ground_truth());
    if first.is_empty() || second.is_empty() {
        say("UNKNOWN_GROUND_TRUTH", "a result does not say what its ground truth was".to_owned());
    } else if first != second {
        let names: BTreeSet<&str> = first.keys().chain(second.keys()).copied().collect();
        let names: Vec<&str> = names.into_iter().filter(|name| first.get(name) != second.get(name)).take(5).collect();
        say("DIFFERENT_GROUND_TRUTH", format!("the ground truth differs: {}", names.join(", ")));
    }
    let lines = a.scoreline().zip(b.scoreline());
    if let Some((first, second)) =
        lines.filter(|(first, second)| (&first.metric, first.direction) != (&second.metric, second.direction))
    {
        say("DIFFERENT_PRIMARY_METRIC", format!("the score is another one: {} and {}", first.metric, second.metric));
    }
    cautions
}

fn params(side: &Stored) -> Option<&Map<String, Value>> {
    side.versioning.get("params").and_then(Value::as_object)
}

fn differing(a: Option<&Map<String, Value>>, b: Option<&Map<String, Value>>) -> Vec<String> {
    let keys: BTreeSet<&String> = a.into_iter().chain(b).flat_map(Map::keys).collect();
    let value = |side: Option<&Map<String, Value>>, key: &str| side.and_then(|params| params.get(key)).cloned();
    let shown = |value: Option<Value>| value.map_or("default".to_owned(), |value| value.to_string());
    let differing = keys.into_iter().filter(|key| value(a, key) != value(b, key));
    differing.map(|key| format!("{key} ({} and {})", shown(value(a, key)), shown(value(b, key)))).collect()
}
