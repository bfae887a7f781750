//! A review comment: what was said, and where.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use super::line::Line;

/// Where a comment points to. What is absent is kept apart from what is empty: the matching rules differ.
/// Results show it as the document's program does: with slashes that lean forward, and without a line 0.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Place {
    #[serde(serialize_with = "forward")]
    pub(crate) path: Option<String>,
    #[serde(rename = "from_line", serialize_with = "not_zero")]
    pub(crate) from: Option<Line>,
    #[serde(rename = "to_line", serialize_with = "not_zero")]
    pub(crate) to: Option<Line>,
    pub(crate) side: Option<String>,
}

impl Place {
    /// Both ends, unless one is missing or zero.
    pub(crate) fn range(&self) -> Option<(Line, Line)> {
        Some((self.from.filter(|line| *line != 0)?, self.to.filter(|line| *line != 0)?))
    }

    /// Whether it names a file.
    pub(crate) fn has_path(&self) -> bool {
        !self.shown_path().is_empty()
    }

    /// The path; empty where there is none.
    pub(crate) fn shown_path(&self) -> &str {
        self.path.as_deref().unwrap_or_default()
    }
}

/// A path whose slashes lean forward, also where they were escaped.
pub(crate) fn forward_slashes(path: &str) -> Cow<'_, str> {
    if path.contains('\\') { path.replace("\\/", "/").replace('\\', "/").into() } else { path.into() }
}

fn forward<S: Serializer>(path: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    forward_slashes(path.as_deref().unwrap_or_default()).serialize(serializer)
}

fn not_zero<S: Serializer>(line: &Option<Line>, serializer: S) -> Result<S::Ok, S::Error> {
    line.filter(|line| *line != 0).serialize(serializer)
}

/// A comment that is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comment {
    /// Its number in the file, counted from 1.
    pub(crate) number: usize,
    pub(crate) place: Place,
    pub(crate) note: String,
}
