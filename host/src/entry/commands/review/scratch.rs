//! A scratch folder among the temporary files, for its owner only, gone at the end.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use uuid::Uuid;

/// The folder.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes it; its name is nobody else's.
    pub fn new() -> Result<Self, ScoreError> {
        let folder = std::env::temp_dir().join(format!("autoscorer-review-{}", Uuid::now_v7()));
        DirBuilder::new().mode(0o700).create(&folder).map_err(|error| {
            let message = format!("{} cannot be made: {error}", folder.display());
            ScoreError::new(ErrorCode::WorkspaceNotFound, message).hint("set TMPDIR to a folder that can be written to")
        })?;
        Ok(Self(folder))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}
