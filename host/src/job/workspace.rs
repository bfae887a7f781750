//! A workspace: a folder that exists.

use std::fs;
use std::path::{Path, PathBuf};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};

/// A folder that exists, by its absolute path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    given: String,
    path: PathBuf,
}

impl Workspace {
    /// The workspace at a path.
    pub fn open(given: &str) -> Result<Self, ScoreError> {
        let missing = |reason: &str| {
            ScoreError::new(ErrorCode::WorkspaceNotFound, format!("the workspace {given} {reason}"))
                .file(given)
                .expected("a folder with meta.json, input/ and output/")
                .at_stage("meta")
        };
        let path = fs::canonicalize(given).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => missing("does not exist"),
            _ => missing(&format!("cannot be read: {error}")),
        })?;
        if !path.is_dir() {
            let error = missing("is no folder");
            let folder = path.parent().filter(|folder| folder.join("meta.json").exists());
            return Err(match folder.and(Path::new(given).parent()) {
                None => error,
                Some(here) if here.as_os_str().is_empty() => error.hint("name the folder that it lies in: ."),
                Some(folder) => error.hint(format!("name the folder that it lies in: {}", folder.display())),
            });
        }
        if path.to_str().is_none() {
            // Paths cross the plugin boundary as text.
            return Err(missing("has a path that is not UTF-8"));
        }
        Ok(Self { given: given.to_owned(), path })
    }

    /// As the user wrote it.
    pub fn given(&self) -> &str {
        &self.given
    }

    /// Absolute.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
