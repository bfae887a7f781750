//! Kept libraries: those that are live no more, but whose copies a pin still finds.

use std::sync::Arc;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};

use super::lease::Lease;
use super::registry::Registry;
use crate::job::{Pin, ScorerName};
use crate::load::{Origin, Vetted};

impl Registry {
    /// A pinned library that is live no more may still be in the store.
    pub fn lease_kept(self: &Arc<Self>, name: &ScorerName, error: ScoreError) -> Result<Lease, ScoreError> {
        let Some(pin) = &name.pin else { return Err(error) };
        // A custom library does not come back under a built-in's name.
        let mut kept = self.loader().kept(&name.id, Origin::BuiltIn);
        if !self.is_reserved(&name.id) {
            kept.extend(self.loader().kept(&name.id, Origin::Custom));
        }
        let candidates: Vec<String> =
            kept.iter().map(|vetted| format!("{}@sha256:{}", name.id, vetted.sha256)).collect();
        let index = |vetted: &Vetted| {
            let fits = |version: &str| match pin {
                Pin::Sha256(sha256) => vetted.sha256.starts_with(sha256),
                Pin::Version(pinned) => version == pinned,
            };
            vetted.metadata.scorers.iter().position(|scorer| scorer.id == name.id && fits(&scorer.version))
        };
        let mut fitting: Vec<(usize, Vetted)> =
            kept.into_iter().filter_map(|vetted| Some((index(&vetted)?, vetted))).collect();
        match (fitting.pop(), fitting.len()) {
            (Some((index, mut vetted)), 0) => {
                self.loader().try_out(&mut vetted).map_err(|refusal| refusal.as_error())?;
                Ok(self.lease_unlisted(vetted, index))
            }
            (Some(_), others) => Err(ScoreError::new(
                ErrorCode::ScorerNotFound,
                format!("{} kept libraries are '{name}', and only their sha256 tells them apart", others + 1),
            )
            .expected(format!("one of {}", candidates.join(", ")))),
            (None, _) if candidates.is_empty() => Err(error),
            (None, _) => Err(error.detail("kept", candidates)),
        }
    }
}
