//! Exit codes: what a script learns without reading anything.

use std::process::ExitCode;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};

/// How a command ended. The order is that of severity: a batch ends with its worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// Done; a low score is not an error.
    Done = 0,
    /// A gate failed, or a replay differs.
    Differs = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The workspace, its data or its parameters are wrong.
    BadInput = 3,
    /// The scorer, its plugin or a judge failed.
    ScorerFailed = 4,
    /// The server cannot be reached, or refuses.
    Server = 5,
    /// Somebody stopped it.
    Interrupted = 130,
}

impl Exit {
    /// The exit of a command that ended with this error.
    pub fn of(error: &ScoreError) -> Self {
        match error.stage.as_deref() {
            Some("settings" | "usage") => return Self::Usage,
            Some("server") => return Self::Server,
            // It is the workspace that cannot be written to.
            Some("save") => return Self::BadInput,
            _ => {}
        }
        match error.code {
            ErrorCode::WorkspaceNotFound
            | ErrorCode::MissingFile
            | ErrorCode::BadFormat
            | ErrorCode::ParseError
            | ErrorCode::TypeError
            | ErrorCode::Mismatch
            | ErrorCode::InvalidParams
            | ErrorCode::ScorerNotFound => Self::BadInput,
            ErrorCode::Cancelled => Self::Interrupted,
            ErrorCode::ScoreError
            | ErrorCode::LoadError
            | ErrorCode::TimeoutError
            | ErrorCode::MemoryLimit
            | ErrorCode::ScorerPanic
            | ErrorCode::ScorerCrashed
            | ErrorCode::JudgeError
            | ErrorCode::UnhandledError => Self::ScorerFailed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}
