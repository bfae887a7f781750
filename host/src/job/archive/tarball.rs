//! A tar, block by block. Strict where readers differ: sizes are said once, the end is marked, nothing follows it.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};

use autoscorer_plugin_api::error::ScoreError;
use flate2::bufread::MultiGzDecoder;
use tar::{EntryType, Header};

use super::folder::Unpacking;
use super::name::{EntryName, refused};
use super::{bad, damaged};

const BLOCK: usize = 512;
/// The most bytes of names and attributes before an entry.
const LONGEST_EXTENSION: u64 = 1 << 20;

/// Whether something begins as a tar does: with a header whose sum is right.
pub(super) fn begins(bytes: &[u8]) -> bool {
    bytes.first_chunk::<BLOCK>().is_some_and(|block| block[0] != 0 && sum_is_right(block))
}

/// Reads a tar inside gzip.
pub(super) fn read_compressed(file: File, folder: &mut Unpacking) -> Result<(), ScoreError> {
    read(MultiGzDecoder::new(BufReader::with_capacity(64 << 10, file)), folder)
}

/// Reads a tar to its end.
pub(super) fn read(file: impl Read, folder: &mut Unpacking) -> Result<(), ScoreError> {
    let longest = folder.longest_stream();
    Tarball { stream: BufReader::with_capacity(64 << 10, file.take(longest)), folder }.read()
}

struct Tarball<'a, R: Read> {
    stream: BufReader<io::Take<R>>,
    folder: &'a mut Unpacking,
}

/// What comes before an entry and is about it.
#[derive(Default)]
struct Extensions {
    long_name: Option<Vec<u8>>,
    pax_name: Option<Vec<u8>>,
    pax_size: Option<u64>,
}

