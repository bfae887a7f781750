//! A turn in a workspace: one job at a time, over all processes.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// How often a waiting job looks whether it is its turn.
const TICK: Duration = Duration::from_millis(2);

/// Held as long as a job works in a workspace; the system gives it back however the process ends.
pub struct WorkspaceLock {
    _folder: File,
}

impl WorkspaceLock {
    /// Waits for the turn; `None` if the waiting was cancelled, or if the file system knows no locks.
    pub fn wait(workspace: &Path, cancelled: impl Fn() -> bool) -> Option<Self> {
        let folder = File::open(workspace).ok()?;
        loop {
            match flock(&folder, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Some(Self { _folder: folder }),
                Err(Errno::WOULDBLOCK | Errno::INTR) if !cancelled() => std::thread::sleep(TICK),
                Err(_) => return None,
            }
        }
    }
}
