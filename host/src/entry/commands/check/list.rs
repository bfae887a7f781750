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

/// A finding before it is known whom it is about.
pub type Found = Result<String, (String, String)>;

impl Check {
    /// A check that was made.
    pub fn new(scorer: Option<&str>, check: &'static str, found: Found) -> Self {
        let (status, found, help) = match found {
            Ok(found) => (Status::Pass, found, None),
            Err((found, help)) => (Status::Fail, found, Some(help)),
        };
        Self { scorer: scorer.map(str::to_owned), check, status, found, help }
    }

    /// A check that could not be made.
    pub fn skipped(scorer: Option<&str>, check: &'static str, why: &str) -> Self {
        Self { scorer: scorer.map(str::to_owned), check, status: Status::Skip, found: why.to_owned(), help: None }
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
