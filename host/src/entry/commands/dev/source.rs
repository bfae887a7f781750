//! The files that matter to a round: the crate's source and the workspace, and a wake-up when they may have changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, SystemTime};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

/// What the files were like: each with its length and its time of change.
pub type Print = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// Source and workspace, watched.
pub struct Source {
    krate: PathBuf,
    workspace: PathBuf,
    woken: Receiver<()>,
    /// Without one, the files are looked at every now and then all the same.
    _watcher: Option<RecommendedWatcher>,
}

impl Source {
    /// Watches a crate and a workspace.
    pub fn watch(krate: &Path, workspace: &Path) -> Self {
        let (wake, woken) = channel();
        let watcher = notify::recommended_watcher(move |_| _ = wake.send(())).ok().map(|mut watcher| {
            for (folder, mode) in [
                (krate.to_owned(), RecursiveMode::NonRecursive),
                (krate.join("src"), RecursiveMode::Recursive),
                (workspace.to_owned(), RecursiveMode::NonRecursive),
                (workspace.join("input"), RecursiveMode::Recursive),
                (workspace.join("output"), RecursiveMode::NonRecursive),
            ] {
                // A folder that is not there, or cannot be watched, is looked at all the same.
                _ = watcher.watch(&folder, mode);
            }
            watcher
        });
        Self { krate: krate.to_owned(), workspace: workspace.to_owned(), woken, _watcher: watcher }
    }

    /// Waits for an event, at most for a while.
    pub fn wait(&self, most: Duration) {
        if self.woken.recv_timeout(most).is_ok() {
            // An editor that saves makes many events.
            while self.woken.try_recv().is_ok() {}
        }
    }

    /// What the files are like now. What a round itself writes is no part of it.
    pub fn print(&self) -> Print {
        let mut files = Print::new();
        collect(&self.krate, &["src", "Cargo.toml", "Cargo.lock", "build.rs"], &mut files);
        // Scoring writes its lock, its result and its artifacts beside the predictions.
        let own = ["result.json", "artifacts"];
        let is_input = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            !own.contains(&name.as_str()) && !name.starts_with('.')
        };
        collect(&self.workspace, &["meta.json", "input"], &mut files);
        for entry in fs::read_dir(self.workspace.join("output")).into_iter().flatten().flatten() {
            if is_input(&entry.path()) {
                note(&entry.path(), &mut files);
            }
        }
        files.sort();
        files
    }
}

fn collect(folder: &Path, names: &[&str], files: &mut Print) {
    for name in names {
        note(&folder.join(name), files);
    }
}

fn note(path: &Path, files: &mut Print) {
    let Ok(metadata) = fs::metadata(path) else { return };
    if metadata.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            note(&entry.path(), files);
        }
    } else if path.file_name().is_some_and(|name| name != "Cargo.lock") {
        // Cargo itself writes the lock file.
        files.push((path.to_owned(), metadata.len(), metadata.modified().ok()));
    }
}
