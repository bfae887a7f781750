//! The breaker: a generation that keeps crashing is taken out, and the good one before it comes back.

use std::collections::BTreeMap;
use std::sync::Arc;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};

use super::events::What;
use super::generation::Generation;
use super::registry::{Files, Registry};
use crate::load::{Finding, Refusal, Step, Vetted};

impl Registry {
    /// Takes note of how a job on a generation ended.
    pub(super) fn judge(&self, generation: &Arc<Generation>, error: Option<&ScoreError>, own_limits: bool) {
        let failed = error.filter(|error| is_the_scorers_fault(error.code, own_limits));
        let failures = generation.count(failed.is_some());
        if let Some(error) = failed.filter(|_| self.breaker > 0 && failures >= self.breaker) {
            self.quarantine(generation, format!("{failures} jobs in a row have failed, the last one with {error}"));
        }
    }

    fn quarantine(&self, generation: &Arc<Generation>, reason: String) {
        let mut files = self.files.lock();
        let source = &generation.source;
        // Another job may have been quicker, or a new file may have come.
        let is_current = files.custom.get(source).is_some_and(|current| Arc::ptr_eq(current, generation));
        let Some(recipe) = generation.recipe().filter(|_| is_current) else { return };
        files.custom.remove(source);
        files.quarantined.insert(source.clone(), recipe);
        let earlier = files.earlier.remove(source).map(|earlier| self.restore(&mut files, earlier));
        self.rebuild(&mut files);
        let restored = earlier.map(|earlier| earlier.subject().scorers);
        self.events.publish(What::Quarantined { subject: generation.subject(), reason, restored });
        self.drain(&mut files, generation.clone());
    }

    fn restore(&self, files: &mut Files, earlier: Vetted) -> Arc<Generation> {
        files.numbers += 1;
        let (source, arrived) = (earlier.source.clone(), earlier.signature.changed_at());
        let generation = Arc::new(Generation::custom(files.numbers, earlier, arrived, self.loader().clone()));
        files.custom.insert(source, generation.clone());
        generation
    }

    /// Why a library that was taken out is not put in again by dropping the same file.
    pub(super) fn still_quarantined(files: &Files, vetted: &Vetted) -> Option<Refusal> {
        files.quarantined.get(&vetted.source).filter(|recipe| recipe.sha256 == vetted.sha256).map(refusal)
    }

    /// Why there is no scorer of this name, if a library that has one was taken out.
    pub(super) fn quarantined_claim(files: &Files, scorer: &str) -> Option<Refusal> {
        files.quarantined.values().find(|recipe| has(recipe, scorer)).map(refusal)
    }

    /// Puts the libraries back that were taken out and have a scorer of this name. Gives how many.
    pub fn lift(&self, scorer: &str) -> Result<usize, Refusal> {
        let mut files = self.files.lock();
        let taken_out = std::mem::take(&mut files.quarantined);
        let (recipes, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
            taken_out.into_iter().partition(|(_, recipe)| has(recipe, scorer));
        files.quarantined = others;
        drop(files);
        let count = recipes.len();
        for (source, recipe) in recipes {
            let again = recipe.again();
            if let Err(refusal) = self.publish(recipe) {
                self.files.lock().quarantined.insert(source, again);
                return Err(refusal);
            }
        }
        Ok(count)
    }
}

fn has(recipe: &Vetted, scorer: &str) -> bool {
    recipe.metadata.scorers.iter().any(|one| one.id == scorer)
}

fn refusal(quarantined: &Vetted) -> Refusal {
    let finding = Finding::new(
        "the library that was taken out because its jobs kept failing",
        "another build of it",
        "mend the scorer and drop a new build; or lift the quarantine",
    );
    finding.at(Step::Publish, &quarantined.source).claiming(quarantined.scorer_ids())
}

/// What tells of a scorer that is broken, and not of a workspace that is.
fn is_the_scorers_fault(code: ErrorCode, own_limits: bool) -> bool {
    match code {
        ErrorCode::ScorerCrashed => true,
        ErrorCode::TimeoutError | ErrorCode::MemoryLimit => !own_limits,
        _ => false,
    }
}
