//! An archive: a workspace that came over the wire as tar, tar.gz or zip, and becomes a folder.
//!
//! Invariants: what is written lies inside the new folder, and is a regular file or a folder; the folder has its name
//! only when everything in it is complete and on disk; after an error nothing stays. What an archive says about sizes is
//! compared with what came out, and never relied on.

mod folder;
mod kind;
mod name;
mod tarball;
#[cfg(test)]
mod tests;
mod zipped;

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};

use folder::Unpacking;
pub use kind::ArchiveKind;

/// How much an archive may become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveLimits {
    /// Bytes in all files together.
    pub bytes: u64,
    /// Files and folders together.
    pub files: u64,
    /// How many times larger than the archive the files may be.
    pub ratio: u64,
    /// So many bytes are fine at any ratio: a small file of zeros is no attack.
    pub ratio_from: u64,
}

impl Default for ArchiveLimits {
    fn default() -> Self {
        Self { bytes: 1 << 30, files: 10_000, ratio: 200, ratio_from: 10 << 20 }
    }
}

/// Makes an archive a folder. `into` must not exist; the folder above it must. One folder around the whole workspace is
/// taken off. It blocks, and may take long.
pub fn unpack(archive: &Path, kind: ArchiveKind, into: &Path, limits: &ArchiveLimits) -> Result<(), ScoreError> {
    let file = File::open(archive).map_err(|error| ours("open the upload", &error))?;
    let length = file.metadata().map_err(|error| ours("look at the upload", &error))?.len();
    if length == 0 {
        return Err(empty());
    }
    let mut folder = Unpacking::begin(into, length, limits)?;
    match kind {
        ArchiveKind::Tar => tarball::read(file, &mut folder)?,
        ArchiveKind::TarGz => tarball::read_compressed(file, &mut folder)?,
        ArchiveKind::Zip => zipped::read(&file, length, &mut folder)?,
    }
    folder.finish(into)
}

/// The archive is not as it should be.
fn bad(message: impl Into<String>) -> ScoreError {
    ScoreError::new(ErrorCode::BadFormat, message).at_stage("unpack")
}

/// The archive is fine as far as we know, but this machine fails.
fn ours(what: &str, error: &std::io::Error) -> ScoreError {
    let hint = "the server's disk may be full or its folders closed to it; its operator can tell from the log";
    let failure = ScoreError::new(ErrorCode::UnhandledError, format!("the server could not {what}: {error}"))
        .hint(hint)
        .at_stage("unpack");
    if lacks_room(error) { failure.detail("disk", "full") } else { failure }
}

/// Whether something could not be written because there is no room for it.
pub fn lacks_room(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

/// Whether an archive could not be unpacked because this machine has no room for it.
pub fn is_full_disk(error: &ScoreError) -> bool {
    error.details.more.contains_key("disk")
}

/// Whether an archive holds more than it may.
pub fn is_too_large(error: &ScoreError) -> bool {
    error.details.more.contains_key("limit")
}

fn empty() -> ScoreError {
    bad("the archive is empty")
        .expected("a workspace: meta.json, input/ and what else belongs to it")
        .hint("pack the workspace: tar -czf workspace.tar.gz -C WORKSPACE .")
}

/// The archive ends too early, or its bytes make no sense.
fn damaged(what: impl Into<String>) -> ScoreError {
    bad(what).hint("the archive is damaged or was cut on its way; test it (tar -tf, unzip -t) and send it again")
}
