//! A source: a file of the workspace that is read in blocks from any place, by several threads at once.
//!
//! It is never mapped: a file that is cut while it is scored must become an error and not a signal. Blocks are read over and
//! over into the same memory, which stays in the cache.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::files;

/// An open file.
#[derive(Debug)]
pub(crate) struct Source {
    file: File,
    pub(crate) length: u64,
}

/// The part of a source that is in memory.
pub(crate) struct Window<'s> {
    source: &'s Source,
    buffer: Vec<u8>,
    /// How many bytes of the buffer are the file's.
    filled: usize,
    /// The offset of the first byte in memory.
    start: u64,
}

impl Source {
    /// Opens a file; `name` is relative to `root`.
    pub(crate) fn open(root: &Path, name: &str) -> Result<Self, ScoreError> {
        let opened = open_regular(&root.join(name));
        // What is wrong with a file is explained in one place, for all scorers.
        opened.map_err(|error| match files::read(root, name) {
            Err(explained) => explained,
            Ok(_) => unreadable(name, &error),
        })
    }
}

fn open_regular(path: &Path) -> io::Result<Source> {
    // Opening a FIFO would wait for a writer that may never come.
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok(Source { file: File::open(path)?, length: metadata.len() })
}

pub(crate) fn unreadable(name: &str, error: &io::Error) -> ScoreError {
    ScoreError::new(ErrorCode::MissingFile, format!("{name} cannot be read: {error}")).file(name)
}

impl<'s> Window<'s> {
    /// Nothing in memory yet; the buffer may be an old one.
    pub(crate) fn new(source: &'s Source, start: u64, buffer: Vec<u8>) -> Self {
        Self { source, buffer, filled: 0, start }
    }

    /// What is in memory.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// The offset in the file of a place in memory.
    pub(crate) fn offset(&self, at: usize) -> u64 {
        self.start + at as u64
    }

    /// Forgets what is before this place and reads up to `more` bytes after what is there; false at the file's end.
    pub(crate) fn advance(&mut self, at: usize, more: usize) -> io::Result<bool> {
        self.buffer.copy_within(at..self.filled, 0);
        self.start += at as u64;
        let known = self.filled - at;
        self.filled = known;
        let left = self.source.length.saturating_sub(self.offset(known));
        // Growing by half of what is there keeps the retries of a very long item few.
        let wanted = known + (more.max(known / 2) as u64).min(left) as usize;
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        }
        while self.filled < wanted {
            let offset = self.offset(self.filled);
            match self.source.file.read_at(&mut self.buffer[self.filled..wanted], offset) {
                Ok(0) => break,
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(self.filled > known)
    }

    /// The memory, for the next window.
    pub(crate) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }
}
