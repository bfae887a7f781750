//! A zip, by its directory. Strict where readers differ: one directory, at the end, that agrees with what it lists.
//!
//! Our own, because it has to see what a friendly reader hides: the same name twice, and a directory of millions of
//! entries before it is in memory. With the limits there are, zip64 is never needed.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::os::unix::fs::FileExt;

use autoscorer_plugin_api::error::ScoreError;
use flate2::CrcReader;
use flate2::bufread::DeflateDecoder;

use super::folder::{Unpacking, too_many};
use super::name::{EntryName, refused};
use super::{bad, damaged};

const END: usize = 22;
const CENTRAL: usize = 46;
const LOCAL: usize = 30;
/// The comment at the very end has at most so many bytes.
const LONGEST_COMMENT: u64 = 0xffff;

/// Reads all that the directory lists.
pub(super) fn read(file: &File, length: u64, folder: &mut Unpacking) -> Result<(), ScoreError> {
    let end = End::find(file, length)?;
    if u64::from(end.entries) > folder.most_files() {
        return Err(too_many(folder.most_files()));
    }
    let section = Section { file, at: end.offset, end: end.offset + end.size };
    let mut directory = BufReader::with_capacity(64 << 10, section);
    for _ in 0..end.entries {
        let entry = Entry::read(&mut directory)?;
        entry.unpack(file, end.offset, folder)?;
    }
    let mut rest = [0];
    match directory.read(&mut rest) {
        Ok(0) => Ok(()),
        _ => Err(damaged("the zip's directory holds more than it says")),
    }
}

/// The record at the end, which says where the directory is.
struct End {
    entries: u16,
    offset: u64,
    size: u64,
}

impl End {
    fn find(file: &File, length: u64) -> Result<Self, ScoreError> {
        let start = length.saturating_sub(END as u64 + LONGEST_COMMENT);
        let mut tail = Vec::new();
        Section { file, at: start, end: length }.read_to_end(&mut tail).map_err(|error| broken(&error))?;
        let last = tail.len().checked_sub(END).ok_or_else(no_end)?;
        // Its comment has to reach exactly to the end, so that nothing inside it is taken for the record.
        let is_end = |at: &usize| {
            tail[*at..].starts_with(b"PK\x05\x06") && usize::from(u16_at(&tail, at + 20)) == tail.len() - at - END
        };
        let at = (0..=last).rev().find(is_end).ok_or_else(no_end)?;
        Self::check(&tail[at..at + END], start + at as u64)
    }

    fn check(record: &[u8], at: u64) -> Result<Self, ScoreError> {
        let (here, all) = (u16_at(record, 8), u16_at(record, 10));
        let (size, offset) = (u32_at(record, 12), u32_at(record, 16));
        if all == u16::MAX || size == u32::MAX || offset == u32::MAX {
            return Err(zip64());
        }
        if record[4..8] != [0; 4] || here != all {
            return Err(bad("the zip is one part of several").hint("pack the workspace into one file"));
        }
        let end = Self { entries: all, offset: u64::from(offset), size: u64::from(size) };
        if end.offset + end.size > at {
            return Err(damaged("the zip's directory is not where its end says"));
        }
        Ok(end)
    }
}

/// What the directory says about an entry.
struct Entry {
    raw: Vec<u8>,
    flags: u16,
    method: u16,
    sum: u32,
    packed: u64,
    size: u64,
    /// The file's type on Unix; 0 if the packer had none.
    kind: u32,
    offset: u64,
}

impl Entry {
    fn read(directory: &mut impl Read) -> Result<Self, ScoreError> {
        let mut record = [0; CENTRAL];
        directory.read_exact(&mut record).map_err(|error| broken(&error))?;
        if !record.starts_with(b"PK\x01\x02") {
            return Err(damaged("the zip's directory is damaged"));
        }
        let mut raw = vec![0; usize::from(u16_at(&record, 28))];
        directory.read_exact(&mut raw).map_err(|error| broken(&error))?;
        let more = u64::from(u16_at(&record, 30)) + u64::from(u16_at(&record, 32));
        let skipped = io::copy(&mut directory.take(more), &mut io::sink()).map_err(|error| broken(&error))?;
        let (packed, size, offset) = (u32_at(&record, 20), u32_at(&record, 24), u32_at(&record, 42));
        if skipped < more {
            return Err(damaged("the zip's directory is cut"));
        }
        if [packed, size, offset].contains(&u32::MAX) {
            return Err(zip64());
        }
        // Systems 3 and 19 are Unix and macOS: the upper half of the attributes is the mode.
        let unix = matches!(record[5], 3 | 19);
        Ok(Self {
            raw,
            flags: u16_at(&record, 8),
            method: u16_at(&record, 10),
            sum: u32_at(&record, 16),
            packed: u64::from(packed),
            size: u64::from(size),
            kind: if unix { (u32_at(&record, 38) >> 16) & 0o170_000 } else { 0 },
            offset: u64::from(offset),
        })
    }

