//! A folder that is being filled: under a name of its own until it is complete, and gone if it never is.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use autoscorer_plugin_api::error::ScoreError;

use super::name::{EntryName, refused};
use super::{ArchiveLimits, bad, damaged, empty, ours};

/// How the name of a folder begins that is not complete.
const UNFINISHED: &str = ".unpacking-";
/// Up to so many files are flushed one by one; beyond, the whole file system at once is faster.
const FLUSHED_SINGLY: usize = 64;

/// A folder that is being filled.
pub(super) struct Unpacking {
    /// Where it is until it is complete.
    path: PathBuf,
    folders: HashSet<String>,
    files: Vec<PathBuf>,
    written: u64,
    most_bytes: u64,
    by_ratio: bool,
    limits: ArchiveLimits,
}

impl Unpacking {
    /// An empty folder beside the one that it will be. `length` is the archive's own size.
    pub(super) fn begin(into: &Path, length: u64, limits: &ArchiveLimits) -> Result<Self, ScoreError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        if into.symlink_metadata().is_ok() {
            return Err(ours("make a folder for the upload", &ErrorKind::AlreadyExists.into()));
        }
        let name = into.file_name().unwrap_or_default().to_string_lossy();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = into.with_file_name(format!("{UNFINISHED}{name}-{}-{number}", process::id()));
        make_folder(&path).map_err(|error| ours("make a folder for the upload", &error))?;
        let by_ratio = length.saturating_mul(limits.ratio).max(limits.ratio_from);
        Ok(Self {
            path,
            folders: HashSet::new(),
            files: Vec::new(),
            written: 0,
            most_bytes: limits.bytes.min(by_ratio),
            by_ratio: by_ratio < limits.bytes,
            limits: limits.clone(),
        })
    }

    /// The most bytes that a stream with all of this in it can have, names and padding included.
    pub(super) fn longest_stream(&self) -> u64 {
        self.most_bytes.saturating_add(self.limits.files.saturating_mul(4096)).saturating_add(1 << 20)
    }

    /// The most files and folders.
    pub(super) fn most_files(&self) -> u64 {
        self.limits.files
    }

    /// Adds a folder. The same one twice is no harm.
    pub(super) fn folder(&mut self, name: &EntryName) -> Result<(), ScoreError> {
        for parent in name.parents().chain([name.path()]).filter(|path| !path.is_empty()) {
            if self.folders.contains(parent) {
                continue;
            }
            self.count(name.path())?;
            make_folder(&self.path.join(parent)).map_err(|error| not_made(name, &error))?;
            self.folders.insert(parent.to_owned());
        }
        Ok(())
    }

    /// Adds a file with all that its content yields, and gives its size.
    pub(super) fn file(&mut self, name: &EntryName, content: &mut impl Read) -> Result<u64, ScoreError> {
        if let Some(parent) = name.parents().last() {
            self.folder(&EntryName::parse(parent.as_bytes())?)?;
        }
        self.count(name.path())?;
        let path = self.path.join(name.path());
        let opened = OpenOptions::new().write(true).create_new(true).mode(0o644).open(&path);
        let mut file = opened.map_err(|error| not_made(name, &error))?;
        self.files.push(path);
        self.fill(&mut file, name, content)
    }

    /// Copies, counting what is really there.
    fn fill(&mut self, file: &mut File, name: &EntryName, content: &mut impl Read) -> Result<u64, ScoreError> {
        let (mut buffer, mut size) = (vec![0; 64 << 10], 0);
        loop {
            let count = match content.read(&mut buffer) {
                Ok(0) => return Ok(size),
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(unreadable(name, &error)),
            };
            size += count as u64;
            self.written += count as u64;
            if self.written > self.most_bytes {
                return Err(self.too_large());
            }
            file.write_all(&buffer[..count]).map_err(|error| ours("write a file of the upload", &error))?;
        }
    }

    fn count(&self, path: &str) -> Result<(), ScoreError> {
        if (self.files.len() + self.folders.len()) as u64 >= self.limits.files {
            return Err(too_many(self.limits.files).file(path));
        }
        Ok(())
    }

    /// What the archive holds is more than it may be.
    pub(super) fn too_large(&self) -> ScoreError {
        let (limit, message) = match self.by_ratio {
            true => ("ratio", format!("the archive becomes more than {} times its own size", self.limits.ratio)),
            false => ("bytes", format!("the archive becomes more than {} bytes", self.limits.bytes)),
        };
        bad(message)
            .expected(format!("at most {} bytes of files", self.most_bytes))
            .hint("leave out what the scorer does not need, or hand the workspace in by path")
            .detail("limit", limit)
    }

    /// Gives the folder its name, once all is on disk.
    pub(super) fn finish(self, into: &Path) -> Result<(), ScoreError> {
        if self.files.is_empty() {
            return Err(empty());
        }
        let failed = |error| ours("keep the upload", &error);
        self.flush().map_err(failed)?;
        fs::rename(self.top().map_err(failed)?, into).map_err(failed)?;
        let above = into.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
        flush(above).map_err(failed)
    }

    fn flush(&self) -> io::Result<()> {
        if self.files.len() + self.folders.len() > FLUSHED_SINGLY {
            return Ok(rustix::fs::syncfs(File::open(&self.path)?)?);
        }
        self.files.iter().try_for_each(|path| flush(path))?;
        self.folders.iter().try_for_each(|path| flush(&self.path.join(path)))?;
        flush(&self.path)
    }

    /// The folder that is the workspace: this one, or the only one inside it. What a Mac adds by itself does not count.
    fn top(&self) -> io::Result<PathBuf> {
        if self.path.join("meta.json").exists() {
            return Ok(self.path.clone());
        }
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            names.push(entry?.file_name());
        }
        names.retain(|name| {
            let name = name.to_string_lossy();
            !(name.starts_with("._") || name == "__MACOSX" || name == ".DS_Store")
        });
        let [name] = names.as_slice() else { return Ok(self.path.clone()) };
        let inner = self.path.join(name);
        let is_workspace = inner.join("meta.json").is_file() || inner.join("input").is_dir();
        Ok(if is_workspace { inner } else { self.path.clone() })
    }
}

impl Drop for Unpacking {
    fn drop(&mut self) {
        // Whatever has not got its name by now never will.
        let _ = fs::remove_dir_all(&self.path);
    }
}

pub(super) fn too_many(most: u64) -> ScoreError {
    bad(format!("the archive holds more than {most} files and folders"))
        .expected(format!("at most {most}"))
        .hint("put many small files into one, or hand the workspace in by path")
        .detail("limit", "files")
}

fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o755).create(path)
}

fn flush(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Why the file system does not take a name: the archive has it twice, or we fail.
fn not_made(name: &EntryName, error: &io::Error) -> ScoreError {
    match error.kind() {
        ErrorKind::AlreadyExists | ErrorKind::NotADirectory | ErrorKind::IsADirectory => {
            refused(name.path().as_bytes(), "its name is there twice, as a file, or as a file and a folder")
                .hint("pack the workspace anew, each file once")
        }
        _ => ours("make a file of the upload", error),
    }
}

fn unreadable(name: &EntryName, error: &io::Error) -> ScoreError {
    damaged(format!("the archive's entry '{}' cannot be read to its end: {error}", name.path())).file(name.path())
}
