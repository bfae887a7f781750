//! The files in the folder of custom scorers: those that are live, and those that were refused.

use super::{Examination, Finding};
use crate::engine::Engine;
use crate::load::Origin;

/// Loads what is there, as `scorers list` does.
pub fn check(seen: &Examination<'_>) -> Vec<Finding> {
    if !seen.has_store() {
        return Vec::new();
    }
    let engine = Engine::new(seen.settings);
    let already = engine.registry().refusals().len();
    engine.load_all();
    let table = engine.registry().snapshot();
    let live = table.iter().filter(|(_, provider, _)| provider.generation.origin == Origin::Custom);
    let live = live.map(|(id, provider, _)| {
        Finding::fine(format!("custom scorer {id}"), provider.generation.source.display().to_string())
    });
    let refused = engine
        .registry()
        .refusals()
        .into_iter()
        .filter(|refusal| already == 0 || refusal.file.starts_with(engine.custom_scorers()));
    let refused = refused.map(|refusal| {
        let (file, finding) = (refusal.file.display().to_string(), &refusal.finding);
        let found = format!("{file} refused at {}: {}; expected {}", refusal.step, finding.found, finding.expected);
        Finding::warning("custom scorer", found, finding.help.clone())
    });
    live.chain(refused).collect()
}
