//! The files that matter to a round: the crate's source and the workspace, and a wake-up when they may have changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant, SystemTime};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use crate::registry::may_change_content;

/// How long the files have to be the same before they are built: most editors empty a file before they write it.
const QUIET: Duration = Duration::from_millis(100);

/// What the files were like: each with its length and its time of change.
type Files = Vec<(PathBuf, u64, Option<SystemTime>)>;

/// What everything that matters was like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Print {
    /// What only people change: the crate, meta.json and input/.
    saved: Files,
    /// What lies in output/, where a scorer may write as well.
    output: Files,
}

/// Source and workspace, watched.
pub struct Source {
    krate: PathBuf,
    workspace: PathBuf,
    wake: Sender<()>,
    woken: Receiver<()>,
    /// Without one, the files are looked at every now and then all the same.
    _watcher: Option<RecommendedWatcher>,
}

impl Source {
    /// Watches a crate and a workspace.
    pub fn watch(krate: &Path, workspace: &Path) -> Self {
        let (wake, woken) = channel();
        let event = wake.clone();
        let heard = move |heard: notify::Result<notify::Event>| {
            if heard.map_or(true, |heard| may_change_content(heard.kind)) {
                _ = event.send(());
            }
        };
        let watcher = notify::recommended_watcher(heard).ok().map(|mut watcher| {
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
        Self { krate: krate.to_owned(), workspace: workspace.to_owned(), wake, woken, _watcher: watcher }
    }

    /// Waits for an event, at most for a while. Whether there was one.
    pub fn wait(&self, most: Duration) -> bool {
        let woken = self.woken.recv_timeout(most).is_ok();
        // An editor that saves makes many events.
        while self.woken.try_recv().is_ok() {}
        woken
    }

    /// Ends a [`wait`](Self::wait) from elsewhere.
    pub fn waker(&self) -> Sender<()> {
        self.wake.clone()
    }

    /// What the files are like once nobody writes to them; as they are if `hurried` says so.
    pub fn settled(&self, hurried: impl Fn() -> bool) -> Print {
        let (mut print, mut since) = (self.print(), Instant::now());
        while since.elapsed() < QUIET && !hurried() {
            self.wait(QUIET / 5);
            let now = self.print();
            if now != print {
                (print, since) = (now, Instant::now());
            }
        }
        print
    }

    /// What the files are like now. What a round itself writes is no part of it.
    pub fn print(&self) -> Print {
        let (mut saved, mut output) = (Files::new(), Files::new());
        collect(&self.krate, &["src", "Cargo.toml", "Cargo.lock", "build.rs"], &mut saved);
        collect(&self.workspace, &["meta.json", "input"], &mut saved);
        for entry in fs::read_dir(self.workspace.join("output")).into_iter().flatten().flatten() {
            if is_input(&entry.path()) {
                note(&entry.path(), &mut output);
            }
        }
        saved.sort();
        output.sort();
        Print { saved, output }
    }
}

impl Print {
    /// Whether somebody has saved something in between. What changes in output/ may be the scorer's own doing.
    pub fn is_saved_over_by(&self, now: &Self) -> bool {
        self.saved != now.saved
    }
}

/// Scoring writes its lock, its result and its artifacts beside the predictions.
fn is_input(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    !["result.json", "artifacts"].contains(&&*name) && !name.starts_with('.')
}

fn collect(folder: &Path, names: &[&str], files: &mut Files) {
    for name in names {
        note(&folder.join(name), files);
    }
}

fn note(path: &Path, files: &mut Files) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_save_wakes_and_looking_at_the_files_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let (krate, workspace) = (folder.path().join("crate"), folder.path().join("workspace"));
        for made in [krate.join("src"), workspace.join("input"), workspace.join("output")] {
            fs::create_dir_all(made).unwrap();
        }
        fs::write(krate.join("src/lib.rs"), "").unwrap();
        let source = Source::watch(&krate, &workspace);
        let before = source.print();
        assert!(!source.wait(Duration::from_millis(300)), "looking is no event");
        fs::write(krate.join("src/lib.rs"), "// saved").unwrap();
        assert!(source.wait(Duration::from_secs(60)), "saving is one");
        assert!(before.is_saved_over_by(&source.print()));
    }
}
