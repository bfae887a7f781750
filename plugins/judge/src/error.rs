//! Why a run could not be made at all. What befalls a single pair is a judgement, not one of these.

use std::fmt;
use std::path::PathBuf;

/// Why nothing could be asked. No variant ever holds a key.
#[derive(Debug)]
#[non_exhaustive]
pub enum JudgeError {
    /// Settings that are needed are absent.
    Missing {
        /// What they are needed for, such as `llm`.
        what: &'static str,
        /// The names of those that are absent.
        names: Vec<&'static str>,
    },
    /// A setting is there but cannot be used.
    Setting {
        /// Its name.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// The server refuses us: the key, the address or the model is wrong.
    Refused {
        /// What it answered, and which setting to look at.
        message: String,
    },
    /// A file cannot be read or written.
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        message: String,
    },
    /// Calls cannot be made on this machine.
    Setup(String),
}

impl fmt::Display for JudgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { what, names } => {
                write!(f, "the matcher `{what}` needs {}, in the environment or in a .env file", names.join(" and "))
            }
            Self::Setting { name, message } => write!(f, "{name}: {message}"),
            Self::Refused { message } => f.write_str(message),
            Self::File { path, message } => write!(f, "{}: {message}", path.display()),
            Self::Setup(message) => write!(f, "calls cannot be made: {message}"),
        }
    }
}

impl std::error::Error for JudgeError {}
