//! The limits of one call, as they are in force.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What a call may use.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Seconds of wall time.
    #[serde(rename = "time_s", with = "seconds")]
    pub time: Duration,
    /// Bytes of memory.
    #[serde(rename = "memory_bytes")]
    pub memory: u64,
    /// Files open at once.
    pub open_files: u64,
    /// Artifact files.
    pub artifact_files: u64,
    /// Bytes in all artifact files together, and in any one file.
    pub artifact_bytes: u64,
    /// Processes beside the worker itself.
    pub processes: u64,
}

impl Limits {
    /// These limits with some of them replaced.
    #[must_use]
    pub fn with(self, time: Option<Duration>, memory: Option<u64>) -> Self {
        Self { time: time.unwrap_or(self.time), memory: memory.unwrap_or(self.memory), ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(3600),
            memory: 4 << 30,
            open_files: 256,
            artifact_files: 1_000,
            artifact_bytes: 1 << 30,
            processes: 0,
        }
    }
}

mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(time.as_secs_f64())
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Duration, D::Error> {
        let seconds = f64::deserialize(deserializer)?;
        Duration::try_from_secs_f64(seconds).map_err(serde::de::Error::custom)
    }
}
