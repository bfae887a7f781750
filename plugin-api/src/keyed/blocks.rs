//! The blocks of a file: read one after the other into the same memory, each beginning where a row begins.
//!
//! Files are not mapped: one that is cut while it is read would end the process.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::ScoreError;
use crate::files;

/// Large enough that system calls cost nothing, small enough for a core's own cache.
const BLOCK: usize = 256 << 10;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A file that is read from its beginning to its end.
pub(super) struct Blocks {
    name: String,
    file: File,
    length: u64,
    buffer: Vec<u8>,
    /// What has been read and not taken yet lies between these.
    start: usize,
    end: usize,
    at_end: bool,
}

impl Blocks {
    /// Opens a file of the workspace and reads its first block; a byte order mark is left out.
    pub(super) fn open(root: &Path, name: &str) -> Result<Self, ScoreError> {
        Self::of_size(root, name, BLOCK)
    }

    /// The same in blocks of a size.
    pub(super) fn of_size(root: &Path, name: &str, size: usize) -> Result<Self, ScoreError> {
        let (file, length) = files::open(root, name)?;
        let size = usize::try_from(length).unwrap_or(size).min(size).max(BYTE_ORDER_MARK.len());
        // One byte more, so that the end of a small file is noticed without growing.
        let buffer = vec![0; size + 1];
        let mut blocks = Self { name: name.to_owned(), file, length, buffer, start: 0, end: 0, at_end: false };
        blocks.refill()?;
        if blocks.bytes().starts_with(BYTE_ORDER_MARK) {
            blocks.take(BYTE_ORDER_MARK.len());
        }
        Ok(blocks)
    }

    /// What has been read and not taken yet.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Whether the file ends with these bytes.
    pub(super) fn at_end(&self) -> bool {
        self.at_end
    }

    /// Takes bytes from the front.
    pub(super) fn take(&mut self, length: usize) {
        self.start += length;
    }

    /// Reads on behind what has not been taken yet, into more memory if there is no room. Says whether there was more.
    pub(super) fn refill(&mut self) -> Result<bool, ScoreError> {
        if self.at_end {
            return Ok(false);
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end == self.buffer.len() {
            // A row longer than the block: twice the room, so that reading it again stays in proportion.
            self.buffer.resize(2 * self.buffer.len(), 0);
        }
        while self.end < self.buffer.len() {
            match self.file.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.at_end = true;
                    break;
                }
                Ok(length) => self.end += length,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(files::unreadable(&self.name, &error)),
            }
        }
        Ok(true)
    }

    /// About how many lines are still to come, judged by those of this block.
    pub(super) fn lines_ahead(&self) -> usize {
        let block = self.bytes();
        let lines = memchr::memchr_iter(b'\n', block).count() + 1;
        let ahead = usize::try_from(self.length).unwrap_or(usize::MAX).max(block.len());
        // A file may lie about its length, and its first lines about the others: a guess gets no more than a wrong one may cost.
        (ahead / block.len().max(1)).saturating_mul(lines).saturating_add(lines).min(ahead / 2 + 1)
    }
}
