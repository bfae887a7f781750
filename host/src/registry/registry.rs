//! The registry itself: generations come and go, names change hands, jobs hold on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::metadata::Metadata as LibraryMetadata;
use parking_lot::{Mutex, RwLock};

use super::events::{Events, What};
use super::generation::{Generation, State};
use super::lease::Lease;
use super::table::Table;
use crate::job::ScorerName;
use crate::load::file::Signature;
use crate::load::{Finding, Loader, Refusal, Step, Vetted};

/// All scorers there are, for all threads.
pub struct Registry {
    /// What happens here.
    pub events: Events,
    loader: Arc<Loader>,
    allowed_overrides: BTreeSet<String>,
    /// So many failures in a row take a generation out; none do where it is 0.
    pub(super) breaker: u32,
    table: RwLock<Arc<Table>>,
    pub(super) files: Mutex<Files>,
}

/// What the table is made of. Whoever changes it holds the lock until the new table is in place.
#[derive(Default)]
pub(super) struct Files {
    pub(super) numbers: u64,
    built_in: Vec<Arc<Generation>>,
    pub(super) custom: BTreeMap<PathBuf, Arc<Generation>>,
    /// What a file was before, if that was good.
    pub(super) earlier: BTreeMap<PathBuf, Vetted>,
    pub(super) quarantined: BTreeMap<PathBuf, Vetted>,
    draining: Vec<Arc<Generation>>,
    refused: BTreeMap<PathBuf, Refusal>,
    shadowed: BTreeSet<(String, PathBuf, PathBuf)>,
    /// Scorers of libraries that were looked at and not loaded, since no job needs them.
    noticed: BTreeSet<String>,
}

impl Registry {
    /// An empty registry. The overrides are ids of built-in scorers that a custom file may take.
    pub fn new(loader: Arc<Loader>, allowed_overrides: BTreeSet<String>, breaker: u32) -> Arc<Self> {
        let (events, table, files) = (Events::default(), RwLock::default(), Mutex::default());
        Arc::new(Self { events, loader, allowed_overrides, breaker, table, files })
    }

    /// The loader its libraries come through.
    pub fn loader(&self) -> &Arc<Loader> {
        &self.loader
    }

    /// What the names stand for, now. It does not change any more.
    pub fn snapshot(&self) -> Arc<Table> {
        self.table.read().clone()
    }

    /// A job's hold on the scorer that a name stands for.
    pub fn lease(self: &Arc<Self>, name: &ScorerName) -> Result<Lease, ScoreError> {
        self.snapshot().read_for(name);
        // Under the lock, so that a generation that is taken out of the table gets no job afterwards.
        let table = self.table.read();
        match table.find(name) {
            Ok(provider) => Ok(Lease::new(provider.generation.clone(), provider.index, self.clone())),
            Err(error) => {
                drop(table);
                Err(self.explain(name, error))
            }
        }
    }

    /// A job's hold on a library that no name stands for, such as an old one that a pin asks for.
    pub fn lease_unlisted(self: &Arc<Self>, vetted: Vetted, index: usize) -> Lease {
        let arrived = vetted.signature.changed_at();
        let generation = Generation::custom(0, vetted, arrived, self.loader.clone());
        Lease::new(Arc::new(generation), index, self.clone())
    }

    /// Remembers scorers that are there, but not loaded: whoever misspells one is told its name.
    pub fn notice(&self, ids: &[String]) {
        self.files.lock().noticed.extend(ids.iter().cloned());
    }

    /// A name that is not there because its file was refused is a failure to load, and the refusal says why.
    fn explain(&self, name: &ScorerName, error: ScoreError) -> ScoreError {
        let files = self.files.lock();
        let error = self.snapshot().missing(name, &files.noticed).unwrap_or(error);
        let claims_it = |refusal: &&Refusal| refusal.claims.contains(&name.id);
        if error.code != ErrorCode::ScorerNotFound || name.pin.is_some() {
            return error;
        }
        if let Some(refusal) = Self::quarantined_claim(&files, &name.id) {
            return refusal.as_error().detail("scorer", name.id.as_str());
        }
        if let Some(refusal) = files.refused.values().find(claims_it) {
            return refusal.as_error().detail("scorer", name.id.as_str());
        }
        match files.refused.len() {
            0 => error,
            n => {
                let hint = error.details.hint.clone().unwrap_or_default();
                let files = if n == 1 { "1 file was".to_owned() } else { format!("{n} files were") };
                error.hint(format!("{hint} ({files} refused: 'autoscorer scorers list' says why)"))
            }
        }
    }

    /// Adds a built-in library. Two built-in scorers of the same name are a broken installation: the second is refused.
    pub fn add_built_in(&self, source: PathBuf, metadata: LibraryMetadata) {
        let mut files = self.files.lock();
        let taken = metadata
            .scorers
            .iter()
            .find_map(|scorer| Some((scorer, files.built_in.iter().find(|g| g.has(&scorer.id))?)));
        if let Some((scorer, other)) = taken {
            let found = format!("scorer '{}', which {} has already", scorer.id, other.source.display());
            let refusal = Finding::new(found, "every built-in scorer once", "remove one of the two plugins")
                .at(Step::Publish, &source);
            self.note_refusal(&mut files, refusal);
            return;
        }
        files.numbers += 1;
        let generation = Generation::built_in(files.numbers, source, metadata, self.loader.clone());
        files.built_in.push(Arc::new(generation));
        self.rebuild(&mut files);
    }

