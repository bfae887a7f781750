//! A finding: what a check saw, how good that is, and what to do about it.

use serde::Serialize;

/// How good something is. The order is that of severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    /// As it should be.
    Fine,
    /// It works, with something less than it could.
    Warning,
    /// It does not work.
    Broken,
}

/// What a check saw.
#[derive(Debug, Clone, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub subject: String,
    /// How good it is.
    pub health: Health,
    /// What was seen.
    pub found: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Finding {
    /// Nothing to do.
    pub fn fine(subject: impl Into<String>, found: impl Into<String>) -> Self {
        Self { subject: subject.into(), health: Health::Fine, found: found.into(), remedy: None }
    }

    /// Something to know.
    pub fn warning(subject: impl Into<String>, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { health: Health::Warning, remedy: Some(remedy.into()), ..Self::fine(subject, found) }
    }

    /// Something to mend.
    pub fn broken(subject: impl Into<String>, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { health: Health::Broken, remedy: Some(remedy.into()), ..Self::fine(subject, found) }
    }
}
