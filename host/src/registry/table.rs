//! The table of names: a pure function of what is loaded, made anew at every change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::metadata::Description;
use autoscorer_plugin_api::suggest;

use super::generation::Generation;
use crate::job::{Pin, ScorerName};
use crate::load::Origin;

/// Which scorer is which generation's.
#[derive(Default)]
pub struct Table {
    scorers: BTreeMap<String, Vec<Provider>>,
}

/// A generation that has a scorer of some name.
#[derive(Clone)]
pub struct Provider {
    /// The generation.
    pub generation: Arc<Generation>,
    /// The scorer's number in it.
    pub index: usize,
}

impl Table {
    /// Of several generations with a scorer of the same name the first counts: custom before built-in (they are here only
    /// if they may be), the later before the earlier.
    pub fn of<'g>(generations: impl IntoIterator<Item = &'g Arc<Generation>>) -> Self {
        let mut scorers: BTreeMap<String, Vec<Provider>> = BTreeMap::new();
        for generation in generations {
            for (index, scorer) in generation.metadata.scorers.iter().enumerate() {
                let provider = Provider { generation: generation.clone(), index };
                scorers.entry(scorer.id.clone()).or_default().push(provider);
            }
        }
        for providers in scorers.values_mut() {
            providers.sort_by_key(|provider| {
                let generation = &provider.generation;
                std::cmp::Reverse((generation.origin, generation.arrived(), generation.source.clone()))
            });
        }
        Self { scorers }
    }

    /// The provider that a name stands for.
    pub fn find(&self, name: &ScorerName) -> Result<&Provider, ScoreError> {
        let Some(providers) = self.scorers.get(&name.id) else { return Err(self.not_found(name, [])) };
        match &name.pin {
            None => providers.first().ok_or_else(|| self.not_found(name, [])),
            Some(pin) => {
                providers.iter().find(|provider| provider.satisfies(pin)).ok_or_else(|| pin_gone(name, providers))
            }
        }
    }

    /// Reads the libraries that may have a pinned sha256 and have not been read yet, as built-in ones at first.
    pub fn read_for(&self, name: &ScorerName) {
        if let (Some(Pin::Sha256(_)), Some(providers)) = (&name.pin, self.scorers.get(&name.id)) {
            for provider in providers.iter().filter(|provider| provider.generation.sha256().is_none()) {
                // One that cannot be opened has no sha256, and so is not the pinned one.
                _ = provider.generation.body();
            }
        }
    }

    /// Every name with its provider, and the providers it hides.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Provider, &[Provider])> {
        self.scorers.iter().filter_map(|(id, providers)| {
            let (first, hidden) = providers.split_first()?;
            Some((id.as_str(), first, hidden))
        })
    }

    /// The numbers of the generations that have at least one name.
    pub fn live(&self) -> BTreeSet<u64> {
        self.iter().map(|(_, provider, _)| provider.generation.number).collect()
    }

    /// Why a name stands for nothing, where there are other names that could have been meant.
    pub fn missing(&self, name: &ScorerName, others: &BTreeSet<String>) -> Option<ScoreError> {
        let unknown = !self.scorers.contains_key(&name.id);
        unknown.then(|| self.not_found(name, others.iter().map(String::as_str)))
    }

    fn not_found<'t>(&'t self, name: &ScorerName, others: impl IntoIterator<Item = &'t str>) -> ScoreError {
        let known: BTreeSet<&str> = self.scorers.keys().map(String::as_str).chain(others).collect();
        let hint = match suggest::nearest(&name.id, known.iter().copied()) {
            Some(near) => format!("did you mean '{near}'?"),
            None => "'autoscorer scorers list' shows what is there, and which files were refused".to_owned(),
        };
        let expected = if known.is_empty() {
            "a scorer; there is none at all".to_owned()
        } else {
            format!("one of {}", Vec::from_iter(known).join(", "))
        };
        ScoreError::new(ErrorCode::ScorerNotFound, format!("there is no scorer '{}'", name.id))
            .found(&name.id)
            .expected(expected)
            .hint(hint)
    }
}

impl Provider {
    /// What the scorer says about itself.
    pub fn scorer(&self) -> &Description {
        &self.generation.metadata.scorers[self.index]
    }

    fn satisfies(&self, pin: &Pin) -> bool {
        match pin {
            Pin::Version(version) => self.scorer().version == *version,
            Pin::Sha256(pinned) => self.generation.sha256().is_some_and(|sha256| sha256.starts_with(pinned)),
        }
    }

    fn is_custom(&self) -> bool {
        self.generation.origin == Origin::Custom
    }
}

fn pin_gone(name: &ScorerName, providers: &[Provider]) -> ScoreError {
    let candidates: Vec<String> = providers
        .iter()
        .map(|provider| {
            let version = &provider.scorer().version;
            let kind = if provider.is_custom() { "custom" } else { "built-in" };
            let hash = provider.generation.sha256().map(|sha256| format!(", sha256:{sha256}")).unwrap_or_default();
            format!("{}@{version} ({kind}{hash})", name.id)
        })
        .collect();
    ScoreError::new(ErrorCode::ScorerNotFound, format!("no live scorer is '{name}'"))
        .found(name.to_string())
        .expected(format!("one of {}", candidates.join(", ")))
        .hint("remove the pin, or put the pinned library back into the folder of custom scorers")
}
