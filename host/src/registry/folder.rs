//! The watched folder: its libraries now, and a wake-up when something in it may have changed.
//!
//! The watcher only says "look again". It misses what happens behind links and to folders that come later, so the folder
//! is also read again every now and then, and the watch is put up again when the folder is another one.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::load::file::{Signature, is_library_name};

/// The folder of custom scorers.
pub struct Folder {
    path: PathBuf,
    watcher: Option<RecommendedWatcher>,
    watched: Option<(u64, u64)>,
}

impl Folder {
    /// The folder; `dirty` is called whenever something in it may have changed. The error is the reason why nothing can be
    /// watched, so that only reading the folder again finds changes.
    pub fn new(path: PathBuf, dirty: impl Fn() + Send + 'static) -> (Self, Option<notify::Error>) {
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if event.map_or(true, |event| may_change_content(event.kind)) {
                dirty();
            }
        });
        let (watcher, error) = match watcher {
            Ok(watcher) => (Some(watcher), None),
            Err(error) => (None, Some(error)),
        };
        (Self { path, watcher, watched: None }, error)
    }

    /// The libraries in the folder. A folder that does not exist has none; one that cannot be read is an error, since it
    /// may have many.
    pub fn libraries(&mut self) -> io::Result<BTreeMap<PathBuf, Signature>> {
        self.watch_again();
        list(&self.path)
    }

    fn watch_again(&mut self) {
        let identity = fs::metadata(&self.path).ok().map(|metadata| (metadata.dev(), metadata.ino()));
        if identity == self.watched {
            return;
        }
        let Some(watcher) = &mut self.watcher else { return };
        // The watch of a folder that was deleted is gone already.
        _ = watcher.unwatch(&self.path);
        let watching = identity.is_some() && watcher.watch(&self.path, RecursiveMode::NonRecursive).is_ok();
        self.watched = identity.filter(|_| watching);
    }
}

/// The libraries of a folder with their signatures.
pub fn list(folder: &Path) -> io::Result<BTreeMap<PathBuf, Signature>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(error),
    };
    let mut libraries = BTreeMap::new();
    for entry in entries {
        let path = entry?.path();
        if !is_library_name(&path) {
            continue;
        }
        match Signature::of(&path) {
            Ok(signature) => _ = libraries.insert(path, signature),
            // A file that vanishes while the folder is read is simply not there.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(libraries)
}

/// Whether an event may mean that a file has another content. Reading a file makes events as well, our own reading too.
pub fn may_change_content(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => true,
        EventKind::Access(_) => false,
        _ => true,
    }
}
