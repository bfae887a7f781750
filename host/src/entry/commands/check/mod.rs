//! `scorers check`: is a library fit for use? A list of passes and failures; all of its code runs apart from this process.

mod checks;
mod inputs;
mod list;
mod trial;

use std::path::Path;
use std::time::{Duration, Instant};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::metadata::Metadata;
use indicatif::{ProgressBar, ProgressStyle};
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
use inputs::{Inputs, Spoilt};
use list::{Check, Found, Status};
use trial::Trial;

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
        Checking { engine: Engine::new(&settings), settings, inputs, cancel, list: Vec::new(), bar: Bar::new(start) };
    checking.library(&args.library, given.as_ref()).map_err(unwritable)?;
    checking.bar.end();
    if checking.cancel.requested() {
        return Ok(Exit::Interrupted);
    }
    Ok(report(args, &checking.list, start))
}

fn report(args: &CheckArgs, list: &[Check], start: Instant) -> Exit {
    let count = |status: Status| list.iter().filter(|check| check.status == status).count();
    let (passed, failed) = (count(Status::Pass), count(Status::Fail));
    let message = format!("{failed} of {} checks failed", list.len());
    if args.json {
        let error = (failed > 0).then(|| ScoreError::new(ErrorCode::ScoreError, &message).at_stage("check"));
        let data = json!({"library": args.library, "passed": passed, "failed": failed, "checks": list});
        Envelope::new(Some(data), error, start).print();
    } else {
        list::show(list);
        print::out(if failed == 0 { format!("all {passed} checks passed") } else { message });
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
        let refused = |refusal: Refusal| (refusal.finding.found.clone(), refusal.finding.help.clone());
        let metadata = match load::peek(library) {
            Ok(metadata) => metadata,
            Err(refusal) => {
                self.note(None, "metadata", Err(refused(refusal)));
                return Ok(());
            }
        };
        self.note(None, "metadata", described(&metadata));
        let vetted = match self.engine.registry().loader().vet(library, Origin::Custom) {
            Ok(vetted) => vetted,
            Err(refusal) => {
                self.note(None, "opens", Err(refused(refusal)));
                return Ok(());
            }
        };
        self.note(None, "opens", Ok("in a process apart, and is what its metadata says".to_owned()));
        let wanted = given.and_then(|workspace| named(workspace, &metadata));
        let spoilt = self.inputs.spoilt()?;
        for index in (0..metadata.scorers.len()).filter(|index| wanted.is_none_or(|wanted| wanted == *index)) {
            self.scorer(&vetted, index, &spoilt, given.is_some())?;
        }
        Ok(())
    }

    fn scorer(&mut self, vetted: &Vetted, index: usize, spoilt: &[Spoilt], given: bool) -> std::io::Result<()> {
        let (trial, other) = (self.trial(vetted, index), self.trial(vetted, index));
        let id = trial.id().to_owned();
        let good = self.inputs.good("good")?;
        self.note(Some(&id), "params", checks::params(&trial, &good));
        for (check, kind) in [
            ("validate empty", "empty"),
            ("validate huge", "huge"),
            ("validate unicode", "unicode"),
            ("validate malformed", "malformed"),
        ] {
            let of_kind: Vec<&Spoilt> = spoilt.iter().filter(|one| one.kind == kind).collect();
            self.note(Some(&id), check, checks::validate(&trial, &of_kind));
        }
        self.note(Some(&id), "errors, no panics", checks::errors(&trial, spoilt));
        let scored = checks::score(&trial, &good);
        let scores = scored.is_ok();
        if given {
            self.note(Some(&id), "score", scored);
        }
        if scores {
            self.note(Some(&id), "determinism", checks::determinism(&trial, &other, &good));
        } else {
            self.skip(&id, "determinism", given);
        }
        let huge = spoilt.iter().filter(|one| one.kind == "huge").map(|one| one.folder.as_path());
        let candidates: Vec<&Path> = huge.chain([good.as_path()]).collect();
        self.note(Some(&id), "cancel", checks::cancel(&trial, &candidates));
        let bar = &self.bar;
        let found = checks::memory(&trial, &good, &|| bar.tick());
        self.note(Some(&id), "memory", found);
        let found = checks::artifacts(&trial, &self.inputs)?;
        self.note(Some(&id), "artifacts", found);
        Ok(())
    }

    fn trial(&self, vetted: &Vetted, index: usize) -> Trial {
        let lease = self.engine.registry().lease_unlisted(vetted.again(), index);
        Trial { lease, limits: self.settings.loader.limits, cancel: self.cancel.clone() }
    }

    fn note(&mut self, scorer: Option<&str>, check: &'static str, found: Found) {
        self.bar.tick();
        self.list.push(Check::new(scorer, check, found));
    }

    fn skip(&mut self, scorer: &str, check: &'static str, given: bool) {
        let why = if given { "the workspace has no score" } else { "give a workspace that it can score: --workspace" };
        self.list.push(Check::skipped(Some(scorer), check, why));
    }
}

/// Whoever reads a list of scorers should learn something from it.
fn described(metadata: &Metadata) -> Found {
    for scorer in &metadata.scorers {
        for (what, text) in [("summary", &scorer.summary), ("algorithm", &scorer.algorithm)] {
            if text.trim().is_empty() {
                return Err((format!("{} has no {what}", scorer.id), format!("fill in {what} in ABOUT")));
            }
        }
    }
    let names: Vec<String> = metadata.scorers.iter().map(|one| format!("{}@{}", one.id, one.version)).collect();
    Ok(format!("API {}, {}", metadata.api, names.join(", ")))
}

/// The scorer that a workspace names, if it is in the library.
fn named(workspace: &Workspace, metadata: &Metadata) -> Option<usize> {
    let meta = crate::job::Meta::read(workspace, None).ok()?;
    metadata.scorers.iter().position(|scorer| scorer.id == meta.scorer.id)
}

/// Says after a second that something is going on.
struct Bar {
    start: Instant,
    bar: std::cell::OnceCell<ProgressBar>,
}

impl Bar {
    fn new(start: Instant) -> Self {
        Self { start, bar: std::cell::OnceCell::new() }
    }

    fn tick(&self) {
        if self.start.elapsed() < Duration::from_secs(1) {
            return;
        }
        let bar = self.bar.get_or_init(|| {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} checking, {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        bar.tick();
    }

    fn end(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}
