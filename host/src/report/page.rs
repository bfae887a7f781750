//! The page: head, overview where there are several results, a section for each.

use autoscorer_plugin_api::error::ScoreError;

use super::picture::Pictures;
use super::section;
use crate::results::{Stored, escaped};

/// One result, or why there is none.
#[derive(Debug)]
pub struct Entry {
    /// What it is called.
    pub name: String,
    /// The result with its pictures.
    pub result: Result<(Stored, Pictures), ScoreError>,
}

/// The page as one text. Scripts are forbidden by its policy, and there are none; nothing is fetched.
pub fn page(entries: &[Entry], written: &str) -> String {
    let title = match entries {
        [one] => one.name.clone(),
        many => format!("{} results", many.len()),
    };
    let sections: String =
        entries.iter().enumerate().map(|(at, entry)| section::section(at, entry, entries.len() > 1)).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"/>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/><title>{0} – autoscorer</title>\
         <style>{1}</style></head><body>\n<header><h1>{0}</h1><p class=\"dim\">autoscorer {2}, {3}</p></header>\n{4}{sections}</body></html>\n",
        escaped(&title),
        include_str!("style.css"),
        env!("CARGO_PKG_VERSION"),
        escaped(written),
        if entries.len() > 1 { overview(entries) } else { String::new() },
    )
}

/// A row for each result; its name leads to its section.
fn overview(entries: &[Entry]) -> String {
    let row = |(at, entry): (usize, &Entry)| {
        let name = format!("<a href=\"#r{at}\">{}</a>", escaped(&entry.name));
        let cells = match &entry.result {
            Ok((stored, _)) => section::overview_cells(stored),
            Err(error) => format!(
                "<td class=\"dim\">–</td><td class=\"number\">{}</td><td colspan=\"3\"></td>",
                section::code(error)
            ),
        };
        format!("<tr><td>{name}</td>{cells}</tr>")
    };
    let rows: String = entries.iter().enumerate().map(row).collect();
    format!(
        "<div class=\"wide\"><table class=\"overview\"><thead><tr><th>workspace</th><th>scorer</th><th class=\"number\">score</th><th>rank</th><th>pass</th>\
         <th>warnings</th></tr></thead><tbody>{rows}</tbody></table></div>\n"
    )
}
