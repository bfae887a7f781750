//! The workspaces that are being worked in: a job for one of them would only wait there, and keep a worker from others.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use rusqlite::Connection;

use super::super::job::{Order, Place};
use super::super::store::QueueError;
use super::rows::all;

/// Workspaces below the root that have a job at work. An uploaded one is its job's own.
pub struct Busy(HashSet<PathBuf>);

impl Busy {
    /// As it is now.
    pub fn now(db: &Connection) -> Result<Self, QueueError> {
        let tasks = all(db, "SELECT task FROM job WHERE state = 'running'", [], |row| row.get::<_, String>(0))?;
        Ok(Self(tasks.iter().filter_map(|task| workspace(task)).collect()))
    }

    /// Whether a job with this task would have to wait for its workspace.
    pub fn has(&self, task: &str) -> bool {
        !self.0.is_empty() && workspace(task).is_some_and(|path| self.0.contains(&path))
    }
}

/// Another spelling of the same path is the same workspace. What links lead to is not known here: such jobs take turns
/// in the workspace itself.
fn workspace(task: &str) -> Option<PathBuf> {
    match serde_json::from_str::<Order>(task).ok()?.workspace {
        Place::Path(path) => Some(Path::new(&path).components().filter(|part| *part != Component::CurDir).collect()),
        Place::Uploaded => None,
    }
}
