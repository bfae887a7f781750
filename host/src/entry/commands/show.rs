//! `scorers show`: one scorer with its parameters.

use std::sync::Arc;
use std::time::Instant;

use autoscorer_plugin_api::error::ScoreError;
use autoscorer_plugin_api::metadata::Description;
use autoscorer_plugin_api::params::type_name;
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::entry::cli::ShowArgs;
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::job::ScorerName;
use crate::registry::{Lease, Registry};
use crate::settings::Settings;

/// Shows the scorer.
pub fn run(args: &ShowArgs, settings: &Settings, start: Instant) -> Result<Exit, ScoreError> {
    let engine = Engine::new(settings);
    engine.load_needed([&args.scorer].into_iter());
    if args.json {
        Envelope::new(Some(document(engine.registry(), &args.scorer)?), None, start).print();
        return Ok(Exit::Done);
    }
    let lease = lease(engine.registry(), &args.scorer)?;
    let sha256 = lease.sha256().unwrap_or_default();
    let (scorer, metadata) = (lease.scorer(), lease.metadata());
    let mut table = print::table(&[]);
    table.add_row(["version", &scorer.version]);
    table.add_row(["summary", &scorer.summary]);
    table.add_row(["algorithm", &scorer.algorithm]);
    table.add_row(["file", &lease.source().display().to_string()]);
    table.add_row(["sha256", sha256]);
    table.add_row(["built with", &format!("{}, API {}", metadata.built_with(), metadata.api)]);
    print::out(format!("{} {}", scorer.id, scorer.version));
    print::out(print::rows(&table));
    print::out("");
    print::out(params(scorer));
    Ok(Exit::Done)
}

/// A scorer with its parameters and its library.
pub fn document(registry: &Arc<Registry>, name: &ScorerName) -> Result<Value, ScoreError> {
    let lease = lease(registry, name)?;
    let metadata = lease.metadata();
    Ok(json!({
        "scorer": lease.scorer(), "file": lease.source().display().to_string(), "sha256": lease.sha256(),
        "api_version": metadata.api, "abi": metadata.abi, "package": metadata.package,
        "rustc": metadata.rustc, "compiler": metadata.compiler,
    }))
}

fn lease(registry: &Arc<Registry>, name: &ScorerName) -> Result<Lease, ScoreError> {
    let lease = registry.lease(name)?;
    lease.body().map_err(|refusal| refusal.as_error())?;
    Ok(lease)
}

/// The parameters of a scorer as a table.
pub(super) fn params(scorer: &Description) -> String {
    let properties = scorer.params.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|properties| !properties.is_empty()) else {
        return "no parameters".to_owned();
    };
    let mut table = print::table(&["param", "type", "default", "meaning"]);
    for (name, schema) in properties {
        let meaning = schema.get("description").and_then(Value::as_str).unwrap_or_default();
        let default = schema.get("default").map(Value::to_string).unwrap_or_default();
        table.add_row([name.as_str(), &type_name(schema), &default, meaning]);
    }
    print::rows(&table)
}
