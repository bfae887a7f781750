//! Vectors of texts: batches that have to be asked, several at once, each text once.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, timeout};

use crate::cache::{Cache, Key};
use crate::caller::{Caller, Cost};
use crate::client::Failure;
use crate::endpoint::{Endpoint, Service};
use crate::error::JudgeError;
use crate::prompt;
use crate::run::{MOMENT, TICK};
use crate::runtime;
use crate::settings::Settings;
use crate::usage::{Progress, Reporter, Usage};
use crate::vector;

/// Texts in one call, at most; a server that takes fewer gets fewer.
const BATCH: usize = 64;

/// The file that remembers vectors.
const NAME: &str = "vectors.jsonl";

/// Vectors in the order of the texts, and what they cost.
#[derive(Debug, Clone, Default)]
pub struct Embeddings {
    /// For each text its vector, or why there is none. The vector of a blank text is empty.
    pub vectors: Vec<Result<Vec<f32>, String>>,
    /// What they cost.
    pub usage: Usage,
}

/// How many calls, and about how many tokens, vectors of these texts take beyond those that are remembered. Asks nobody
/// and writes nothing.
pub fn estimate_embeddings(texts: &[String], settings: &Settings) -> Result<(u64, u64), JudgeError> {
    let model = settings.embedding.as_ref().map(Endpoint::model);
    let cache = Cache::<String>::look(settings.cache.as_deref(), NAME)?;
    let known = |text: &String| model.is_some_and(|model| cache.get(&Key::of(&[model, text])).is_some());
    let asked = || texts.iter().filter(|text| !text.trim().is_empty() && !known(text));
    Ok((asked().count().div_ceil(BATCH) as u64, asked().map(|text| prompt::tokens(text)).sum()))
}

/// Turns texts into vectors, in batches, several at once. Blocks until all are done or until `stop` says so.
pub fn embed(
    texts: &[String],
    settings: &Settings,
    stop: &(dyn Fn() -> bool + Sync),
    progress: &(dyn Fn(&Progress) + Sync),
) -> Result<Embeddings, JudgeError> {
    settings.check()?;
    let endpoint = settings.need_embedding()?;
    let unasked = Err("the run was stopped before this text was asked".to_owned());
    let mut run = Run {
        texts,
        model: endpoint.model().to_owned(),
        caller: Arc::new(Caller::new(endpoint, Service::Embeddings, settings)?),
        cache: Cache::open(settings.cache.as_deref(), NAME)?,
        open: settings.concurrency.saturating_mul(2),
        places: HashMap::new(),
        batches: Vec::new(),
        tasks: JoinSet::new(),
        result: Embeddings { vectors: vec![unasked; texts.len()], usage: Usage::default() },
        reporter: Reporter::new(progress),
    };
    run.sort_out();
    runtime::block_on(move || run.go(stop))
}

/// Texts of one call, with their keys.
type Batch = Vec<(Key, String)>;

/// What came of a batch.
struct Outcome {
    batch: Batch,
    cost: Cost,
    vectors: Result<Vec<Vec<f32>>, Failure>,
}

struct Run<'r> {
    texts: &'r [String],
    model: String,
    caller: Arc<Caller>,
    cache: Cache<String>,
    open: usize,
    /// Where each text that has to be asked stands.
    places: HashMap<Key, Vec<usize>>,
    batches: Vec<Batch>,
    tasks: JoinSet<Outcome>,
    result: Embeddings,
    reporter: Reporter<'r>,
}

