//! The envelope of every JSON answer: `{status, data|error, execution_time, timestamp}`.

use std::time::Instant;

use autoscorer_plugin_api::error::ScoreError;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::print;
use crate::telemetry::time;

/// One JSON answer.
#[derive(Debug, Serialize)]
pub struct Envelope<D> {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<D>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "by_its_code")]
    error: Option<ScoreError>,
    execution_time: f64,
    timestamp: String,
}

impl<D: Serialize> Envelope<D> {
    /// An answer with data, or with an error, or with an error about some of the data.
    pub fn new(data: Option<D>, error: Option<ScoreError>, start: Instant) -> Self {
        Self::after(data, error, start.elapsed().as_secs_f64())
    }

    /// The same for something that has taken so many seconds.
    pub fn after(data: Option<D>, error: Option<ScoreError>, execution_time: f64) -> Self {
        Self {
            status: if error.is_none() { "ok" } else { "error" },
            data,
            error,
            execution_time,
            timestamp: time::now(),
        }
    }

    /// The same with this error, unless it has one.
    pub fn or_failed(mut self, error: Option<&ScoreError>) -> Self {
        self.error = self.error.or_else(|| error.cloned());
        self.status = if self.error.is_none() { "ok" } else { "error" };
        self
    }

    /// Adds something to the data.
    pub fn amend(&mut self, change: impl FnOnce(&mut D)) {
        if let Some(data) = &mut self.data {
            change(data);
        }
    }

    /// Prints it for people who look at JSON.
    pub fn print(&self) {
        print::out(serde_json::to_string_pretty(self).unwrap_or_default());
    }

    /// Prints it as one line.
    pub fn print_line(&self) {
        print::out(serde_json::to_string(self).unwrap_or_default());
    }
}

/// An error of a daemon has a code of its own, and is known by it.
fn by_its_code<S: Serializer>(error: &Option<ScoreError>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut told = serde_json::to_value(error).map_err(serde::ser::Error::custom)?;
    if let Some(code @ Value::String(_)) = told.pointer("/details/server_code").cloned() {
        told["code"] = code;
    }
    told.serialize(serializer)
}
