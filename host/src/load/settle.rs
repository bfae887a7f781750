//! Settling: waiting until nobody has written to a file for a while.

use std::path::Path;
use std::time::{Duration, Instant};

use super::file::Signature;
use super::refusal::Finding;

/// A file is settled when it has been the same for this long.
pub const QUIET: Duration = Duration::from_millis(150);

/// A command that needs a scorer now waits this long for its file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Waits until the file has been the same for a while, and gives its signature.
pub fn wait(path: &Path) -> Result<Signature, Finding> {
    let start = Instant::now();
    let mut seen = signature(path)?;
    while start.elapsed() < PATIENCE {
        // The file system's clock says at once that an old file is quiet; a file from the future has to prove it.
        let age = seen.age().unwrap_or_default();
        if age >= QUIET {
            return Ok(seen);
        }
        std::thread::sleep(QUIET - age);
        let now = signature(path)?;
        if now == seen {
            return Ok(now);
        }
        seen = now;
    }
    Err(Finding::new(
        format!("a file that has kept changing for {} s", PATIENCE.as_secs()),
        "a file that nobody writes to",
        "wait until the copy has ended, or copy to a hidden name and rename it",
    ))
}

fn signature(path: &Path) -> Result<Signature, Finding> {
    Signature::of(path)
        .map_err(|error| Finding::new(error.to_string(), "a file", "put the library back into the folder"))
}
