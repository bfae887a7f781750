//! Files that somebody else may have made: read only if they are regular and not endless; and written whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// Reads a regular file of at most so many bytes. Special files are never waited for.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    let mut bytes = Vec::new();
    // One byte more tells a file that has grown meanwhile.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

/// Writes a file under its name at once.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::other("it is no name of a file"))?.to_string_lossy();
    let aside = path.with_file_name(format!(".{name}.{}", std::process::id()));
    _ = fs::remove_file(&aside);
    let written =
        File::create_new(&aside).and_then(|mut file| file.write_all(bytes)).and_then(|()| fs::rename(&aside, path));
    if written.is_err() {
        _ = fs::remove_file(&aside);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_endless_or_special_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_whole(&path, b"12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert!(read(&path, 4).is_err());
        assert!(read(Path::new("/dev/zero"), 4).is_err());
        assert!(read(folder.path(), 4).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
