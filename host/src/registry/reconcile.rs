//! The reconciler: makes the registry equal to the folder, and keeps it so.
//!
//! One thread looks at the folder whenever something may have happened. What takes long (copying, probing, opening)
//! happens on a thread per file, so that a slow library keeps nobody waiting but itself.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::events::What;
use super::folder::Folder;
use super::registry::Registry;
use crate::load::file::Signature;
use crate::load::{Finding, Origin, QUIET, Refusal, Step, Vetted};

/// Changes that no event tells of are found this late.
const RESCAN: Duration = Duration::from_millis(500);

/// A file that has been away for less is being replaced.
const GRACE: Duration = Duration::from_millis(500);

/// The first pause before a refusal that may pass is tried again; it doubles up to the last.
const FIRST_RETRY: Duration = Duration::from_secs(2);
const LAST_RETRY: Duration = Duration::from_secs(300);

/// The start waits for the files that are there, but not for one that is slow or never still.
const START_PATIENCE: Duration = Duration::from_secs(3);

/// Keeps the registry equal to a folder, as long as the process lives.
pub struct Reconciler {
    folder: Folder,
    registry: Arc<Registry>,
    files: BTreeMap<PathBuf, Tracked>,
    wake: Sender<Wake>,
    woken: Receiver<Wake>,
    trouble: Option<String>,
    paused: Arc<AtomicBool>,
    loads: u64,
}

enum Wake {
    Dirty,
    /// Try every file again that is not on its way already.
    Reload,
    Loaded(Box<Loaded>),
}

/// A folder that is being followed, for those who want it to be looked at now, or not for a while.
#[derive(Clone)]
pub struct Following {
    wake: Sender<Wake>,
    paused: Arc<AtomicBool>,
}

impl Following {
    /// Looks at the folder now, and tries again what was refused.
    pub fn reload(&self) {
        // The reconciler lives as long as the process.
        _ = self.wake.send(Wake::Reload);
    }

    /// Follows the folder, or leaves everything as it is until told otherwise.
    pub fn follow(&self, follow: bool) {
        self.paused.store(!follow, Ordering::Relaxed);
        _ = self.wake.send(Wake::Dirty);
    }

    /// Whether the folder is followed.
    pub fn is_following(&self) -> bool {
        !self.paused.load(Ordering::Relaxed)
    }
}

/// What came of loading a file as it was when it had this signature.
struct Loaded {
    path: PathBuf,
    number: u64,
    signature: Signature,
    result: Result<Vetted, Refusal>,
}

/// A file as the reconciler knows it.
struct Tracked {
    signature: Signature,
    state: Progress,
    retries: u32,
    /// The number of the latest load of this path that went live.
    newest: u64,
}

enum Progress {
    /// It changed at this time.
    Settling(Instant),
    /// A thread is at work on it.
    Loading,
    /// Live, or refused for good.
    Done,
    /// Refused, and worth another try at this time.
    Retry(Instant),
    /// Not in the folder since this time.
    Gone(Instant),
}

impl Reconciler {
    /// Makes the registry equal to the folder, then goes on doing so on a thread of its own.
    pub fn start(folder: PathBuf, registry: Arc<Registry>) -> io::Result<Following> {
        let (wake, woken) = channel();
        let dirty = wake.clone();
        let (folder, problem) = Folder::new(folder, move || _ = dirty.send(Wake::Dirty));
        if let Some(problem) = problem {
            let message =
                format!("the folder cannot be watched ({problem}); it is read every {} ms instead", RESCAN.as_millis());
            registry.events.publish(What::Trouble { message });
        }
        let paused = Arc::new(AtomicBool::new(false));
        let following = Following { wake: wake.clone(), paused: paused.clone() };
        let files = BTreeMap::new();
        let mut reconciler = Self { folder, registry, files, wake, woken, trouble: None, paused, loads: 0 };
        reconciler.look();
        let patience = Instant::now() + START_PATIENCE;
        while reconciler.is_busy() && Instant::now() < patience {
            reconciler.turn();
        }
        thread::Builder::new().name("reconciler".to_owned()).spawn(move || {
            loop {
                reconciler.turn();
            }
        })?;
        Ok(following)
    }

    fn is_busy(&self) -> bool {
        self.files.values().any(|file| matches!(file.state, Progress::Settling(_) | Progress::Loading))
    }

