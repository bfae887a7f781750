//! The private store: one copy of every library, named by its sha256. Only these copies are ever mapped.
//!
//! A library that is overwritten while it is mapped kills the process, and a second build under the same path is not
//! seen by the dynamic loader; a copy whose name is its content has neither problem.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use autoscorer_plugin_api::context::hex;
use sha2::{Digest, Sha256};

use super::file::Signature;
use super::isolation::Origin;
use super::refusal::Finding;

/// How many copies are kept for their own sake; younger ones than [`KEEP_FOR`] are kept anyway.
const KEEP: usize = 64;

/// Another process may be about to open a copy it has just found.
const KEEP_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// A folder of private copies.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
}

/// The sha256 of a file in hexadecimal, without holding it in memory.
pub fn sha256_of(file: impl Read) -> io::Result<String> {
    copy_hashed(file, io::sink())
}

/// Copies a file and gives its sha256. A library may have hundreds of megabytes, and a host that held each one in memory would
/// never give all of it back.
fn copy_hashed(mut from: impl Read, mut to: impl Write) -> io::Result<String> {
    let mut hasher = Sha256::new();
    // On the stack, and not on the heap: most files that are hashed are small, and a large piece is dear to get and to give back.
    let mut block = [0; 1 << 15];
    loop {
        match from.read(&mut block)? {
            0 => return Ok(hex(&hasher.finalize())),
            read => {
                hasher.update(&block[..read]);
                to.write_all(&block[..read])?;
            }
        }
    }
}

/// Whether a folder is this user's, and nobody else may write to it.
pub fn private(folder: &Path) -> io::Result<()> {
    let metadata = fs::metadata(folder)?;
    let (owner, me) = (metadata.uid(), rustix::process::geteuid().as_raw());
    if owner != me {
        return Err(io::Error::other(format!("it belongs to user {owner}, not to user {me}")));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(io::Error::other("others may write to it"));
    }
    Ok(())
}

impl Store {
    /// A store in this folder, which is made when the first copy is.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The path of the private copy of a file of this size and sha256. If it has other content by now, it is still being
    /// written.
    pub fn keep(&self, source: impl Read, size: u64, sha256: &str) -> Result<PathBuf, Finding> {
        let kept = self.try_keep(source, size, sha256).map_err(|error| {
            Finding::new(
                format!("a store that cannot take a copy: {error}"),
                format!("a private, writable folder {}", self.folder.display()),
                "free some space or mend its permissions, or choose another folder with --store",
            )
        })?;
        kept.ok_or_else(Finding::changed)
    }

    /// The copy of a file that was copied before and has not changed since, found without reading the file.
    pub fn recall(&self, signature: &Signature) -> Option<(String, PathBuf)> {
        let sha256 = fs::read_to_string(self.folder.join(seen(signature))).ok()?;
        let path = self.folder.join(format!("{sha256}.so"));
        let whole = fs::metadata(&path).is_ok_and(|copy| copy.is_file() && copy.len() == signature.size());
        (whole && self.check_private().is_ok()).then_some((sha256, path))
    }

    /// Notes which copy belongs to a file. A file that has just changed may change again within the same tick of the clock,
    /// and is not noted.
    pub fn remember(&self, signature: &Signature, sha256: &str) {
        if signature.age().is_some_and(|age| age > Duration::from_secs(2)) {
            // Without the note the file is read again; nothing else depends on it.
            _ = fs::write(self.folder.join(seen(signature)), sha256);
        }
    }

    fn try_keep(&self, source: impl Read, size: u64, sha256: &str) -> io::Result<Option<PathBuf>> {
        let path = self.folder.join(format!("{sha256}.so"));
        if fs::metadata(&path).is_ok_and(|copy| copy.is_file() && copy.len() == size) {
            // Its age says when it was last of use. A store on a read-only disk can still be read from.
            _ = File::open(&path).and_then(|copy| copy.set_modified(SystemTime::now()));
            self.check_private()?;
            return Ok(Some(path));
        }
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
        self.check_private()?;
        let written = self.write(source, sha256, &path)?;
        self.prune();
        Ok(written.then_some(path))
    }

    /// Notes that the library with this sha256 has been live, as a built-in or a custom one.
    pub fn note_live(&self, sha256: &str, origin: Origin) {
        // Without the note a pin does not find the copy; nothing else depends on it.
        _ = fs::write(self.folder.join(format!("{sha256}.{}", note(origin))), "");
    }

    /// The copies of libraries that have been live as this, by their sha256. One that was refused has a copy, but is none of
    /// them. In a store that is not private, there are none to be trusted.
    pub fn copies(&self, origin: Origin) -> Vec<(String, PathBuf)> {
        if self.check_private().is_err() {
            return Vec::new();
        }
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let noted = |entry: fs::DirEntry| {
            let sha256 = entry.file_name().to_str()?.strip_suffix(&format!(".{}", note(origin)))?.to_owned();
            let copy = self.folder.join(format!("{sha256}.so"));
            copy.is_file().then_some((sha256, copy))
        };
        entries.filter_map(noted).collect()
    }

    /// Whoever can write to the store can run code in the host.
    fn check_private(&self) -> io::Result<()> {
        private(&self.folder)
    }

