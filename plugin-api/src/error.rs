//! What went wrong: a code that machines read, a message that people read, and where it happened.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The codes a result can carry. Their spelling is part of the product's contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ErrorCode {
    /// The workspace is no folder.
    WorkspaceNotFound,
    /// A file that the scorer needs is not there or cannot be read.
    MissingFile,
    /// A file is there, but its content breaks a rule of the format.
    BadFormat,
    /// A file is not even JSON, or is cut off.
    ParseError,
    /// A value is not of the type its column needs.
    TypeError,
    /// Ground truth and predictions do not belong together.
    Mismatch,
    /// A parameter is unknown or has a wrong value.
    InvalidParams,
    /// No live scorer has the name.
    ScorerNotFound,
    /// The scorer could not compute a score.
    ScoreError,
    /// The plugin could not be loaded.
    LoadError,
    /// The time limit was reached.
    TimeoutError,
    /// The memory limit was reached.
    MemoryLimit,
    /// The scorer panicked.
    ScorerPanic,
    /// The scorer's process died.
    ScorerCrashed,
    /// A judge (a language model) failed to answer.
    JudgeError,
    /// The job was cancelled.
    Cancelled,
    /// Anything else, and every code that this version does not know.
    #[serde(other)]
    UnhandledError,
}

impl ErrorCode {
    /// Every code, in the order of the enum.
    pub const ALL: [Self; 17] = [
        Self::WorkspaceNotFound,
        Self::MissingFile,
        Self::BadFormat,
        Self::ParseError,
        Self::TypeError,
        Self::Mismatch,
        Self::InvalidParams,
        Self::ScorerNotFound,
        Self::ScoreError,
        Self::LoadError,
        Self::TimeoutError,
        Self::MemoryLimit,
        Self::ScorerPanic,
        Self::ScorerCrashed,
        Self::JudgeError,
        Self::Cancelled,
        Self::UnhandledError,
    ];
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A failure, or one fault in the data. It never becomes a score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreError {
    /// For machines.
    pub code: ErrorCode,
    /// For people: what happened, on what.
    pub message: String,
    /// The stage of the job that failed (`meta`, `load`, `validate`, `score`, `save`, …).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// Where, why, and what to do next.
    #[serde(default)]
    pub details: Box<Details>,
}

/// Where a failure happened and how to mend it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Details {
    /// The file, relative to the workspace where it lies inside.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The line, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// What was there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// What should have been there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Whatever else the code calls for.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl ScoreError {
    /// An error with nothing but a code and a message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), stage: None, details: Box::default() }
    }

    /// Names the file it is about.
    #[must_use]
    pub fn file(mut self, file: impl Into<String>) -> Self {
        self.details.file = Some(file.into());
        self
    }

    /// Names the line it is about, counted from 1.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.details.line = Some(line);
        self
    }

    /// Says what was there.
    #[must_use]
    pub fn found(mut self, found: impl Into<String>) -> Self {
        self.details.found = Some(found.into());
        self
    }

    /// Says what should have been there.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.details.expected = Some(expected.into());
        self
    }

    /// Says what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.details.hint = Some(hint.into());
        self
    }

    /// Adds one more detail for machines.
    #[must_use]
    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.more.insert(key.to_owned(), value.into());
        self
    }

    /// Says at which stage it happened, unless a deeper place has already said so.
    #[must_use]
    pub fn at_stage(mut self, stage: &str) -> Self {
        self.stage.get_or_insert_with(|| stage.to_owned());
        self
    }
}

impl fmt::Display for ScoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for ScoreError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_codes_is_the_enum() {
        // serde wants `UnhandledError` last, so its number tells how many there are.
        assert_eq!(ErrorCode::ALL.len(), ErrorCode::UnhandledError as usize + 1);
        assert!(ErrorCode::ALL.iter().enumerate().all(|(number, code)| *code as usize == number));
    }

    #[test]
    fn a_code_of_a_newer_api_is_kept_as_unhandled() {
        let error: ScoreError = serde_json::from_str(r#"{"code":"FROM_THE_FUTURE","message":"m"}"#).unwrap();
        assert_eq!(error.code, ErrorCode::UnhandledError);
    }
}
