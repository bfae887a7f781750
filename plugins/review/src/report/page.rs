//! The page: numbers, funnel, bars, and the pull requests.

use autoscorer_pictures::{Bars, Series};
use autoscorer_plugin_api::prelude::*;

use super::escape::{data_url, escaped};
use super::pairs;
use crate::config::{Config, Matcher};
use crate::result::breakdown::{Breakdown, Groups};
use crate::result::evaluation::Evaluation;

/// What the page shows.
pub(crate) struct Page<'p> {
    pub(crate) config: &'p Config,
    pub(crate) evaluation: &'p Evaluation,
    pub(crate) outcome: &'p Outcome,
    pub(crate) breakdown: &'p Breakdown,
}

impl Page<'_> {
    /// The page as one text that needs nothing else. Scripts are forbidden, and there are none.
    pub(crate) fn html(&self) -> String {
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>Code review, judged</title>\
             <style>{}</style></head><body>\n<h1>Code review, judged</h1>\n{}{}{}{}{}<h2>Pull requests</h2>\n{}</body></html>\n",
            include_str!("style.css"),
            self.head(),
            self.measures(),
            self.funnel(),
            self.bars(),
            self.warnings(),
            pairs::sections(&self.evaluation.cases),
        )
    }

    fn head(&self) -> String {
        let text = |key: &str| self.outcome.details.get(key).and_then(|value| value.as_str()).unwrap_or_default();
        let head = format!(
            "<p class=\"dim\">Profile {}, meaning by {}, lines at most {} apart.</p>\n",
            text("profile"),
            text("semantic_matcher_type"),
            self.config.line_distance
        );
        let estimate = "<p class=\"banner\"><b>An estimate.</b> Meaning was compared by shared terms, offline; no model has judged it.</p>\n";
        if self.config.matcher == Matcher::Lexical { head + estimate } else { head }
    }

    fn measures(&self) -> String {
        let metric = |name: &str| self.outcome.metrics.get(name).copied();
        let mut rows = String::new();
        for name in
            ["f1", "precision", "recall", "line_f1", "line_precision", "line_recall", "false_alarm_rate", "coverage"]
        {
            let Some(value) = metric(name) else { continue };
            let interval = metric(&format!("{name}_low")).zip(metric(&format!("{name}_high")));
            let interval = interval.map(|(low, high)| format!("{low:.3} – {high:.3}")).unwrap_or_default();
            rows.push_str(&format!("<tr><td>{name}</td><td>{value:.4}</td><td>{interval}</td></tr>"));
        }
        format!("<h2>Measures</h2><table><tr><th>measure</th><th>value</th><th>95 % interval</th></tr>{rows}</table>\n")
    }

    /// From all references over those with a comment at their place to those that were matched.
    fn funnel(&self) -> String {
        let count = |name: &str| self.outcome.metrics.get(name).copied().unwrap_or_default();
        let all = count("references").max(1.0);
        let mut steps = vec![("references", count("references")), ("located", count("references_located"))];
        if self.config.by_meaning() {
            steps.push(("matched", count("references_matched")));
        }
        let bar = |(name, value): (&str, f64)| {
            let share = 100.0 * value / all;
            format!(
                "<div><span>{name}</span><b style=\"width:{share:.1}%\"></b><span>{value} ({share:.1} %)</span></div>"
            )
        };
        let bars: String = steps.into_iter().map(bar).collect();
        format!("<h2>From references to matches</h2><div class=\"funnel\">{bars}</div>\n")
    }

    fn bars(&self) -> String {
        let groups = [
            ("by category", &self.breakdown.comment_category),
            ("by context", &self.breakdown.comment_context),
            ("by language", &self.breakdown.project_language),
            ("by kind of pull request", &self.breakdown.pr_category),
        ];
        let pictures: String = groups
            .iter()
            .filter(|(_, groups)| !groups.is_empty())
            .map(|(title, groups)| picture(title, groups))
            .collect();
        format!("<h2>Where they are found</h2>{pictures}\n")
    }

    fn warnings(&self) -> String {
        let row =
            |code: &str, message: &str| format!("<tr><td>{}</td><td>{}</td></tr>", escaped(code), escaped(message));
        let rows: String = self.outcome.warnings.iter().map(|one| row(&one.code, &one.message)).collect();
        if rows.is_empty() {
            rows
        } else {
            {
                let count = self.outcome.warnings.len();
                format!(
                    "<h2>Worth knowing</h2><details><summary>{count} warnings</summary><table>{rows}</table></details>\n"
                )
            }
        }
    }
}

/// The share of references that were located and matched, for each name of a group.
fn picture(title: &str, groups: &Groups) -> String {
    let labels: Vec<String> = groups.iter().map(|(name, group)| format!("{name} ({})", group.references)).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let shares = |count: fn(&crate::result::breakdown::Group) -> usize| -> Vec<f64> {
        groups.values().map(|group| count(group) as f64 / group.references.max(1) as f64).collect()
    };
    let (located, matched) = (shares(|group| group.located), shares(|group| group.matched));
    let svg = Bars {
        title: &format!("References {title}"),
        axis: "share of the references",
        labels: &labels,
        series: &[Series { name: "located", values: &located }, Series { name: "matched", values: &matched }],
        range: Some((0.0, 1.0)),
        ..Bars::default()
    }
    .svg();
    format!("<p><img alt=\"References {title}\" src=\"{}\"></p>", data_url(&svg))
}
