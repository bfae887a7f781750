//! Remembered verdicts: which pairs are known already, and what of a judgement is kept.

use serde::{Deserialize, Serialize};

use crate::cache::{Cache, Key};
use crate::error::JudgeError;
use crate::judgement::{Judgement, Verdict};
use crate::prompt;
use crate::settings::Settings;

/// The file that remembers verdicts.
pub(crate) const NAME: &str = "verdicts.jsonl";

/// The verdicts of one model, as far as they are remembered.
pub struct Verdicts {
    cache: Cache<Kept>,
    domain: Key,
}

/// A verdict as it is remembered.
#[derive(Serialize, Deserialize)]
struct Kept {
    same: bool,
    confidence: Option<f64>,
    reason: Option<String>,
    /// Absent in what was kept before answers were.
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<String>,
}

impl Verdicts {
    /// Reads what is remembered and writes nothing, not even a folder. Of a model without a name nothing is known.
    pub fn look(settings: &Settings) -> Result<Self, JudgeError> {
        let folder = settings.cache.as_deref().filter(|_| settings.model().is_some());
        Ok(Self { cache: Cache::look(folder, NAME)?, domain: domain(settings.model().unwrap_or_default(), settings) })
    }

    /// What is known of two texts.
    pub fn known(&self, left: &str, right: &str) -> Option<Judgement> {
        self.get(&self.key(left, right))
    }

    /// Reads what is remembered, to add to it.
    pub(crate) fn open(model: &str, settings: &Settings) -> Result<Self, JudgeError> {
        Ok(Self { cache: Cache::open(settings.cache.as_deref(), NAME)?, domain: domain(model, settings) })
    }

    pub(crate) fn key(&self, left: &str, right: &str) -> Key {
        Key::of(&[self.domain.as_str(), left, right])
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Judgement> {
        let kept = self.cache.get(key)?;
        let verdict = if kept.same { Verdict::Same } else { Verdict::Different };
        let judgement = Judgement::new(verdict, kept.confidence, kept.reason.clone());
        Some(Judgement { raw: kept.raw.clone(), ..judgement }.shared())
    }

    /// Keeps a judgement, if it is a verdict.
    pub(crate) fn put(&mut self, key: &Key, judgement: &Judgement) {
        if judgement.verdict.is_decided() {
            let Judgement { verdict, confidence, reason, raw, .. } = judgement.clone();
            self.cache.put(key, &Kept { same: verdict == Verdict::Same, confidence, reason, raw });
        }
    }

    /// Why verdicts could not be kept, if they could not.
    pub(crate) fn error(&self) -> Option<String> {
        self.cache.error()
    }
}

/// What a verdict depends on besides the texts. One by votes is another one than one at temperature 0.
fn domain(model: &str, settings: &Settings) -> Key {
    Key::of(&[model, &prompt::identity(), &settings.votes.to_string()])
}
