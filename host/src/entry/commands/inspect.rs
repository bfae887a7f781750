//! `scorers inspect`: what a library says about itself, without running it.

use std::time::Instant;

use autoscorer_plugin_api::error::ScoreError;
use autoscorer_plugin_api::metadata::Abi;

use super::show::params;
use crate::entry::cli::InspectArgs;
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::load::{self, Refusal};

/// Inspects the library. That this host would refuse it is no reason not to show it, but a failure.
pub fn run(args: &InspectArgs, start: Instant) -> Result<Exit, ScoreError> {
    let (metadata, objection) = load::inspect(&args.file).map_err(|refusal| refusal.as_error())?;
    let exit = if objection.is_none() { Exit::Done } else { Exit::ScorerFailed };
    if args.json {
        let data =
            serde_json::json!({"file": args.file.display().to_string(), "metadata": metadata, "objection": objection});
        Envelope::new(Some(data), objection.as_ref().map(Refusal::as_error), start).print();
        return Ok(exit);
    }
    print::out(args.file.display());
    let nature = match metadata.abi {
        Abi::Rust => format!("panic = {}", format!("{:?}", metadata.panic).to_lowercase()),
        Abi::C => "C interface".to_owned(),
    };
    print::out(format!("  {}, API {}, {}, {nature}", metadata.package, metadata.api, metadata.built_with()));
    for scorer in &metadata.scorers {
        print::out(format!("\n{} {}: {}", scorer.id, scorer.version, scorer.summary));
        print::out(params(scorer));
    }
    if let Some(refusal) = objection {
        print::err(print::warning("inspect", &refusal.to_string()));
    }
    Ok(exit)
}
