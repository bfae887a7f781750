//! `scorers check`: is a library fit for use? A list of passes and failures; all of its code runs apart from this process.

mod artifacts;
mod bar;
mod cancel;
mod checks;
mod inputs;
mod list;
mod memory;
mod trial;

use std::path::Path;
use std::time::Instant;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::metadata::Metadata;
use serde_json::json;

use super::interrupt;
use crate::engine::Engine;
use crate::entry::check_args::CheckArgs;
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::job::{Workspace, seconds_of_number};
use crate::load::{self, Isolation, Origin, Refusal, Vetted};
use crate::run::Cancel;
use crate::settings::Settings;
use bar::Bar;
use inputs::{Inputs, Spoilt};
use list::{Check, Found, Status};
use trial::Trial;

/// So many checks are about the library as a whole.
const OF_LIBRARY: usize = 2;

/// So many are made with each of its scorers.
const OF_SCORER: usize = 11;

/// Checks the library.
pub fn run(args: &CheckArgs, settings: &Settings, start: Instant) -> Result<Exit, ScoreError> {
    let usage = |expected: String| {
        ScoreError::new(ErrorCode::InvalidParams, format!("--timeout: expected {expected}")).at_stage("usage")
    };
    let timeout = seconds_of_number(args.timeout).map_err(usage)?;
    let cancel = interrupt::cancel()?;
    let mut settings = settings.clone();
    // Whatever the library does must not take this command down; and one worker, so that its memory can be followed.
    settings.loader.isolation = Isolation::Process;
    settings.loader.max_workers = 1;
    settings.loader.limits.time = timeout;
    let given = args.workspace.as_deref().map(Workspace::open).transpose()?;
    let unwritable = |error| ScoreError::new(ErrorCode::UnhandledError, format!("no workspaces to try it on: {error}"));
    let inputs = Inputs::new(given.as_ref().map(Workspace::path)).map_err(unwritable)?;
    let mut checking =
        Checking { engine: Engine::new(&settings), settings, inputs, cancel, list: Vec::new(), bar: Bar::new() };
    checking.library(&args.library, given.as_ref()).map_err(unwritable)?;
    let Checking { list, cancel, bar, .. } = checking;
    drop(bar);
    if cancel.requested() {
        return Ok(Exit::Interrupted);
    }
    Ok(report(args, &list, start))
}

fn report(args: &CheckArgs, list: &[Check], start: Instant) -> Exit {
    let count = |status: Status| list.iter().filter(|check| check.status == status).count();
    let (passed, failed, skipped) = (count(Status::Pass), count(Status::Fail), count(Status::Skip));
    let message = format!("{failed} of {} checks failed", list.len());
    if args.json {
        let error = (failed > 0).then(|| ScoreError::new(ErrorCode::ScoreError, &message).at_stage("check"));
        let data =
            json!({"library": args.library, "passed": passed, "failed": failed, "skipped": skipped, "checks": list});
        Envelope::new(Some(data), error, start).print();
    } else {
        list::show(list);
        print::out(match (failed, skipped) {
            (0, 0) => format!("all {passed} checks passed"),
            (0, _) => format!("{passed} checks passed, {skipped} could not be made"),
            _ => message,
        });
    }
    if failed == 0 { Exit::Done } else { Exit::ScorerFailed }
}

/// A library being checked.
struct Checking {
    engine: Engine,
    settings: Settings,
    inputs: Inputs,
    cancel: Cancel,
    list: Vec<Check>,
    bar: Bar,
}