    fn unpack(&self, file: &File, directory: u64, folder: &mut Unpacking) -> Result<(), ScoreError> {
        self.check()?;
        let name = EntryName::parse(&self.raw)?;
        if name.is_folder || self.kind == 0o040_000 {
            return folder.folder(&name);
        }
        let data = self.data(file, directory)?;
        let (written, sum) = if self.method == 0 {
            fill(folder, &name, data)?
        } else {
            fill(folder, &name, DeflateDecoder::new(BufReader::with_capacity(32 << 10, data)))?
        };
        if written != self.size || sum != self.sum {
            return Err(damaged(format!("the zip's entry '{}' is not what its directory says", name.path()))
                .file(name.path())
                .found(format!("{written} bytes, CRC {sum:08x}"))
                .expected(format!("{} bytes, CRC {:08x}", self.size, self.sum)));
        }
        Ok(())
    }

    fn check(&self) -> Result<(), ScoreError> {
        let no_file = "pack the files themselves: zip -r without --symlinks";
        let (what, hint) = match self.kind {
            0o120_000 => ("it is a symbolic link", no_file),
            0 | 0o100_000 | 0o040_000 => match () {
                // Bits 0, 6 and 13: the content, strongly, the directory.
                () if self.flags & 0x2041 != 0 => ("it is encrypted", "pack without a password"),
                () if !matches!(self.method, 0 | 8) => {
                    ("it is compressed in a way that is not read here", "pack with deflate: zip -r workspace.zip .")
                }
                () if self.size > 0 && self.is_folder() => ("it is a folder with content", "pack the workspace anew"),
                () => return Ok(()),
            },
            _ => ("it is neither a file nor a folder", no_file),
        };
        Err(refused(&self.raw, what).hint(hint))
    }

    fn is_folder(&self) -> bool {
        self.kind == 0o040_000 || self.raw.ends_with(b"/")
    }

    /// Where the content lies: behind a header of its own that must give the same name.
    fn data<'a>(&self, file: &'a File, directory: u64) -> Result<Section<'a>, ScoreError> {
        let mut header = Section { file, at: self.offset, end: directory };
        let mut record = [0; LOCAL];
        header.read_exact(&mut record).map_err(|error| broken(&error))?;
        let mut raw = vec![0; usize::from(u16_at(&record, 26))];
        header.read_exact(&mut raw).map_err(|error| broken(&error))?;
        if !record.starts_with(b"PK\x03\x04") || raw != self.raw {
            return Err(refused(&self.raw, "the zip's directory and its content name it differently")
                .hint("the archive is damaged; pack the workspace anew"));
        }
        let at = header.at + u64::from(u16_at(&record, 28));
        if at + self.packed > directory {
            return Err(damaged("an entry of the zip reaches beyond its content"));
        }
        Ok(Section { file, at, end: at + self.packed })
    }
}

fn fill(folder: &mut Unpacking, name: &EntryName, content: impl Read) -> Result<(u64, u32), ScoreError> {
    let mut content = CrcReader::new(content);
    let written = folder.file(name, &mut content)?;
    Ok((written, content.crc().sum()))
}

/// A part of a file, read without moving the file's own position.
struct Section<'a> {
    file: &'a File,
    at: u64,
    end: u64,
}

impl Read for Section<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_sub(self.at);
        let most = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let count = self.file.read_at(&mut buffer[..most], self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn no_end() -> ScoreError {
    damaged("the archive is no zip, or is cut: it has no directory at its end")
}

fn zip64() -> ScoreError {
    bad("the zip is in the format for more than 65,535 files or 4 GiB (zip64)")
        .hint("leave out what the scorer does not need; if it is small, pack it anew, or as tar.gz")
}

fn broken(error: &io::Error) -> ScoreError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => damaged("the zip is cut, or its directory is damaged"),
        _ => damaged(format!("the zip cannot be read: {error}")),
    }
}
