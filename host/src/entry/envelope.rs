//! The envelope of every JSON answer: `{status, data|error, execution_time, timestamp}`.

use std::time::Instant;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde::Serialize;
use serde_json::Value;

use super::print;
use crate::telemetry::time;

/// One JSON answer.
#[derive(Debug, Serialize)]
pub struct Envelope<D> {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<D>,
    #[serde(skip_serializing_if = "Option::is_none")]
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

/// Prints clap's complaint as JSON.
pub fn usage(error: &clap::Error, start: Instant) {
    let text = error.to_string();
    let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
    let error = ScoreError::new(ErrorCode::InvalidParams, message).hint("see 'autoscorer help'").at_stage("usage");
    Envelope::<Value>::new(None, Some(error), start).print();
}
