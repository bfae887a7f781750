//! A review comment: what was said, and where.

use serde::Serialize;

use super::line::Line;

/// Where a comment points to. What is absent is kept apart from what is empty: the matching rules differ.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Place {
    pub(crate) path: Option<String>,
    #[serde(rename = "from_line")]
    pub(crate) from: Option<Line>,
    #[serde(rename = "to_line")]
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
        self.path.as_deref().is_some_and(|path| !path.is_empty())
    }
}

/// A comment that is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comment {
    /// Its number in the file, counted from 1.
    pub(crate) number: usize,
    pub(crate) place: Place,
    pub(crate) note: String,
}
