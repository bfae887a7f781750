//! A judging: all pairs of a batch get their verdicts, from whichever matcher was chosen.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use autoscorer_judge::{JudgeError, Judgement, Plan, Progress, Usage, embed, judge};
use autoscorer_plugin_api::prelude::*;

use super::lexical::Lexical;
use super::vectors::Vectors;
use crate::config::{Config, Matcher, missing};
use crate::matching::batch::{Batch, start_of};
use crate::matching::task::Task;

/// How often progress is told.
const BETWEEN: Duration = Duration::from_secs(1);

/// Judges a batch. What could not be judged is in the batch as such; an error means that nobody could be asked.
pub(crate) fn run(
    ctx: &Context<'_>,
    config: &Config,
    tasks: &[Task],
    batch: &mut Batch<'_>,
    longest: usize,
) -> Result<Usage, ScoreError> {
    let usage = match config.matcher {
        Matcher::None => Usage::default(),
        Matcher::Lexical => {
            let mut lexical = Lexical::default();
            in_turn(ctx, batch, |one, other| lexical.judge(one, other, config.similarity))?
        }
        Matcher::Llm => {
            let total = batch.open();
            watched(ctx, total, |stop, progress| judge(batch, &config.judge, stop, progress))?
        }
        Matcher::Embedding => by_vectors(ctx, config, tasks, batch, longest)?,
    };
    ctx.check()?;
    if let Some(error) = &usage.cache_error {
        ctx.log(Level::Warn, format_args!("verdicts are not remembered: {error}"));
    }
    Ok(usage)
}

/// Judges pair after pair by a function.
fn in_turn(
    ctx: &Context<'_>,
    batch: &mut Batch<'_>,
    mut same: impl FnMut(&str, &str) -> Judgement,
) -> Result<Usage, ScoreError> {
    let mut usage = Usage::default();
    while let Some(pair) = batch.next() {
        if usage.done % 256 == 0 {
            ctx.check()?;
        }
        let (generated, reference) = batch.texts(pair);
        let judgement = same(generated, reference);
        usage.done += 1;
        usage.failed += u64::from(!judgement.verdict.is_decided());
        batch.take(pair, &judgement);
    }
    Ok(usage)
}

fn by_vectors(
    ctx: &Context<'_>,
    config: &Config,
    tasks: &[Task],
    batch: &mut Batch<'_>,
    longest: usize,
) -> Result<Usage, ScoreError> {
    let notes = notes(tasks, longest);
    let embeddings = watched(ctx, notes.len(), |stop, progress| embed(&notes, &config.judge, stop, progress))?;
    let usage = embeddings.usage.clone();
    let vectors = Vectors::new(notes, embeddings);
    let judged = in_turn(ctx, batch, |one, other| vectors.judge(one, other, config.similarity))?;
    Ok(Usage { done: judged.done, failed: judged.failed, ..usage })
}

/// Every note that is at the same place as another, once.
pub(crate) fn notes(tasks: &[Task], longest: usize) -> Vec<String> {
    let mut notes = BTreeSet::new();
    for (generated, reference) in tasks.iter().flat_map(Task::all_texts) {
        notes.extend([generated, reference].map(|note| start_of(note, longest)));
    }
    notes.into_iter().map(str::to_owned).collect()
}

/// Does something that takes long on another thread, and tells from here how far it is.
fn watched<T: Send>(
    ctx: &Context<'_>,
    total: usize,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync), &(dyn Fn(&Progress) + Sync)) -> Result<T, JudgeError> + Send,
) -> Result<T, ScoreError> {
    let (watch, latest) = (ctx.watch(), Mutex::new(None::<Progress>));
    let (done, ended) = channel();
    let result = thread::scope(|scope| {
        let latest = &latest;
        let worker = scope.spawn(move || {
            let note = |progress: &Progress| {
                if let Ok(mut latest) = latest.lock() {
                    *latest = Some(progress.clone());
                }
            };
            let result = work(&|| watch.check().is_err(), &note);
            // The receiver lives as long as this scope.
            _ = done.send(());
            result
        });
        while ended.recv_timeout(BETWEEN) == Err(RecvTimeoutError::Timeout) {
            let progress = latest.lock().ok().and_then(|mut latest| latest.take());
            progress.iter().for_each(|progress| tell(ctx, progress, total));
        }
        worker.join()
    });
    let result = result.map_err(|_| ScoreError::new(ErrorCode::ScorerPanic, "the judge panicked"))?;
    result.map_err(failed)
}

/// Why nobody could be asked. What is missing is the user's to set; anything else is the judge's failure.
pub(crate) fn failed(error: JudgeError) -> ScoreError {
    match error {
        JudgeError::Missing { .. } => missing(error),
        _ => ScoreError::new(ErrorCode::JudgeError, error.to_string()),
    }
}

fn tell(ctx: &Context<'_>, progress: &Progress, total: usize) {
    let Progress { done, calls, cached, failed, undecided, tokens, rate, .. } = progress;
    let total = (total as u64).max(*done);
    ctx.progress(*done, total);
    let left = if *rate > 0.0 {
        format!("at most {:.0} s left", (total - done) as f64 / rate)
    } else {
        "no answer yet".to_owned()
    };
    ctx.log(
        Level::Info,
        format_args!(
            "{done} of {total} pairs at most, {rate:.1}/s, {left}, {cached} known, {} errors, {calls} calls, {tokens} tokens",
            failed + undecided
        ),
    );
}