    /// Under its final name a copy is complete, and on disk before it has the name. There is none of a file whose content is
    /// not what it was.
    fn write(&self, source: impl Read, sha256: &str, path: &Path) -> io::Result<bool> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let temporary = self.folder.join(format!(".{}-{number}.tmp", std::process::id()));
        let written = File::create_new(&temporary).and_then(|mut file| {
            if copy_hashed(source, &mut file)? != sha256 {
                return Ok(false);
            }
            file.set_permissions(fs::Permissions::from_mode(0o500))?;
            file.sync_all()?;
            fs::rename(&temporary, path)?;
            Ok(true)
        });
        if !matches!(written, Ok(true)) {
            _ = fs::remove_file(&temporary);
        }
        written
    }

    /// Removes the copies that have been of no use for long with what is noted of them, and what is quickly made again.
    fn prune(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let aged = |entry: fs::DirEntry| Some((entry.metadata().ok()?.modified().ok()?.elapsed().ok()?, entry.path()));
        let is = |path: &Path, extension: &str| path.extension().is_some_and(|own| own == extension);
        let (mut copies, others): (Vec<_>, Vec<_>) =
            entries.flatten().filter_map(aged).partition(|(_, path): &(Duration, PathBuf)| is(path, "so"));
        copies.sort();
        let unused = copies.into_iter().skip(KEEP).flat_map(|(age, path)| {
            let notes = [Origin::BuiltIn, Origin::Custom].map(|origin| (age, path.with_extension(note(origin))));
            notes.into_iter().chain([(age, path)])
        });
        let passing = others.into_iter().filter(|(_, path)| is(path, "seen") || is(path, "tmp"));
        for (_, path) in unused.chain(passing).filter(|(age, _)| *age > KEEP_FOR) {
            // A file that stays costs space and nothing else; the next copy tries again.
            _ = fs::remove_file(path);
        }
    }
}

fn seen(signature: &Signature) -> String {
    format!("{}.seen", signature.name())
}

/// How a copy that has been live is marked.
fn note(origin: Origin) -> &'static str {
    match origin {
        Origin::BuiltIn => "built-in",
        Origin::Custom => "custom",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: &[u8] = b"library";

    fn keep(store: &Store) -> Result<PathBuf, Finding> {
        store.keep(LIBRARY, LIBRARY.len() as u64, &sha256_of(LIBRARY).unwrap())
    }

    #[test]
    fn the_same_bytes_are_kept_once_and_a_cut_copy_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("store"));
        let path = keep(&store).unwrap();
        assert_eq!(keep(&store).unwrap(), path);
        fs::remove_file(&path).unwrap();
        fs::write(&path, b"lib").unwrap();
        assert_eq!(fs::read(keep(&store).unwrap()).unwrap(), LIBRARY);
    }

    #[test]
    fn a_file_that_changes_while_it_is_copied_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("store"));
        let finding = store.keep(b"another".as_slice(), 7, &sha256_of(LIBRARY).unwrap()).unwrap_err();
        assert!(finding.found.contains("changed while it was copied"), "{}", finding.found);
        assert_eq!(fs::read_dir(folder.path().join("store")).unwrap().count(), 0);
    }

    #[test]
    fn a_copy_is_recalled_until_its_file_changes() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().join("store"));
        let file = folder.path().join("lib.so");
        fs::write(&file, b"library").unwrap();
        let fresh = Signature::of(&file).unwrap();
        keep(&store).unwrap();
        store.remember(&fresh, "abc");
        assert_eq!(store.recall(&fresh), None, "too young to be sure of");
        // This program itself is old enough, and never as small as that library.
        let old = Signature::of(Path::new("/proc/self/exe")).unwrap();
        store.remember(&old, "abc");
        assert_eq!(store.recall(&old), None, "the copy is of another size");
    }

    #[test]
    fn a_store_that_others_may_write_to_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("store");
        fs::create_dir(&store).unwrap();
        fs::set_permissions(&store, fs::Permissions::from_mode(0o777)).unwrap();
        let finding = keep(&Store::new(store)).unwrap_err();
        assert!(finding.found.contains("others may write to it"), "{}", finding.found);
    }

    #[test]
    fn only_old_copies_beyond_the_number_kept_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::new(folder.path().to_owned());
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        let aged = |name: String, days: u32| {
            let path = folder.path().join(name);
            fs::write(&path, b"x").unwrap();
            File::options().write(true).open(&path).unwrap().set_modified(SystemTime::now() - KEEP_FOR * days).unwrap();
        };
        for number in 0..KEEP as u32 + 10 {
            aged(format!("{number}.so"), number + 2);
            aged(format!("{number}.custom"), 1);
        }
        aged("1-2-3.seen".to_owned(), 2);
        aged(".9-0.tmp".to_owned(), 2);
        let new = keep(&store).unwrap();
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        let count =
            |extension: &str| left.iter().filter(|path| path.extension().is_some_and(|own| own == extension)).count();
        assert_eq!((count("so"), count("custom"), left.len()), (KEEP, KEEP - 1, 2 * KEEP - 1));
        assert!(new.exists() && folder.path().join("0.so").exists());
    }
}