impl Run<'_> {
    /// Finds what is known, what is there twice, and what has to be asked, in batches whose last one goes first.
    fn sort_out(&mut self) {
        let mut asked = Vec::new();
        for (place, text) in self.texts.iter().enumerate() {
            self.reporter.total += 1;
            let key = Key::of(&[&self.model, text]);
            if text.trim().is_empty() {
                // Many servers take an empty text for a mistake.
                self.settle(place, Ok(Vec::new()));
            } else if let Some(known) = self.cache.get(&key).and_then(|kept| vector::from_hex(kept)) {
                self.result.usage.cached += 1;
                self.settle(place, Ok(known));
            } else if let Some(places) = self.places.get_mut(&key) {
                places.push(place);
            } else {
                self.places.insert(key.clone(), vec![place]);
                asked.push((key, prompt::shortened(text)));
            }
        }
        self.batches = asked.chunks(BATCH).rev().map(<[_]>::to_vec).collect();
    }

    async fn go(mut self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Embeddings, JudgeError> {
        while !stop() {
            self.fill();
            if self.tasks.is_empty() {
                break;
            }
            if let Ok(Some(joined)) = timeout(TICK, self.tasks.join_next()).await {
                self.take(joined)?;
            }
            self.report(false);
        }
        self.result.usage.stopped = !self.tasks.is_empty() || !self.batches.is_empty();
        self.drain().await?;
        self.result.usage.cache_error = self.cache.error();
        self.report(true);
        Ok(self.result)
    }

    fn fill(&mut self) {
        while self.tasks.len() < self.open {
            let Some(batch) = self.batches.pop() else { return };
            let caller = Arc::clone(&self.caller);
            let input: Vec<&str> = batch.iter().map(|(_, text)| text.as_str()).collect();
            let body = serde_json::json!({"model": self.model, "input": input, "encoding_format": "float"});
            self.tasks.spawn(async move {
                let mut cost = Cost::default();
                let read = |value: &_| Some((vector::read(value, batch.len())?, vector::tokens(value)));
                let answer = caller.call(&body, &mut cost, read).await;
                let vectors = answer.map(|(vectors, tokens)| {
                    cost.tokens = tokens.unwrap_or_else(|| batch.iter().map(|(_, text)| prompt::tokens(text)).sum());
                    vectors
                });
                Outcome { batch, cost, vectors }
            });
        }
    }

    fn take(&mut self, joined: Result<Outcome, JoinError>) -> Result<(), JudgeError> {
        let Outcome { batch, cost, vectors } = joined.map_err(|error| JudgeError::Setup(error.to_string()))?;
        self.result.usage.tokens += cost.tokens;
        match vectors {
            Ok(vectors) => batch.into_iter().zip(vectors).for_each(|((key, _), vector)| {
                self.cache.put(&key, &vector::to_hex(&vector));
                self.give(&key, &Ok(vector));
            }),
            Err(Failure::Refused(message)) if !self.caller.pace.is_proven() => {
                return Err(JudgeError::Refused { message });
            }
            // Too many texts for this server, or one that it cannot take: the others should not suffer.
            Err(Failure::Rejected(_)) if batch.len() > 1 => {
                let (first, second) = batch.split_at(batch.len() / 2);
                self.batches.extend([second.to_vec(), first.to_vec()]);
            }
            Err(failure) => batch.iter().for_each(|(key, _)| self.give(key, &Err(failure.message().to_owned()))),
        }
        Ok(())
    }

    /// Puts a vector wherever its text stands.
    fn give(&mut self, key: &Key, vector: &Result<Vec<f32>, String>) {
        for (nth, place) in self.places.remove(key).unwrap_or_default().into_iter().enumerate() {
            self.result.usage.shared += u64::from(nth > 0);
            self.settle(place, vector.clone());
        }
    }

    fn settle(&mut self, place: usize, vector: Result<Vec<f32>, String>) {
        self.result.usage.done += 1;
        self.result.usage.failed += u64::from(vector.is_err());
        self.result.vectors[place] = vector;
    }

    /// Lets calls in flight come to their end, for a moment, and begins no others.
    async fn drain(&mut self) -> Result<(), JudgeError> {
        self.caller.pace.close();
        let deadline = Instant::now() + MOMENT;
        while self.caller.pace.in_flight() > 0 && Instant::now() < deadline {
            if let Ok(Some(joined)) = timeout(TICK, self.tasks.join_next()).await {
                self.take(joined)?;
            }
        }
        Ok(())
    }

    fn report(&mut self, end: bool) {
        (self.result.usage.calls, self.result.usage.retries) = self.caller.counts();
        self.reporter.tell(&self.result.usage, end);
    }
}
