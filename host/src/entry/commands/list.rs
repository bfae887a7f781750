//! `scorers list`: all scorers, and the files that were refused.

use std::time::Instant;

use autoscorer_plugin_api::error::ScoreError;
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::entry::cli::ListArgs;
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::load::Origin;
use crate::registry::{Provider, Registry};
use crate::settings::Settings;

/// Lists the scorers.
pub fn run(args: &ListArgs, settings: &Settings, start: Instant) -> Result<Exit, ScoreError> {
    let engine = Engine::new(settings);
    engine.load_all();
    if args.json {
        Envelope::new(Some(document(engine.registry())), None, start).print();
    } else {
        show(&engine);
    }
    Ok(Exit::Done)
}

/// The scorers, the libraries they come from, and the files that were refused.
pub fn document(registry: &Registry) -> Value {
    let table = registry.snapshot();
    let scorers: Vec<Value> = table.iter().map(|(_, provider, hidden)| scorer(provider, hidden)).collect();
    let generations: Vec<Value> = registry
        .generations()
        .into_iter()
        .map(
            |(generation, state)| json!({"state": state, "origin": generation.origin, "subject": generation.subject()}),
        )
        .collect();
    json!({"scorers": scorers, "generations": generations, "refused": registry.refusals()})
}

fn scorer(provider: &Provider, hidden: &[Provider]) -> Value {
    let (scorer, generation) = (provider.scorer(), &provider.generation);
    let hides: Vec<_> = hidden.iter().map(|other| other.generation.source.display().to_string()).collect();
    json!({
        "id": scorer.id,
        "version": scorer.version,
        "summary": scorer.summary,
        "origin": generation.origin,
        "file": generation.source.display().to_string(),
        "sha256": generation.sha256(),
        "api_version": generation.metadata.api,
        "hides": hides,
    })
}

fn show(engine: &Engine) {
    let registry = engine.registry();
    let mut table = print::table(&["scorer", "version", "origin", "summary"]);
    let snapshot = registry.snapshot();
    for (id, provider, _) in snapshot.iter() {
        let scorer = provider.scorer();
        let origin = match provider.generation.origin {
            Origin::BuiltIn => "built-in".to_owned(),
            Origin::Custom => provider.generation.source.display().to_string(),
        };
        table.add_row([id, &scorer.version, &origin, &scorer.summary]);
    }
    print::out(print::rows(&table));
    for (id, provider, hidden) in snapshot.iter() {
        for other in hidden {
            let (winner, loser) = (provider.generation.source.display(), other.generation.source.display());
            print::err(print::warning(id, &format!("both {winner} and {loser} have it; the first, newer one is used")));
        }
    }
    for refusal in registry.refusals() {
        print::err(print::warning("scorers", &refusal.to_string()));
    }
    if snapshot.iter().next().is_none() {
        let hint = "no scorers: the built-in plugins were not found; name their folder with --plugins";
        print::err(print::warning("scorers", hint));
    }
}
