//! The list of what passed and what failed.

use autoscorer_plugin_api::error::ScoreError;
use serde::Serialize;

use crate::entry::print;

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// As it should be.
    Pass,
    /// Not as it should be.
    Fail,
    /// It could not be tried.
    Skip,
}

/// What one check found.
#[derive(Debug, Serialize)]
pub struct Check {
    /// Of the library as a whole where it is absent.
    pub scorer: Option<String>,
    /// What was checked.
    pub check: &'static str,
    /// How it ended.
    pub status: Status,
    /// What was found.
    pub found: String,
    /// What to do next.
    pub help: Option<String>,
}

/// What a check found, before it is known whom it is about.
#[derive(Debug, Clone)]
pub enum Found {
    /// It is as it should be, and this is how it is.
    Pass(String),
    /// It is not; and what helps.
    Fail(String, String),
    /// It could not be tried, for this reason.
    Skip(String),
}

impl Found {
    /// Not as it should be.
    pub fn fail(found: impl Into<String>, help: impl Into<String>) -> Self {
        Self::Fail(found.into(), help.into())
    }
}

impl Check {
    /// A check that was made, or could not be.
    pub fn new(scorer: Option<&str>, check: &'static str, found: Found) -> Self {
        let (status, found, help) = match found {
            Found::Pass(found) => (Status::Pass, found, None),
            Found::Fail(found, help) => (Status::Fail, found, Some(help)),
            Found::Skip(why) => (Status::Skip, why, None),
        };
        Self { scorer: scorer.map(str::to_owned), check, status, found, help }
    }
}

/// An error of the scorer's, in a line, with where it panicked.
pub fn in_a_line(error: &ScoreError) -> String {
    let place = error.details.more.get("location").and_then(|place| place.as_str());
    format!("{}: {}{}", error.code, error.message, place.map(|place| format!(" at {place}")).unwrap_or_default())
}

/// Prints the list for people.
pub fn show(checks: &[Check]) {
    let mut table = print::table(&["", "scorer", "check", "found"]);
    for check in checks {
        let status = match check.status {
            Status::Pass => "pass",
            Status::Fail => "FAIL",
            Status::Skip => "skip",
        };
        table.add_row([status, check.scorer.as_deref().unwrap_or("-"), check.check, &print::visible(&check.found)]);
    }
    print::out(print::rows(&table));
    for check in checks.iter().filter(|check| check.status == Status::Fail) {
        let help = check.help.as_deref().unwrap_or_default();
        print::err(format!("{}: {}", check.check, print::visible(help)));
    }
}
