//! A file in the watched folder: which ones count, what they are, and a signature that tells when one has changed.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime};

use autoscorer_plugin_api::suggest;
use rustix::fs::OFlags;

use super::refusal::Finding;

/// No library is larger; a file beyond it is not read at all.
const MAX_SIZE: u64 = 512 << 20;

/// What changes whenever the content of a path may have changed: the file behind it, its size, its times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// Whether a name in the folder is meant as a library. Hidden files, and names that editors and copy programs use while
/// they write (`lib.so~`, `lib.so.part`), are not.
pub fn is_library_name(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return false };
    if name.starts_with('.') {
        return false;
    }
    let versioned = |name: &str| {
        let (_, version) = name.split_once(".so.")?;
        Some(!version.is_empty() && version.chars().all(|c| c.is_ascii_digit() || c == '.'))
    };
    [".so", ".dylib", ".dll"].iter().any(|end| name.ends_with(end)) || versioned(name) == Some(true)
}

impl Signature {
    /// The signature of what the path leads to; a link that leads nowhere has its own.
    pub fn of(path: &Path) -> io::Result<Self> {
        let metadata = fs::metadata(path).or_else(|_| fs::symlink_metadata(path))?;
        Ok(Self::from(&metadata))
    }

    /// The signature of an open file, whatever its name leads to by now.
    pub fn of_open(file: &File) -> io::Result<Self> {
        Ok(Self::from(&file.metadata()?))
    }

    /// Whether nobody has written to the file in between. A file that another one has replaced has lost its name, which changes
    /// the time of its change, but not its content.
    pub fn is_unwritten(&self, now: &Self) -> bool {
        Self { changed: self.changed, ..now.clone() } == *self
    }

    /// How long the file has been as it is, by the clock of the file system.
    pub fn age(&self) -> Option<Duration> {
        SystemTime::now().duration_since(self.changed_at()).ok()
    }

    /// A name that no other content has had, unless it changed within one tick of the clock.
    pub fn name(&self) -> String {
        let Self { device, inode, size, modified, changed } = self;
        format!("{device}-{inode}-{size}-{}.{}-{}.{}", modified.0, modified.1, changed.0, changed.1)
    }

    /// The size of the file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// When the file came or last changed. Unlike the modification time, nobody can set it back.
    pub fn changed_at(&self) -> SystemTime {
        let (seconds, nanoseconds) = self.changed;
        SystemTime::UNIX_EPOCH + Duration::new(seconds.max(0) as u64, nanoseconds.clamp(0, 999_999_999) as u32)
    }
}

impl From<&Metadata> for Signature {
    fn from(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

/// Opens a file for reading only if it is a regular one; never waits for a FIFO's other end.
pub fn open_regular(path: &Path) -> Result<(File, u64), Finding> {
    let unreadable = |error: io::Error| match fs::symlink_metadata(path) {
        Ok(link) if link.is_symlink() && error.kind() == io::ErrorKind::NotFound => Finding::new(
            "a symbolic link that leads nowhere",
            "a file",
            "remove the link, or put the library where it points to",
        ),
        Err(_) if error.kind() == io::ErrorKind::NotFound => missing(path),
        _ => Finding::new(format!("a file that cannot be read: {error}"), "a readable file", "check its permissions"),
    };
    // Without O_NONBLOCK, opening a FIFO waits for a writer.
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(OFlags::NONBLOCK.bits() as i32);
    let file = options.open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        let kind = kind_name(&metadata);
        return Err(Finding::new(kind, "a regular file", "copy the library itself into the folder"));
    }
    if metadata.len() > MAX_SIZE {
        let found = format!("a file of {} bytes", metadata.len());
        return Err(Finding::new(
            found,
            format!("at most {MAX_SIZE} bytes"),
            "a library is never this large: remove the file",
        ));
    }
    Ok((file, metadata.len()))
}

/// What is said of a file that is not there: one of a similar name may be meant, or it was never built.
fn missing(path: &Path) -> Finding {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let there = fs::read_dir(folder).map(|entries| entries.flatten().map(|entry| entry.path()).collect::<Vec<_>>());
    let help = match there {
        Ok(there) => {
            let known: Vec<String> = there.iter().filter(|path| is_library_name(path)).map(|path| name(path)).collect();
            match suggest::nearest(&name(path), known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean {}?", folder.join(near).display()),
                None => "build the library, or put it there (again)".to_owned(),
            }
        }
        Err(_) => format!("there is no folder {}: build the library first, or name another place", folder.display()),
    };
    Finding::new("nothing: the file does not exist", "a library", help)
}

fn kind_name(metadata: &Metadata) -> &'static str {
    let kind = metadata.file_type();
    if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a FIFO"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_and_temporary_names_are_no_libraries() {
        for name in ["libmine.so", "mine.so", "libmine.so.1", "libmine.so.1.2.3", "mine.dylib"] {
            assert!(is_library_name(Path::new(name)), "{name}");
        }
        for name in [
            ".libmine.so",
            ".libmine.so.a8Xk2",
            "libmine.so~",
            "libmine.so.part",
            "libmine.so.tmp",
            "libmine.so.",
            "#libmine.so#",
            "libmine.so.swp",
            "README.md",
            "template",
            "so",
        ] {
            assert!(!is_library_name(Path::new(name)), "{name}");
        }
    }
}
