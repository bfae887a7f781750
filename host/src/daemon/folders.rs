//! The daemon's own folder: the queue's file, a folder for each job, and uploads that are not accepted yet.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};

use crate::queue::JobId;

/// The daemon's own folder.
#[derive(Debug, Clone)]
pub struct Folders {
    data: PathBuf,
}

impl Folders {
    /// Makes the folder, private to the user.
    pub fn open(data: &Path) -> io::Result<Self> {
        make(data)?;
        // Paths are handed to scorers, which may run elsewhere.
        let folders = Self { data: fs::canonicalize(data)? };
        make(&folders.incoming())?;
        make(&folders.jobs())?;
        Ok(folders)
    }

    /// Clears away uploads that were never accepted. Only for the one who has the queue open: those of another daemon
    /// may be on their way.
    pub fn clear_incoming(&self) -> io::Result<()> {
        fs::remove_dir_all(self.incoming())?;
        make(&self.incoming())
    }

    /// Makes a job's own folder so that it is there after a power cut too.
    pub fn make_job(&self, id: &JobId) -> io::Result<()> {
        make(&self.job(id))?;
        File::open(self.jobs())?.sync_all()
    }

    /// The folder itself.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// The queue's file.
    pub fn queue(&self) -> PathBuf {
        Self::queue_in(&self.data)
    }

    /// The queue's file in a data folder that is only looked at.
    pub fn queue_in(data: &Path) -> PathBuf {
        data.join("queue.sqlite")
    }

    /// Where uploads are until they are accepted; emptied at every start.
    pub fn incoming(&self) -> PathBuf {
        self.data.join("incoming")
    }

    fn jobs(&self) -> PathBuf {
        self.data.join("jobs")
    }

    /// A job's own folder.
    pub fn job(&self, id: &JobId) -> PathBuf {
        self.jobs().join(id.as_str())
    }

    /// A job's workspace, if it was uploaded.
    pub fn workspace(&self, id: &JobId) -> PathBuf {
        self.job(id).join("workspace")
    }

    /// A job's workspace, which has to be there. Where that is does not concern its client.
    pub fn uploaded(&self, id: &JobId) -> Result<PathBuf, ScoreError> {
        let workspace = self.workspace(id);
        if workspace.is_dir() {
            return Ok(workspace);
        }
        Err(ScoreError::new(ErrorCode::WorkspaceNotFound, "the uploaded workspace is not there any more")
            .hint("submit it again, as a new job")
            .at_stage("request"))
    }

    /// What a job's scorer has logged.
    pub fn log(&self, id: &JobId) -> PathBuf {
        self.job(id).join("log.jsonl")
    }

    /// The names of all job folders.
    pub fn job_ids(&self) -> io::Result<Vec<JobId>> {
        let mut ids = Vec::new();
        for entry in fs::read_dir(self.jobs())? {
            ids.extend(entry?.file_name().to_str().and_then(JobId::parse));
        }
        Ok(ids)
    }

    /// Removes all that is left of a job.
    pub fn remove(&self, id: &JobId) -> io::Result<()> {
        match fs::remove_dir_all(self.job(id)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

fn make(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}
