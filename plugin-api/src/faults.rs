//! All faults found in one go, so that a user mends a file once and not fault by fault.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{ErrorCode, ScoreError};

/// How many faults are kept in full; beyond it they are only counted.
pub const MAX_FAULTS: usize = 100;

/// All faults found in one go: the first [`MAX_FAULTS`] in full, the rest counted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Faults {
    /// The faults kept in full, in the order they were found.
    pub list: Vec<ScoreError>,
    /// How many there were in all.
    pub total: usize,
}

impl Faults {
    /// No faults yet.
    pub fn none() -> Self {
        Self::default()
    }

    /// Notes one more fault.
    pub fn push(&mut self, fault: ScoreError) {
        self.total += 1;
        if self.list.len() < MAX_FAULTS {
            self.list.push(fault);
        }
    }

    /// Takes over the faults of another check.
    pub fn extend(&mut self, other: Faults) {
        let unlisted = other.total - other.list.len();
        for fault in other.list {
            self.push(fault);
        }
        self.total += unlisted;
    }

    /// Takes the value, or notes the faults that stand in its place.
    pub fn absorb<T>(&mut self, result: Result<T, impl Into<Faults>>) -> Option<T> {
        result.map_err(|faults| self.extend(faults.into())).ok()
    }

    /// The same faults, each changed in the same way.
    #[must_use]
    pub fn map(mut self, change: impl Fn(ScoreError) -> ScoreError) -> Self {
        self.list = self.list.into_iter().map(change).collect();
        self
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// `Err` with these faults, if there are any.
    pub fn into_result(self) -> Result<(), Faults> {
        if self.is_empty() { Ok(()) } else { Err(self) }
    }
}

impl From<ScoreError> for Faults {
    fn from(fault: ScoreError) -> Self {
        Self { list: vec![fault], total: 1 }
    }
}

/// Several faults become one error: the first one speaks, the others are in `details.faults`.
impl From<Faults> for ScoreError {
    fn from(faults: Faults) -> Self {
        let mut list = faults.list.into_iter();
        let Some(mut first) = list.next() else {
            return ScoreError::new(ErrorCode::UnhandledError, "a check failed without naming a fault");
        };
        let others: Vec<Value> = list.filter_map(|fault| serde_json::to_value(fault).ok()).collect();
        if faults.total > 1 {
            first.message = format!("{} (and {} more)", first.message, faults.total - 1);
            first.details.more.insert("fault_count".to_owned(), faults.total.into());
            first.details.more.insert("faults".to_owned(), others.into());
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_beyond_the_cap_are_counted() {
        let mut faults = Faults::none();
        for n in 0..250 {
            faults.push(ScoreError::new(ErrorCode::BadFormat, format!("fault {n}")));
        }
        let mut all = Faults::from(ScoreError::new(ErrorCode::Mismatch, "earlier"));
        all.extend(faults);
        assert_eq!((all.list.len(), all.total), (MAX_FAULTS, 251));
        let error = ScoreError::from(all);
        assert_eq!(error.to_string(), "MISMATCH: earlier (and 250 more)");
    }
}
