//! A problem: what is wrong with one item of a file, and the list of them.

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::faults::MAX_FAULTS;

/// How much of a wrong value is shown.
const SHOWN: usize = 60;

/// What is wrong with one item.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Problem {
    /// The item's place in its array, counted from 0.
    pub(crate) index: u64,
    /// The item's offset in the file.
    pub(crate) offset: u64,
    /// For people, after the item's name: `has no score`.
    pub(crate) message: String,
    pub(crate) found: Option<String>,
    pub(crate) expected: &'static str,
}

/// The problems of a stretch of items: the first ones in full, the rest counted.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Problems {
    pub(crate) list: Vec<Problem>,
    pub(crate) total: usize,
}

impl Problems {
    /// Notes a problem; the text is made only if it will be shown.
    pub(crate) fn push(&mut self, problem: impl FnOnce() -> Problem) {
        self.total += 1;
        if self.list.len() < MAX_FAULTS {
            self.list.push(problem());
        }
    }

    /// Appends those of a later stretch, whose items come after `items` others.
    pub(crate) fn append(&mut self, later: Problems, items: u64) {
        self.total += later.total;
        let room = MAX_FAULTS - self.list.len();
        self.list.extend(
            later.list.into_iter().take(room).map(|problem| Problem { index: problem.index + items, ..problem }),
        );
    }
}

impl Problem {
    /// The problem as a fault of a file; `array` is where in it, `line` the item's line.
    pub(crate) fn into_fault(self, file: &str, array: &str, line: Option<u64>) -> ScoreError {
        let place = if array.is_empty() { format!("item {}", self.index) } else { format!("{array}[{}]", self.index) };
        let message = format!("{file}: {place} {}", self.message);
        let mut fault = ScoreError::new(ErrorCode::BadFormat, message).file(file).expected(self.expected);
        fault.details.line = line;
        fault.details.found = self.found;
        fault.detail("index", self.index)
    }
}

/// A value as it is shown: one line, and not too long.
pub(crate) fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
