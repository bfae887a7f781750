//! The lock: one process at a time has a queue's file open.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::super::store::QueueError;

/// Held as long as the store is open; the system gives it back however the process ends.
#[derive(Debug)]
pub struct FileLock {
    _file: File,
}

impl FileLock {
    /// Takes the lock of a file, which lies beside it: closing any handle on the database itself would give up the
    /// locks that SQLite holds there.
    pub fn take(database: &Path) -> Result<Self, QueueError> {
        let path = beside(database);
        let failed = |reason: String| QueueError::Failed(format!("{}: {reason}", path.display()));
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)
            .map_err(|error| failed(error.to_string()))?;
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Self { _file: file }),
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) => {
                    return Err(failed(format!(
                        "another autoscorer has {} open; stop it, or name another folder with --data",
                        database.display()
                    )));
                }
                Err(error) => return Err(failed(format!("cannot be locked: {error}"))),
            }
        }
    }
}

impl FileLock {
    /// Whether somebody has the lock. A daemon that starts in this very moment would find it taken.
    pub fn is_held(database: &Path) -> bool {
        let Ok(file) = File::open(beside(database)) else { return false };
        flock(&file, FlockOperation::NonBlockingLockShared) == Err(Errno::WOULDBLOCK)
    }
}

fn beside(database: &Path) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(".lock");
    PathBuf::from(name)
}
