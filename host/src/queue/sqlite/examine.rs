//! A look at a queue's file from outside, without the lock and without a change: is it whole, ours, and in use?

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::super::store::{Counts, QueueError};
use super::lock::FileLock;
use super::{PATIENCE, check, look, schema};

/// A larger file takes minutes to go through.
const CHECKED: u64 = 1 << 30;

/// What was seen.
#[derive(Debug)]
pub struct Seen {
    /// Whether a daemon has it open.
    pub held: bool,
    /// Whether all of it was gone through.
    pub checked: bool,
    /// What is in it; nothing if the tables are still to be made.
    pub counts: Option<Counts>,
}

/// Looks at the file.
pub fn examine(path: &Path) -> Result<Seen, QueueError> {
    let size = fs::metadata(path).map_err(|error| QueueError::Failed(error.to_string()))?.len();
    let held = FileLock::is_held(path);
    let db = open(path)?;
    db.busy_timeout(PATIENCE)?;
    let empty = schema::is_empty(&db)?;
    let checked = size <= CHECKED;
    if checked {
        check(&db)?;
    }
    let counts = if empty { None } else { Some(look::counts(&db)?) };
    Ok(Seen { held, checked, counts })
}

/// Without a journal beside it nobody writes, and the file is all there is. SQLite would make a journal even to read, which
/// would be another user's if a daemon came after.
fn open(path: &Path) -> Result<Connection, QueueError> {
    let mut journal = OsString::from(path);
    journal.push("-wal");
    let how = if Path::new(&journal).exists() { "mode=ro" } else { "immutable=1" };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Ok(Connection::open_with_flags(format!("file:{}?{how}", escaped(path)), flags)?)
}

fn escaped(path: &Path) -> String {
    path.as_os_str().as_bytes().iter().fold(String::new(), |mut text, &byte| {
        match byte {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'.' | b'-' | b'_' => text.push(byte.into()),
            // Writing to a text does not fail.
            _ => _ = write!(text, "%{byte:02x}"),
        }
        text
    })
}
