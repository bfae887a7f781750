//! The loader: takes a file through the steps, and keeps what it has opened.

use std::collections::HashMap;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use autoscorer_plugin_api::metadata::{Abi, Metadata, PanicStrategy};
use object::read::ReadCache;
use parking_lot::Mutex;

use super::file::{self, Signature};
use super::isolation::{Isolation, Origin};
use super::open::Plugin;
use super::refusal::{Finding, Refusal, Step};
use super::store::{Store, sha256_of};
use super::vetted::{Vetted, ids};
use super::{elf, probe, settle};
use crate::isolate::{Limits, Pool, Setup, StartError};

/// A library ready to be called.
#[derive(Clone)]
pub enum Body {
    /// Open in this process.
    Here(Arc<Library>),
    /// Open in workers.
    Apart(Arc<Pool>),
}

/// What the loader works with.
#[derive(Debug, Clone)]
pub struct LoaderSettings {
    /// The folder of private copies.
    pub store: PathBuf,
    /// How long a library may take to open in a child process.
    pub probe_timeout: Duration,
    /// How many libraries may be open in this process, old generations included.
    pub max_libraries: usize,
    /// Where scorers run.
    pub isolation: Isolation,
    /// What a worker may use while it opens a library.
    pub limits: Limits,
    /// How many workers a library may have.
    pub max_workers: usize,
}

/// A library open in this process, for as long as the process lives.
pub struct Library {
    /// Ready to be called.
    pub plugin: Plugin,
}

/// Takes files through the steps.
pub struct Loader {
    store: Store,
    settings: LoaderSettings,
    opened: Mutex<HashMap<String, Arc<Library>>>,
}

/// What a library that this host can open says about itself, from a few blocks of the file and without running it.
pub fn peek(source: &Path) -> Result<Metadata, Refusal> {
    match inspect(source)? {
        (metadata, None) => Ok(metadata),
        (_, Some(refusal)) => Err(refusal),
    }
}

/// The same for a file that may still be being copied.
pub fn settle_and_peek(source: &Path) -> Result<Metadata, Refusal> {
    settle::wait(source).map_err(|finding| finding.at(Step::Settle, source))?;
    peek(source)
}

/// What any library of ours says about itself, and why this host would not open it.
pub fn inspect(source: &Path) -> Result<(Metadata, Option<Refusal>), Refusal> {
    let refused = |finding: Finding| finding.at(Step::Check, source);
    let (file, _) = file::open_regular(source).map_err(refused)?;
    let metadata = elf::inspect(&ReadCache::new(file)).map_err(refused)?;
    let objection = elf::check_host(&metadata).err().map(|finding| refused(finding).claiming(ids(&metadata)));
    Ok((metadata, objection))
}

impl Loader {
    /// A loader with these settings.
    pub fn new(settings: LoaderSettings) -> Self {
        Self { store: Store::new(settings.store.clone()), settings, opened: Mutex::default() }
    }

    /// Settle, check, copy, probe. Built-in libraries are installed with the host: they are not waited for and not tried
    /// out in a child.
    pub fn vet(&self, source: &Path, origin: Origin) -> Result<Vetted, Refusal> {
        let refused = |step: Step| move |finding: Finding| finding.at(step, source);
        let signature = match origin {
            Origin::Custom => settle::wait(source).map_err(refused(Step::Settle))?,
            Origin::BuiltIn => Signature::of(source).map_err(unreadable).map_err(refused(Step::Settle))?,
        };
        if let Some(vetted) = self.recalled(source, &signature, origin) {
            return Ok(vetted);
        }
        // A look at its headers first: what is no library is not read at all.
        let claimed = ids(&peek(source)?);
        let refused = |step: Step| {
            let claimed = claimed.clone();
            move |finding: Finding| finding.at(step, source).claiming(claimed)
        };
        let (hash, copy) = self.copied(source, &signature).map_err(refused(Step::Copy))?;
        // What counts is the copy, which is what will run.
        let metadata = peek(&copy).map_err(|refusal| refused(Step::Check)(*refusal.finding))?;
        let worker = match origin {
            Origin::Custom => Some(probe::probe(&copy, &self.setup(&metadata)).map_err(refused(Step::Probe))?),
            Origin::BuiltIn => {
                self.store.remember(&signature, &hash);
                None
            }
        };
        Ok(Vetted { source: source.to_owned(), signature, copy, sha256: hash, metadata, worker })
    }

    /// The sha256 of a file and its private copy. It is read twice, to be hashed and to be copied, and must be the same: somebody
    /// may have begun to write again after it had settled. It is opened once, so that a file which another one replaces meanwhile
    /// is still read to its end.
    fn copied(&self, source: &Path, signature: &Signature) -> Result<(String, PathBuf), Finding> {
        let (mut file, size) = file::open_regular(source)?;
        if Signature::of_open(&file).map_err(unreadable)? != *signature {
            return Err(Finding::changed());
        }
        let sha256 = sha256_of((&file).take(size)).map_err(unreadable)?;
        file.rewind().map_err(unreadable)?;
        let copy = self.store.keep((&file).take(size), size, &sha256)?;
        let unwritten = Signature::of_open(&file).is_ok_and(|now| signature.is_unwritten(&now));
        if unwritten { Ok((sha256, copy)) } else { Err(Finding::changed()) }
    }

