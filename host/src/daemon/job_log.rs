//! A job's log: what its scorer says, a JSON object a line, cut where it would grow without end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use autoscorer_plugin_api::context::Level;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::running::{Progress, Running};
use crate::job::Observe;
use crate::queue::JobId;
use crate::telemetry::time;

/// More than this is kept of no job.
const MOST_BYTES: usize = 1 << 20;

/// A longer line is cut.
const LONGEST_LINE: usize = 4096;

/// A line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// When it was said.
    pub timestamp: String,
    /// `debug`, `info`, `warn` or `error`.
    pub level: String,
    /// What was said.
    pub message: String,
}

/// Writes the log of one job, and notes its progress.
pub struct JobLog {
    job: JobId,
    path: PathBuf,
    running: Arc<Running>,
    written: Mutex<Written>,
}

#[derive(Default)]
struct Written {
    file: Option<File>,
    bytes: usize,
}

impl JobLog {
    /// The log of a job. The file is made with the first line.
    pub fn new(job: JobId, path: PathBuf, running: Arc<Running>) -> Self {
        // A job that is run again has a new log.
        _ = fs::remove_file(&path);
        Self { job, path, running, written: Mutex::default() }
    }

    fn write(&self, level: &str, message: &str) -> io::Result<()> {
        let mut written = self.written.lock();
        if written.bytes > MOST_BYTES {
            return Ok(());
        }
        if written.file.is_none() {
            fs::create_dir_all(self.path.parent().unwrap_or(Path::new("")))?;
            written.file = Some(OpenOptions::new().create(true).append(true).open(&self.path)?);
        }
        let message: String = message.chars().take(LONGEST_LINE).collect();
        let mut text = line(level, message)?;
        written.bytes += text.len();
        if written.bytes > MOST_BYTES {
            text += &line("warn", format!("the log is cut here: it is longer than {MOST_BYTES} bytes"))?;
        }
        written.file.as_mut().map_or(Ok(()), |file| file.write_all(text.as_bytes()))
    }
}

fn line(level: &str, message: String) -> io::Result<String> {
    let line = LogLine { timestamp: time::now(), level: level.to_owned(), message };
    Ok(serde_json::to_string(&line)? + "\n")
}

impl Observe for JobLog {
    fn log(&self, level: Level, message: &str) {
        let level = match level {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        };
        tracing::debug!(job = %self.job, level, "scorer: {message}");
        if let Err(error) = self.write(level, message) {
            tracing::warn!(job = %self.job, %error, "the job's log cannot be written");
        }
    }

    fn progress(&self, done: u64, total: u64) {
        self.running.note(&self.job, Progress { done, total });
    }
}

/// The lines of a log; none if nothing was said. A line that is being written is left out.
pub fn read_log(path: &Path) -> io::Result<Vec<LogLine>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(file) => _ = file.take(2 * MOST_BYTES as u64).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // A line that is being written may end within a character.
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}
