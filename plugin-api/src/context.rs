//! What the host gives a scorer for one job: the workspace, and ways to report, to be stopped, and to leave files.

use std::cell::RefCell;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use indexmap::IndexMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::abi::Host;
use crate::document;
use crate::error::{ErrorCode, ScoreError};
use crate::faults::Faults;
use crate::files;
use crate::outcome::Artifact;
use crate::table::Table;

/// Where artifacts end up in the workspace.
pub const ARTIFACTS: &str = "output/artifacts";

/// One call as it crosses the boundary, in JSON; new members are added with defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The workspace, absolute.
    pub workspace: PathBuf,
    /// The parameters as merged by the host.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// The folder to write artifacts to; none are wanted where it is absent.
    #[serde(default)]
    pub artifacts: Option<PathBuf>,
    /// How long the call may still take.
    #[serde(default)]
    pub time_left_ms: Option<u64>,
}

/// How important a log line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Level {
    /// For the scorer's author.
    Debug = 0,
    /// What happens.
    Info = 1,
    /// What looks wrong.
    Warn = 2,
    /// What went wrong.
    Error = 3,
}

impl From<u8> for Level {
    fn from(number: u8) -> Self {
        match number {
            0 => Self::Debug,
            1 => Self::Info,
            2 => Self::Warn,
            _ => Self::Error,
        }
    }
}

/// One job as its scorer sees it.
pub struct Context<'h> {
    workspace: PathBuf,
    artifacts: Option<PathBuf>,
    deadline: Option<Instant>,
    host: Host<'h>,
    written: RefCell<IndexMap<String, Artifact>>,
}

impl<'h> Context<'h> {
    pub(crate) fn new(request: &Request, host: Host<'h>) -> Self {
        let time_left = request.time_left_ms.map(Duration::from_millis);
        Self {
            workspace: request.workspace.clone(),
            artifacts: request.artifacts.clone(),
            deadline: time_left.and_then(|left| Instant::now().checked_add(left)),
            host,
            written: RefCell::default(),
        }
    }

    /// The workspace's folder.
    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// A file in `input/`.
    pub fn input(&self, name: &str) -> PathBuf {
        self.workspace.join("input").join(name)
    }

    /// A file in `output/`.
    pub fn output(&self, name: &str) -> PathBuf {
        self.workspace.join("output").join(name)
    }

    /// The text of a file of the workspace, such as `input/gt.json`.
    pub fn read_text(&self, name: &str) -> Result<String, ScoreError> {
        files::read_text(&self.workspace, name)
    }

    /// What a JSON file of the workspace says, such as `input/gt.json`. Reading stops when the job does.
    pub fn json<T: DeserializeOwned>(&self, name: &str) -> Result<T, ScoreError> {
        document::parse(name, &self.read_text(name)?, self.watch())
    }

    /// A CSV file of the workspace, such as `input/gt.csv`, keyed by a column. Reading stops when the job does, and so do joining and reading numbers.
    pub fn table(&self, name: &str, id_column: &str, columns: &[&str]) -> Result<Table<'h>, Faults> {
        Table::read_watched(self, name, id_column, columns)
    }

    /// Says how far the job is.
    pub fn progress(&self, done: u64, total: u64) {
        self.host.progress(done, total);
    }

    /// Writes a line to the job's log.
    pub fn log(&self, level: Level, message: impl fmt::Display) {
        self.host.log(level, &message.to_string());
    }

    /// Whether the job should stop. Ask now and then in long loops, or use [`Context::check`].
    pub fn cancelled(&self) -> bool {
        self.host.cancelled()
    }

    /// Asks the same from any thread.
    pub fn watch(&self) -> Watch<'h> {
        Watch { host: self.host, deadline: self.deadline }
    }

    /// When the job has to be done.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The error to return when the job was cancelled or its time is over.
    pub fn check(&self) -> Result<(), ScoreError> {
        self.watch().check()
    }

    /// Whether artifacts are wanted at all; ask before computing what only goes into one.
    pub fn wants_artifacts(&self) -> bool {
        self.artifacts.is_some()
    }

    /// Writes an artifact and records its size and sha256. Where none are wanted, nothing is called.
    pub fn artifact(
        &self,
        name: &str,
        content_type: &str,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), ScoreError> {
        let Some(folder) = &self.artifacts else { return Ok(()) };
        let path = artifact_path(folder, name)?;
        let (size, sha256) = write_hashed(&path, write).map_err(|error| {
            ScoreError::new(ErrorCode::ScoreError, format!("the artifact {name} could not be written: {error}"))
                .file(format!("{ARTIFACTS}/{name}"))
        })?;
        let artifact =
            Artifact { path: format!("{ARTIFACTS}/{name}"), size, sha256, content_type: content_type.to_owned() };
        self.written.borrow_mut().insert(name.to_owned(), artifact);
        Ok(())
    }

    pub(crate) fn into_artifacts(self) -> IndexMap<String, Artifact> {
        self.written.into_inner()
    }
}

/// Asks, from any thread, whether the job should stop.
#[derive(Clone, Copy)]
pub struct Watch<'h> {
    host: Host<'h>,
    deadline: Option<Instant>,
}

impl fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

impl Watch<'_> {
    /// The error to return when the job was cancelled or its time is over.
    pub fn check(&self) -> Result<(), ScoreError> {
        if self.host.cancelled() {
            return Err(ScoreError::new(ErrorCode::Cancelled, "the job was cancelled"));
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(ScoreError::new(ErrorCode::TimeoutError, "the job's time limit was reached")
                .hint("raise time_limit in meta.json, or make the input smaller"));
        }
        Ok(())
    }
}

#[cfg(test)]
impl Context<'static> {
    /// The context of a job that nobody stops, or whose time is over.
    pub(crate) fn idle(workspace: &Path, time_left_ms: Option<u64>) -> Self {
        static NOBODY: &dyn crate::abi::HostServices = &crate::testing::Nobody;
        let workspace = workspace.to_owned();
        let request = Request { workspace, params: Map::new(), artifacts: None, time_left_ms };
        Self::new(&request, Host::lend(&NOBODY))
    }
}

/// Where an artifact of this name lies in the folder of artifacts, and never outside it.
pub fn artifact_path(folder: &Path, name: &str) -> Result<PathBuf, ScoreError> {
    if is_inside(name) {
        return Ok(folder.join(name));
    }
    let message = format!("the artifact name {name:?} does not stay inside the artifacts folder");
    Err(ScoreError::new(ErrorCode::ScoreError, message).expected("a relative path without '..'"))
}

fn is_inside(name: &str) -> bool {
    let mut components = Path::new(name).components().peekable();
    components.peek().is_some() && components.all(|component| matches!(component, Component::Normal(_)))
}

fn write_hashed(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<(u64, String)> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut hashing = Hashing { inner: BufWriter::new(File::create(path)?), hasher: Sha256::new(), size: 0 };
    if let Err(error) = write(&mut hashing).and_then(|()| hashing.flush()) {
        // Half an artifact is none, even if the scorer goes on.
        fs::remove_file(path)?;
        return Err(error);
    }
    Ok((hashing.size, hex(&hashing.hasher.finalize())))
}

/// A hash in hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hashes and counts what passes through.
struct Hashing<W> {
    inner: W,
    hasher: Sha256,
    size: u64,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifact_names_stay_inside_their_folder() {
        for name in ["matrix.json", "plots/roc.svg", "名.csv"] {
            assert!(is_inside(name), "{name}");
        }
        for name in ["", "/etc/passwd", "../up", "a/../../b", "./x/..", "."] {
            assert!(!is_inside(name), "{name}");
        }
    }
}