impl Checking {
    fn library(&mut self, library: &Path, given: Option<&Workspace>) -> std::io::Result<()> {
        self.bar.expect(OF_LIBRARY);
        let refused = |refusal: Refusal| Found::fail(&refusal.finding.found, &refusal.finding.help);
        let metadata = match load::peek(library) {
            Ok(metadata) => metadata,
            Err(refusal) => {
                self.note(None, "metadata", refused(refusal));
                return Ok(());
            }
        };
        self.note(None, "metadata", described(&metadata));
        let vetted = match self.engine.registry().loader().vet(library, Origin::Custom) {
            Ok(vetted) => vetted,
            Err(refusal) => {
                self.note(None, "opens", refused(refusal));
                return Ok(());
            }
        };
        self.note(None, "opens", Found::Pass("in a process apart, and is what its metadata says".to_owned()));
        let named = given.and_then(|workspace| named(workspace, &metadata));
        let spoilt = self.inputs.spoilt()?;
        let wanted = |index: &usize| named.is_none_or(|named| named == *index);
        let scorers: Vec<usize> = (0..metadata.scorers.len()).filter(wanted).collect();
        self.bar.expect(scorers.len() * OF_SCORER);
        for index in scorers {
            self.scorer(&vetted, index, &spoilt, given.is_some())?;
        }
        Ok(())
    }

    fn scorer(&mut self, vetted: &Vetted, index: usize, spoilt: &[Spoilt], given: bool) -> std::io::Result<()> {
        let (trial, other) = (self.trial(vetted, index), self.trial(vetted, index));
        let scorer = Some(trial.id());
        let good = self.inputs.good("good")?;
        self.check(scorer, "params", |_| Ok(checks::params(&trial, &good)))?;
        for (check, kind) in [
            ("validate empty", "empty"),
            ("validate huge", "huge"),
            ("validate unicode", "unicode"),
            ("validate malformed", "malformed"),
        ] {
            let of_kind: Vec<&Spoilt> = spoilt.iter().filter(|one| one.kind == kind).collect();
            self.check(scorer, check, |_| Ok(checks::validate(&trial, &of_kind)))?;
        }
        self.check(scorer, "errors, no panics", |_| Ok(checks::errors(&trial, spoilt)))?;
        let scored = checks::score(&trial, &good, given);
        let unscored = match &scored {
            Found::Pass(_) => None,
            Found::Skip(why) => Some(why.clone()),
            Found::Fail(..) => Some("the workspace has no score".to_owned()),
        };
        self.check(scorer, "score", |_| Ok(scored))?;
        self.check(scorer, "determinism", |_| {
            Ok(unscored.map_or_else(|| checks::determinism(&trial, &other, &good), Found::Skip))
        })?;
        self.check(scorer, "cancel", |this| cancel::check(&trial, &this.inputs))?;
        self.check(scorer, "memory", |this| Ok(memory::check(&trial, &good, &this.bar)))?;
        self.check(scorer, "artifacts", |this| artifacts::check(&trial, &this.inputs))
    }

    fn trial(&self, vetted: &Vetted, index: usize) -> Trial {
        let lease = self.engine.registry().lease_unlisted(vetted.again(), index);
        Trial { lease, limits: self.settings.loader.limits, cancel: self.cancel.clone() }
    }

    fn check(
        &mut self,
        scorer: Option<&str>,
        name: &'static str,
        make: impl FnOnce(&Self) -> std::io::Result<Found>,
    ) -> std::io::Result<()> {
        self.bar.begin(name);
        let found = make(self)?;
        self.note(scorer, name, found);
        Ok(())
    }

    fn note(&mut self, scorer: Option<&str>, check: &'static str, found: Found) {
        self.bar.done();
        self.list.push(Check::new(scorer, check, found));
    }
}

/// Whoever reads a list of scorers should learn something from it.
fn described(metadata: &Metadata) -> Found {
    for scorer in &metadata.scorers {
        for (what, text) in [("summary", &scorer.summary), ("algorithm", &scorer.algorithm)] {
            if text.trim().is_empty() {
                return Found::fail(format!("{} has no {what}", scorer.id), format!("fill in {what} in ABOUT"));
            }
        }
    }
    let names: Vec<String> = metadata.scorers.iter().map(|one| format!("{}@{}", one.id, one.version)).collect();
    Found::Pass(format!("API {}, {}", metadata.api, names.join(", ")))
}

/// The scorer that a workspace names, if it is in the library.
fn named(workspace: &Workspace, metadata: &Metadata) -> Option<usize> {
    let meta = crate::job::Meta::read(workspace, None).ok()?;
    metadata.scorers.iter().position(|scorer| scorer.id == meta.scorer.id)
}