    /// Makes a vetted custom library live in place of what its file was before.
    pub fn publish(&self, vetted: Vetted) -> Result<(), Refusal> {
        let source = vetted.source.clone();
        let arrived = vetted.signature.changed_at().max(link_changed_at(&source));
        let number = {
            let mut files = self.files.lock();
            let refusal = self.forbidden(&files, &vetted).or_else(|| Self::still_quarantined(&files, &vetted));
            if let Some(refusal) = refusal {
                return Err(refusal);
            }
            let same = |generation: &&Arc<Generation>| generation.sha256() == Some(vetted.sha256.as_str());
            if let Some(generation) = files.custom.get(&source).filter(same).cloned() {
                files.refused.remove(&source);
                generation.arrive_again(arrived);
                self.rebuild(&mut files);
                self.warn_of_shadows(&mut files);
                return Ok(());
            }
            files.numbers += 1;
            files.numbers
        };
        let generation = Arc::new(Generation::custom(number, vetted, arrived, self.loader.clone()));
        // Before it is published, so that no job finds a name that cannot be used.
        generation.body()?;
        let mut files = self.files.lock();
        files.refused.remove(&source);
        files.quarantined.remove(&source);
        let before = files.custom.insert(source.clone(), generation.clone());
        self.rebuild(&mut files);
        self.events.publish(What::Live(generation.subject()));
        self.warn_of_shadows(&mut files);
        if let Some(before) = before {
            if let Some(recipe) = before.recipe().filter(|_| !before.is_failing()) {
                files.earlier.insert(source, recipe);
            }
            self.drain(&mut files, before);
        }
        Ok(())
    }

    fn forbidden(&self, files: &Files, vetted: &Vetted) -> Option<Refusal> {
        let ids = vetted.scorer_ids();
        let taken = |id: &&String| files.built_in.iter().any(|g| g.has(id)) && !self.allowed_overrides.contains(*id);
        let id = ids.iter().find(taken)?;
        let finding = Finding::new(
            format!("scorer '{id}', which is built in"),
            "a name of its own",
            format!("rename the scorer; or start with --allow-override {id} if it shall replace the built-in one"),
        );
        Some(finding.at(Step::Publish, &vetted.source).claiming(ids))
    }

    /// Notes that a file is not live, and why. What it was before stays live.
    pub fn refuse(&self, refusal: Refusal) {
        self.note_refusal(&mut self.files.lock(), refusal);
    }

    fn note_refusal(&self, files: &mut Files, refusal: Refusal) {
        let before = files.refused.insert(refusal.file.clone(), refusal.clone());
        if before.as_ref() != Some(&refusal) {
            self.events.publish(What::Refused(refusal));
        }
    }

    /// Forgets why a file was refused: another one is about to take its place.
    pub fn forgive(&self, source: &Path) {
        self.files.lock().refused.remove(source);
    }

    /// Takes a file's scorers out.
    pub fn remove(&self, source: &Path) {
        let mut files = self.files.lock();
        files.refused.remove(source);
        files.earlier.remove(source);
        files.quarantined.remove(source);
        if let Some(generation) = files.custom.remove(source) {
            self.rebuild(&mut files);
            self.warn_of_shadows(&mut files);
            self.drain(&mut files, generation);
        }
    }

    pub(super) fn rebuild(&self, files: &mut Files) {
        let table = Table::of(files.built_in.iter().chain(files.custom.values()));
        *self.table.write() = Arc::new(table);
    }

    fn warn_of_shadows(&self, files: &mut Files) {
        let table = self.snapshot();
        let mut shadowed = BTreeSet::new();
        for (id, provider, hidden) in table.iter() {
            for other in hidden {
                shadowed.insert((id.to_owned(), provider.generation.source.clone(), other.generation.source.clone()));
            }
        }
        for (scorer, winner, loser) in shadowed.difference(&files.shadowed).cloned() {
            self.events.publish(What::Shadowed { scorer, winner, loser });
        }
        files.shadowed = shadowed;
    }

    pub(super) fn drain(&self, files: &mut Files, generation: Arc<Generation>) {
        if generation.jobs() == 0 {
            self.events.publish(What::Retired(generation.subject()));
        } else {
            self.events.publish(What::Draining(generation.subject()));
            files.draining.push(generation);
        }
    }

    /// A generation's last job has ended; if it was only draining, that was its end.
    pub(super) fn idle(&self, generation: &Arc<Generation>) {
        let mut files = self.files.lock();
        let place = files.draining.iter().position(|draining| Arc::ptr_eq(draining, generation));
        if let Some(place) = place.filter(|_| generation.jobs() == 0) {
            files.draining.swap_remove(place);
            self.events.publish(What::Retired(generation.subject()));
        }
    }

    /// Every generation there is, with what it is now.
    pub fn generations(&self) -> Vec<(Arc<Generation>, State)> {
        let files = self.files.lock();
        let live = self.snapshot().live();
        let state =
            |generation: &Generation| if live.contains(&generation.number) { State::Live } else { State::Shadowed };
        let current = files.built_in.iter().chain(files.custom.values()).map(|g| (g.clone(), state(g)));
        current.chain(files.draining.iter().map(|g| (g.clone(), State::Draining))).collect()
    }

    /// The files that are not live, and why.
    pub fn refusals(&self) -> Vec<Refusal> {
        self.files.lock().refused.values().cloned().collect()
    }

    /// Whether a name is a built-in scorer's, and no custom file may take it.
    pub fn is_reserved(&self, id: &str) -> bool {
        !self.allowed_overrides.contains(id) && self.files.lock().built_in.iter().any(|generation| generation.has(id))
    }
}

/// A link may be newer than what it leads to.
fn link_changed_at(path: &Path) -> SystemTime {
    let link = std::fs::symlink_metadata(path).ok().filter(Metadata::is_symlink);
    link.map_or(SystemTime::UNIX_EPOCH, |link| Signature::from(&link).changed_at())
}
