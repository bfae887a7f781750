//! `scorers dev`: builds a crate, loads it and scores a workspace, again on every save, until it is interrupted.

mod build;
mod log;
mod phase;
mod round;
mod source;

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::metadata::Abi;

use super::{author, interrupt};
use crate::engine::Engine;
use crate::entry::dev_args::DevArgs;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::job::{Job, Observer, Request, ScorerName, Workspace};
use crate::load::{Isolation, Origin};
use crate::run::Cancel;
use crate::save::ResultFile;
use crate::settings::Settings;
use build::{Built, Failure};
use log::{Log, Unheard};
use phase::Phase;
use round::{Round, Status};
use source::{Print, Source};

/// How often an interrupt is looked for.
const TICK: Duration = Duration::from_millis(50);

/// Goes round until it is interrupted.
pub fn run(args: &DevArgs, settings: &Settings) -> Result<Exit, ScoreError> {
    let cancel = interrupt::cancel()?;
    let workspace = Workspace::open(&args.workspace)?;
    let manifest = args.krate.join("Cargo.toml");
    if !manifest.is_file() {
        return Err(ScoreError::new(ErrorCode::InvalidParams, format!("{} is no crate", args.krate.display()))
            .file(manifest.display().to_string())
            .expected("a folder with Cargo.toml and src/")
            .hint("'autoscorer scorers new NAME' makes one")
            .at_stage("usage"));
    }
    let source = Source::watch(&args.krate, workspace.path());
    let mut dev = Dev { args, engine: engine(settings), rounds: 0, last: None };
    print::err(format!("watching {} and {}; Ctrl-C ends", args.krate.display(), args.workspace));
    let ended = || cancel.requested() || print::is_closed();
    let mut seen: Option<Print> = None;
    while !ended() {
        if seen.as_ref().is_some_and(|seen| *seen == source.print()) {
            source.wait(TICK);
            continue;
        }
        let now = if seen.is_none() { source.print() } else { source.settled(ended) };
        let round = attended(&mut dev, &source, &now, ended);
        seen = Some(now);
        if let Some(round) = round.filter(|_| !cancel.requested()) {
            round.show(args.jsonl);
        }
    }
    Ok(Exit::Interrupted)
}

/// Its registry is this command's own: nobody else sees what is not done. Whatever the scorer does must not take the command
/// down, and a build that fails again and again is what an author has.
fn engine(settings: &Settings) -> Engine {
    let mut settings = settings.clone();
    settings.loader.isolation = Isolation::Process;
    settings.breaker = 0;
    Engine::new(&settings)
}

/// A round, which a save ends: what it would tell is about a source that is no more.
fn attended(dev: &mut Dev<'_>, source: &Source, seen: &Print, ended: impl Fn() -> bool) -> Option<Round> {
    let (stop, phase, done) = (Cancel::default(), Phase::new("building"), source.waker());
    thread::scope(|scope| {
        let round = scope.spawn(|| {
            let round = dev.round(&stop, &phase);
            // The source lives as long as this scope.
            _ = done.send(());
            round
        });
        while !round.is_finished() {
            if ended() || seen.is_saved_over_by(&source.print()) {
                stop.request();
            }
            phase.tell();
            source.wait(TICK);
        }
        round.join().unwrap_or_default()
    })
}

/// A crate in development.
struct Dev<'d> {
    args: &'d DevArgs,
    engine: Engine,
    rounds: u64,
    last: Option<f64>,
}

impl Dev<'_> {
    /// Builds, loads, scores; nothing comes of it if it is stopped.
    fn round(&mut self, stop: &Cancel, phase: &Phase) -> Option<Round> {
        let (number, start) = (self.rounds + 1, Instant::now());
        let built = build::build(&self.args.krate, &self.args.cargo, stop);
        let taken = start.elapsed().as_secs_f64();
        let new = |status| Round::new(number, status, taken);
        let round = match built {
            Built::Stopped => return None,
            Built::Failed(failure) => unbuilt(new(Status::BuildFailed), failure),
            Built::Library(library) => match self.load(&library) {
                Ok(ids) => {
                    phase.enter("scoring");
                    self.score(&ids, new(Status::Scored), stop)
                }
                Err(error) => failed(new(Status::Refused), error),
            },
        };
        if stop.requested() {
            return None;
        }
        (self.rounds, self.last) = (number, round.score.or(self.last));
        Some(round)
    }

    /// Puts the library into the registry and gives its scorers.
    fn load(&self, library: &Path) -> Result<Vec<String>, ScoreError> {
        let registry = self.engine.registry();
        let vetted = registry.loader().vet(library, Origin::Custom).map_err(|refusal| refusal.as_error())?;
        let ids = vetted.scorer_ids();
        registry.publish(vetted).map_err(|refusal| refusal.as_error())?;
        Ok(ids)
    }

    fn score(&self, ids: &[String], mut round: Round, stop: &Cancel) -> Round {
        let (log, request) = (Arc::new(Log::default()), self.request(ids));
        let observed = Request { observer: Observer::new(log.clone()), ..request.clone() };
        let result = self.engine.score(&observed, stop).result;
        round.log = log.lines();
        if let Some(error) = &result.error {
            round.status = Status::ScoreFailed;
            return failed(round, error.clone());
        }
        round.score = result.summary.get("score").and_then(|score| score.as_f64());
        round.metric = result.summary.get("primary_metric").and_then(|name| name.as_str()).map(str::to_owned);
        round.change = round.score.zip(self.last).map(|(score, last)| score - last);
        // What it logs has been shown already.
        let unheard = Request { observer: Observer::new(Arc::new(Unheard)), ..request };
        let again = self.engine.rescore(&unheard, stop);
        let equal = again.is_ok_and(|again| again.error.is_none() && same(&again, &result));
        round.deterministic = Some(equal);
        if !equal {
            round.hints.push(format!("a second run gave another outcome: {}", author::NOT_THE_SAME));
        }
        round
    }

    /// The scorer that the workspace names, or else the library's first.
    fn request(&self, ids: &[String]) -> Request {
        let (workspace, time_limit) = (self.args.workspace.clone(), Some(self.args.timeout));
        let mut request = Request { workspace, artifacts: true, time_limit, ..Request::default() };
        let named = Job::prepare(&request).map(|job| job.scorer.id);
        if !named.is_ok_and(|named| ids.contains(&named)) {
            request.scorer = ids.first().map(|id| ScorerName { id: id.clone(), pin: None });
        }
        request
    }
}

fn same(one: &ResultFile, other: &ResultFile) -> bool {
    one.summary == other.summary && one.metrics == other.metrics
}

fn unbuilt(round: Round, failure: Failure) -> Round {
    let hints = failure.hint.map(str::to_owned).into_iter().collect();
    Round { problem: Some(failure.what), compiler: failure.said, hints, ..round }
}

fn failed(mut round: Round, mut error: ScoreError) -> Round {
    // What cargo builds here is in Rust.
    round.hints.extend(author::help(&error, Abi::Rust).map(str::to_owned));
    error.details.hint = None;
    round.error = Some(error);
    round
}
