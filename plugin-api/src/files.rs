//! Reading a workspace's files whole, with errors that say what is wrong with the file.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::error::{ErrorCode, ScoreError};

/// The bytes of a file of the workspace; `name` is relative to `root` and appears in errors.
pub fn read(root: &Path, name: &str) -> Result<Vec<u8>, ScoreError> {
    let (file, length) = open(root, name)?;
    read_whole(file, length).map_err(|error| unreadable(name, &error))
}

/// A file of the workspace with its length. What would let a reader wait is not opened.
pub(crate) fn open(root: &Path, name: &str) -> Result<(File, u64), ScoreError> {
    let path = root.join(name);
    let metadata = fs::metadata(&path).map_err(|error| unreadable(name, &error))?;
    if !metadata.is_file() {
        // Opening a FIFO would wait for a writer that may never come.
        let kind = if metadata.is_dir() { "a directory" } else { "a special file" };
        return Err(ScoreError::new(ErrorCode::BadFormat, format!("{name} is {kind}, not a file"))
            .file(name)
            .found(kind)
            .expected("a regular file"));
    }
    let file = File::open(&path).map_err(|error| unreadable(name, &error))?;
    Ok((file, metadata.len()))
}

/// The text of a file of the workspace: UTF-8, a byte order mark is left out.
pub fn read_text(root: &Path, name: &str) -> Result<String, ScoreError> {
    let mut bytes = read(root, name)?;
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        ScoreError::new(ErrorCode::BadFormat, format!("{name} is not UTF-8"))
            .file(name)
            .line(1 + line_ends(&bytes[..valid]))
            .found(format!("byte 0x{:02x}", bytes[valid]))
            .expected("UTF-8 text")
            .hint(
                "save the file as UTF-8; Latin-1 and GBK are not accepted, since guessing would change labels silently",
            )
    })
}

/// How many lines end in these bytes, with LF, CRLF or CR.
pub(crate) fn line_ends(bytes: &[u8]) -> u64 {
    let ends = |at: usize| bytes[at] == b'\n' || bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    (0..bytes.len()).filter(|at| ends(*at)).count() as u64
}

fn read_whole(mut file: File, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    bytes.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(crate) fn unreadable(name: &str, error: &io::Error) -> ScoreError {
    let error_kind = error.kind();
    let (code, message) = match error_kind {
        io::ErrorKind::NotFound => (ErrorCode::MissingFile, format!("{name} is missing")),
        io::ErrorKind::OutOfMemory => (ErrorCode::MemoryLimit, format!("{name} does not fit into memory")),
        _ => (ErrorCode::MissingFile, format!("{name} cannot be read: {error}")),
    };
    let error = ScoreError::new(code, message).file(name);
    let what = match name.split('/').next() {
        _ if error_kind != io::ErrorKind::NotFound => return error,
        Some("input") => "the ground truth",
        Some("output") => "the predictions",
        _ => "the file",
    };
    error.hint(format!("the scorer reads {name}: put {what} there, under this name"))
}
