//! The daemon's own folder: the queue's file, a folder for each job, and uploads that are not accepted yet.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::queue::JobId;

/// The daemon's own folder.
#[derive(Debug, Clone)]
pub struct Folders {
    data: PathBuf,
}

impl Folders {
    /// Makes the folder, private to the user, and clears away uploads that were never accepted.
    pub fn open(data: &Path) -> io::Result<Self> {
        let make = |path: &Path| DirBuilder::new().recursive(true).mode(0o700).create(path);
        make(data)?;
        // Paths are handed to scorers, which may run elsewhere.
        let folders = Self { data: fs::canonicalize(data)? };
        match fs::remove_dir_all(folders.incoming()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        make(&folders.incoming())?;
        make(&folders.jobs())?;
        Ok(folders)
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
