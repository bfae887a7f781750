//! `scorers dev`: builds a crate, loads it and scores a workspace, again on every save, until it is interrupted.

mod build;
mod round;
mod source;

use std::path::Path;
use std::time::{Duration, Instant};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};

use super::interrupt;
use crate::engine::Engine;
use crate::entry::dev_args::DevArgs;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::job::{Job, Request, ScorerName, Workspace};
use crate::load::Origin;
use crate::run::Cancel;
use crate::save::ResultFile;
use crate::settings::Settings;
use build::Built;
use round::{Round, Status};
use source::Source;

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
    let mut dev = Dev { args, engine: Engine::new(settings), cancel, rounds: 0, last: None };
    print::err(format!("watching {} and {}; Ctrl-C ends", args.krate.display(), args.workspace));
    let mut seen = None;
    while !dev.cancel.requested() && !print::is_closed() {
        let now = source.print();
        if seen.as_ref() == Some(&now) {
            source.wait(TICK);
            continue;
        }
        seen = Some(now);
        if let Some(round) = dev.round() {
            round.show(args.jsonl);
        }
    }
    Ok(Exit::Interrupted)
}

/// A crate in development.
struct Dev<'d> {
    args: &'d DevArgs,
    /// Its registry is this command's own: nobody else sees what is not done.
    engine: Engine,
    cancel: Cancel,
    rounds: u64,
    last: Option<f64>,
}

impl Dev<'_> {
    /// Builds, loads, scores; nothing comes of it if it is interrupted.
    fn round(&mut self) -> Option<Round> {
        self.rounds += 1;
        let start = Instant::now();
        let built = build::build(&self.args.krate, &self.args.cargo, &self.cancel);
        let new = |status| Round::new(self.rounds, status, start.elapsed().as_secs_f64());
        let round = match built {
            Built::Stopped => return None,
            Built::Failed(compiler) => Round { compiler, ..new(Status::BuildFailed) },
            Built::Library(library) => {
                let taken = new(Status::Scored).build_time;
                match self.load(&library) {
                    Ok(ids) => self.score(ids, taken),
                    Err(error) => failed(Round::new(self.rounds, Status::Refused, taken), error),
                }
            }
        };
        (!self.cancel.requested()).then_some(round)
    }

    /// Puts the library into the registry and gives its scorers.
    fn load(&self, library: &Path) -> Result<Vec<String>, ScoreError> {
        let registry = self.engine.registry();
        let vetted = registry.loader().vet(library, Origin::Custom).map_err(|refusal| refusal.as_error())?;
        let ids = vetted.scorer_ids();
        registry.publish(vetted).map_err(|refusal| refusal.as_error())?;
        Ok(ids)
    }

    fn score(&mut self, ids: Vec<String>, taken: f64) -> Round {
        let request = self.request(&ids);
        let result = self.engine.score(&request, &self.cancel).result;
        let mut round = Round::new(self.rounds, Status::Scored, taken);
        if let Some(error) = &result.error {
            round.status = Status::ScoreFailed;
            return failed(round, error.clone());
        }
        let score = result.summary.get("score").and_then(|score| score.as_f64());
        round.metric = result.summary.get("primary_metric").and_then(|name| name.as_str()).map(str::to_owned);
        round.change = score.zip(self.last).map(|(score, last)| score - last);
        (round.score, self.last) = (score, score.or(self.last));
        let again = self.engine.rescore(&request, &self.cancel);
        let equal = again.is_ok_and(|again| again.error.is_none() && same(&again, &result));
        round.deterministic = Some(equal);
        if !equal {
            round.hints.push(
                "a second run gave another outcome: look for the clock, random numbers, the order of a HashMap, and \
                 threads that add numbers up"
                    .to_owned(),
            );
        }
        round
    }

    /// The scorer that the workspace names, or else the library's first.
    fn request(&self, ids: &[String]) -> Request {
        let mut request = Request { workspace: self.args.workspace.clone(), artifacts: true, ..Request::default() };
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

fn failed(mut round: Round, error: ScoreError) -> Round {
    round.hints.extend(error.details.hint.clone());
    if error.code == ErrorCode::ScorerPanic {
        round
            .hints
            .push("return a ScoreError instead of unwrap, expect and indexing; the place is in the message".to_owned());
    }
    round.error = Some(error);
    round
}