    /// A built-in library whose copy is known is not read again: most of the time of a small job would go into hashing it.
    fn recalled(&self, source: &Path, signature: &Signature, origin: Origin) -> Option<Vetted> {
        if origin == Origin::Custom {
            return None;
        }
        let (sha256, copy) = self.store.recall(signature)?;
        let metadata = peek(&copy).ok()?;
        Some(Vetted { source: source.to_owned(), signature: signature.clone(), copy, sha256, metadata, worker: None })
    }

    fn setup(&self, metadata: &Metadata) -> Setup {
        let network = metadata.scorers.iter().any(|scorer| scorer.network);
        Setup { limits: self.settings.limits, network, timeout: self.settings.probe_timeout }
    }

    /// The kept copies of libraries that have been live as this and have this scorer.
    pub fn kept(&self, scorer: &str, origin: Origin) -> Vec<Vetted> {
        let libraries = self.store.copies(origin).into_iter().filter_map(|(sha256, copy)| {
            let metadata = peek(&copy).ok().filter(|metadata| ids(metadata).iter().any(|id| id == scorer))?;
            let signature = Signature::of(&copy).ok()?;
            Some(Vetted { source: copy.clone(), signature, copy, sha256, metadata, worker: None })
        });
        libraries.collect()
    }

    /// Tries a kept copy out before it is used: files may rot.
    pub fn try_out(&self, vetted: &mut Vetted) -> Result<(), Refusal> {
        let refused = |finding: Finding| finding.at(Step::Probe, &vetted.source);
        if hash_of(&vetted.copy).map_err(refused)? != vetted.sha256 {
            let finding =
                Finding::new("a copy that has changed", "the content that its name says", "remove it from the store");
            return Err(refused(finding));
        }
        let worker = probe::probe(&vetted.copy, &self.setup(&vetted.metadata)).map_err(refused)?;
        vetted.worker = Some(worker);
        Ok(())
    }

    /// Notes that a library is live, so that a pin finds it later.
    pub fn note_live(&self, vetted: &Vetted, origin: Origin) {
        self.store.note_live(&vetted.sha256, origin);
    }

    /// Whether a library's scorers run in this process. Where a panic ends the process, they never do, nor do those in
    /// other languages, where nothing keeps a mistake from the host's memory.
    pub fn runs_here(&self, metadata: &Metadata, origin: Origin) -> bool {
        let wanted = match self.settings.isolation {
            Isolation::Auto => origin == Origin::BuiltIn,
            Isolation::Process => false,
            Isolation::InProcess => true,
        };
        wanted && metadata.abi == Abi::Rust && metadata.panic == PanicStrategy::Unwind
    }

    /// Makes a vetted library ready to be called, in this process or apart from it.
    pub fn embody(&self, vetted: &mut Vetted, origin: Origin) -> Result<Body, Refusal> {
        if self.runs_here(&vetted.metadata, origin) {
            // Its memory is of no more use.
            vetted.worker = None;
            return self.open(vetted).map(Body::Here);
        }
        let setup = self.setup(&vetted.metadata);
        Ok(Body::Apart(Pool::new(vetted.copy.clone(), setup, self.settings.max_workers, vetted.worker.take())))
    }

    /// The error of a call for which no worker could be started.
    pub fn no_worker(&self, source: &Path, error: StartError) -> Refusal {
        probe::explain(error, self.settings.probe_timeout).at(Step::Probe, source)
    }

    /// Opens a vetted library in this process; the same content is opened once.
    fn open(&self, vetted: &Vetted) -> Result<Arc<Library>, Refusal> {
        let refused = |finding: Finding| finding.at(Step::Open, &vetted.source).claiming(vetted.scorer_ids());
        let mut opened = self.opened.lock();
        if let Some(library) = opened.get(&vetted.sha256) {
            return Ok(library.clone());
        }
        if opened.len() >= self.settings.max_libraries {
            return Err(refused(Finding::new(
                format!("{} libraries open in this process, old generations included", opened.len()),
                format!("at most {}", self.settings.max_libraries),
                "only ending the process gives their memory back: restart the host, or raise --max-generations",
            )));
        }
        let plugin = Plugin::open(&vetted.copy, &vetted.metadata).map_err(refused)?;
        let library = Arc::new(Library { plugin });
        opened.insert(vetted.sha256.clone(), library.clone());
        Ok(library)
    }
}

fn hash_of(path: &Path) -> Result<String, Finding> {
    let (file, size) = file::open_regular(path)?;
    // A file that grows meanwhile must not be read for ever.
    sha256_of(file.take(size)).map_err(unreadable)
}

fn unreadable(error: std::io::Error) -> Finding {
    Finding::new(format!("a file that cannot be read: {error}"), "a readable file", "check the disk")
}