    /// Waits for whatever comes next, then looks at the folder.
    fn turn(&mut self) {
        let timeout = self.next_moment().saturating_duration_since(Instant::now());
        match self.woken.recv_timeout(timeout) {
            Ok(wake) => self.take(wake),
            // The sender lives in this struct, so the channel cannot be closed.
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
        while let Ok(wake) = self.woken.try_recv() {
            self.take(wake);
        }
        self.look();
    }

    fn next_moment(&self) -> Instant {
        let rescan = Instant::now() + RESCAN;
        if self.trouble.is_some() || self.paused.load(Ordering::Relaxed) {
            // No file moves on while the folder is not read.
            return rescan;
        }
        let moments = self.files.values().filter_map(|file| match file.state {
            Progress::Settling(since) => Some(since + QUIET),
            Progress::Gone(since) => Some(since + GRACE),
            Progress::Retry(at) => Some(at),
            Progress::Loading | Progress::Done => None,
        });
        moments.chain([rescan]).min().unwrap_or(rescan)
    }

    fn take(&mut self, wake: Wake) {
        let loaded = match wake {
            Wake::Dirty => return,
            Wake::Reload => return self.reload(),
            Wake::Loaded(loaded) => loaded,
        };
        let Loaded { path, number, signature, result } = *loaded;
        let Some(file) = self.files.get_mut(&path) else { return };
        if file.signature != signature || !matches!(file.state, Progress::Loading) {
            return self.take_overtaken(&path, number, result);
        }
        file.state = Progress::Done;
        match result.and_then(|vetted| self.registry.publish(vetted)) {
            Ok(()) => file.newest = number,
            Err(refusal) => {
                if refusal.may_pass_later() {
                    let pause = FIRST_RETRY * 2_u32.pow(file.retries.min(10));
                    file.state = Progress::Retry(Instant::now() + pause.min(LAST_RETRY));
                    file.retries += 1;
                }
                self.registry.refuse(refusal);
            }
        }
    }

    /// The file has changed or gone while its thread was at work, so the next one counts. Until it is known what that one is, this
    /// one is better than what came before it: of a file that is replaced faster than it can be loaded, some builds go live.
    fn take_overtaken(&mut self, path: &Path, number: u64, result: Result<Vetted, Refusal>) {
        let Some(file) = self.files.get_mut(path) else { return };
        let undecided = matches!(file.state, Progress::Settling(_) | Progress::Loading);
        if let Ok(vetted) = result
            && undecided
            && number > file.newest
            && self.registry.publish(vetted).is_ok()
        {
            file.newest = number;
        }
    }

    fn reload(&mut self) {
        let now = Instant::now();
        for file in self.files.values_mut() {
            if matches!(file.state, Progress::Done | Progress::Retry(_)) {
                file.state = Progress::Retry(now);
            }
        }
    }

    /// Compares the folder with what is known, and moves every file one step on.
    fn look(&mut self) {
        if self.paused.load(Ordering::Relaxed) {
            return;
        }
        let now = Instant::now();
        let present = match self.folder.libraries() {
            Ok(present) => present,
            Err(error) => return self.complain(error.to_string()),
        };
        self.trouble = None;
        for (path, signature) in &present {
            self.see(path, signature, now);
        }
        for (path, file) in &mut self.files {
            if !present.contains_key(path) && !matches!(file.state, Progress::Gone(_)) {
                file.state = Progress::Gone(now);
            }
        }
        // A file that is replaced by removing it first is away for a moment only.
        let gone = |file: &Tracked| matches!(file.state, Progress::Gone(since) if now.duration_since(since) >= GRACE);
        let registry = &self.registry;
        self.files.retain(|path, file| {
            let stays = !gone(file);
            if !stays {
                registry.remove(path);
            }
            stays
        });
    }

    /// A folder that cannot be read says nothing about its files: they stay as they are.
    fn complain(&mut self, error: String) {
        let message = format!("the folder of custom scorers cannot be read: {error}; its scorers stay as they are");
        if self.trouble.as_ref() != Some(&message) {
            self.registry.events.publish(What::Trouble { message: message.clone() });
            self.trouble = Some(message);
        }
    }

    fn see(&mut self, path: &Path, signature: &Signature, now: Instant) {
        match self.files.get_mut(path) {
            Some(file) if file.signature == *signature => match file.state {
                Progress::Settling(since) if now.duration_since(since) >= QUIET => self.load(path),
                Progress::Retry(at) if now >= at => self.load(path),
                // It was away for less than it takes to settle, and is the same file again.
                Progress::Gone(_) => file.state = Progress::Settling(now),
                _ => {}
            },
            known => {
                let news = !known.as_ref().is_some_and(|file| matches!(file.state, Progress::Settling(_)));
                // An old file, such as those that are there at start, has settled long ago.
                let age = signature.age().unwrap_or_default().min(QUIET);
                let state = Progress::Settling(now.checked_sub(age).unwrap_or(now));
                let newest = known.map_or(0, |file| file.newest);
                let tracked = Tracked { signature: signature.clone(), state, retries: 0, newest };
                self.files.insert(path.to_owned(), tracked);
                if news {
                    self.registry.events.publish(What::Found { file: path.to_owned() });
                }
                if age == QUIET {
                    self.load(path);
                }
            }
        }
    }

    fn load(&mut self, path: &Path) {
        let Some(file) = self.files.get_mut(path) else { return };
        file.state = Progress::Loading;
        self.loads += 1;
        let (path, number, signature) = (path.to_owned(), self.loads, file.signature.clone());
        let (wake, registry) = (self.wake.clone(), self.registry.clone());
        let work = move || {
            let vet = || registry.loader().vet(&path, Origin::Custom);
            let result = catch_unwind(AssertUnwindSafe(vet)).unwrap_or_else(|_| Err(panicked(&path)));
            // Without a reconciler there is nobody to tell, and nothing to keep equal.
            _ = wake.send(Wake::Loaded(Box::new(Loaded { path, number, signature, result })));
        };
        if thread::Builder::new().name("loader".to_owned()).spawn(work).is_err() {
            file.state = Progress::Retry(Instant::now() + FIRST_RETRY);
        }
    }
}

/// A fault of ours, which must not leave the file waiting for ever.
fn panicked(path: &Path) -> Refusal {
    Finding::new(
        "a file on which the loader itself failed",
        "a file that it can handle",
        "report it to the maintainers",
    )
    .at(Step::Check, path)
}