impl<R: Read> Tarball<'_, R> {
    fn read(mut self) -> Result<(), ScoreError> {
        let mut extensions = Extensions::default();
        loop {
            let block = self.block()?;
            if block.iter().all(|byte| *byte == 0) {
                return self.end();
            }
            if !sum_is_right(&block) {
                return Err(damaged("the archive is no tar, or is damaged: a header's sum is wrong"));
            }
            let header = Header::from_byte_slice(&block);
            let size = header.entry_size().map_err(|_| damaged("a header of the archive has no readable size"))?;
            match header.entry_type() {
                EntryType::GNULongName => extensions.long_name = Some(self.long_name(size)?),
                // Links are refused when they come.
                EntryType::GNULongLink => drop(self.extension(size)?),
                EntryType::XHeader => self.pax(size, &mut extensions)?,
                EntryType::XGlobalHeader => self.global_pax(size)?,
                kind => self.entry(header, kind, size, std::mem::take(&mut extensions))?,
            }
        }
    }

    fn entry(&mut self, header: &Header, kind: EntryType, size: u64, before: Extensions) -> Result<(), ScoreError> {
        let raw = before.pax_name.or(before.long_name).unwrap_or_else(|| header.path_bytes().into_owned());
        let what = match kind {
            EntryType::Regular | EntryType::Directory => None,
            EntryType::Symlink => Some("it is a symbolic link"),
            EntryType::Link => Some("it is a hard link"),
            EntryType::Char | EntryType::Block => Some("it is a device"),
            EntryType::Fifo => Some("it is a named pipe"),
            EntryType::GNUSparse => Some("it is a sparse file"),
            _ => Some("it is neither a file nor a folder"),
        };
        if let Some(what) = what {
            return Err(refused(&raw, what)
                .expected("files and folders only")
                .hint("pack the files themselves: tar --dereference --hard-dereference, without --sparse"));
        }
        if before.pax_size.is_some_and(|said| said != size) {
            return Err(refused(&raw, "its size is said twice, differently").hint("pack the workspace anew"));
        }
        let name = EntryName::parse(&raw)?;
        if kind == EntryType::Directory || name.is_folder {
            if size != 0 {
                return Err(refused(&raw, "it is a folder with content").hint("pack the workspace anew"));
            }
            return self.folder.folder(&name);
        }
        let written = self.folder.file(&name, &mut (&mut self.stream).take(size))?;
        if written < size {
            return Err(self.cut());
        }
        self.skip_padding(size)
    }

    /// The next block; that there is none is an error, since the end is marked.
    fn block(&mut self) -> Result<[u8; BLOCK], ScoreError> {
        let mut block = [0; BLOCK];
        self.stream.read_exact(&mut block).map_err(|error| self.broken(&error))?;
        Ok(block)
    }

    fn skip_padding(&mut self, size: u64) -> Result<(), ScoreError> {
        let mut padding = [0; BLOCK];
        let length = (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64;
        self.stream.read_exact(&mut padding[..length as usize]).map_err(|error| self.broken(&error))
    }

    /// The content of an entry that is about the next one.
    fn extension(&mut self, size: u64) -> Result<Vec<u8>, ScoreError> {
        if size > LONGEST_EXTENSION {
            return Err(bad(format!("the archive describes an entry in {size} bytes"))
                .expected(format!("at most {LONGEST_EXTENSION}"))
                .hint("pack without extended attributes: tar --no-xattrs"));
        }
        let mut content = vec![0; size as usize];
        self.stream.read_exact(&mut content).map_err(|error| self.broken(&error))?;
        self.skip_padding(size)?;
        Ok(content)
    }

    /// It ends with a NUL; what else it holds is the name's affair.
    fn long_name(&mut self, size: u64) -> Result<Vec<u8>, ScoreError> {
        let mut name = self.extension(size)?;
        if name.last() == Some(&0) {
            name.pop();
        }
        Ok(name)
    }

    fn pax(&mut self, size: u64, into: &mut Extensions) -> Result<(), ScoreError> {
        for (key, value) in records(&self.extension(size)?)? {
            match key.as_str() {
                "path" => into.pax_name = Some(value),
                "size" => into.pax_size = Some(number(&value)?),
                key if key.starts_with("GNU.sparse.") => {
                    return Err(bad("the archive holds a sparse file").hint("pack without --sparse"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Said of all entries, names and sizes make no sense; the rest does not matter here.
    fn global_pax(&mut self, size: u64) -> Result<(), ScoreError> {
        let records = records(&self.extension(size)?)?;
        if records.iter().any(|(key, _)| key == "path" || key == "size" || key.starts_with("GNU.sparse.")) {
            return Err(bad("the archive gives all its entries one name or size").hint("pack the workspace anew"));
        }
        Ok(())
    }

    /// Nothing but zeros may follow; reading them also checks gzip's own sum.
    fn end(mut self) -> Result<(), ScoreError> {
        let mut buffer = [0; 8 << 10];
        loop {
            match self.stream.read(&mut buffer) {
                Ok(0) if self.stream.get_ref().limit() == 0 => return Err(self.folder.too_large()),
                Ok(0) => return Ok(()),
                Ok(count) if buffer[..count].iter().all(|byte| *byte == 0) => {}
                Ok(_) => {
                    return Err(bad("something follows the end of the archive")
                        .hint("pack the workspace as one archive; several in one file are not read"));
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.broken(&error)),
            }
        }
    }

    fn broken(&self, error: &io::Error) -> ScoreError {
        match error.kind() {
            ErrorKind::UnexpectedEof => self.cut(),
            _ => damaged(format!("the archive cannot be read: {error}")),
        }
    }

    /// The stream ends: by itself, or because it had all it may have.
    fn cut(&self) -> ScoreError {
        if self.stream.get_ref().limit() == 0 {
            return self.folder.too_large();
        }
        damaged("the archive is cut: it ends before its end is marked")
    }
}

/// The records of a pax header: `LENGTH KEY=VALUE\n`, the length counting all of it. Values may hold line breaks.
fn records(mut content: &[u8]) -> Result<Vec<Record>, ScoreError> {
    let mut records = Vec::new();
    while !content.is_empty() {
        let (record, rest) = record(content).ok_or_else(|| damaged("a pax header of the archive makes no sense"))?;
        records.push(record);
        content = rest;
    }
    Ok(records)
}

type Record = (String, Vec<u8>);

fn record(content: &[u8]) -> Option<(Record, &[u8])> {
    let blank = content.iter().position(|byte| *byte == b' ')?;
    let length: usize = std::str::from_utf8(&content[..blank]).ok()?.parse().ok()?;
    let (record, rest) = content.split_at_checked(length)?;
    let pair = record.get(blank + 1..)?.strip_suffix(b"\n")?;
    let equals = pair.iter().position(|byte| *byte == b'=')?;
    let key = std::str::from_utf8(&pair[..equals]).ok()?;
    Some(((key.to_owned(), pair[equals + 1..].to_vec()), rest))
}

fn number(value: &[u8]) -> Result<u64, ScoreError> {
    let parsed = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| damaged("a pax header of the archive gives a size that is no number"))
}

/// The sum over all bytes, its own field taken as blanks.
fn sum_is_right(block: &[u8; BLOCK]) -> bool {
    let sum = |bytes: &[u8]| bytes.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    let found = sum(&block[..148]) + 8 * u32::from(b' ') + sum(&block[156..]);
    Header::from_byte_slice(block).cksum().is_ok_and(|said| said == found)
}
