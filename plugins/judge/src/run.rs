//! A run: takes pairs from a plan, keeps the slots filled, and hands judgements back.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, timeout};

use crate::ask::Asker;
use crate::cache::Key;
use crate::error::JudgeError;
use crate::judgement::Judgement;
use crate::plan::Plan;
use crate::prompt;
use crate::runtime;
use crate::settings::Settings;
use crate::usage::{Progress, Reporter, Usage};
use crate::verdicts::Verdicts;

/// How often `stop` is asked while nothing happens.
pub(crate) const TICK: Duration = Duration::from_millis(50);
/// How long a stopped run waits for calls in flight.
pub(crate) const MOMENT: Duration = Duration::from_secs(2);

/// Judges the pairs of a plan. Blocks until nothing is in flight and the plan has no further pair, or until `stop` says
/// so: then what is in flight is still taken if it comes within a moment, and the rest stays unasked.
///
/// An error means that nobody could be asked. What befalls a single pair is its [`Judgement`]. Where all verdicts are
/// remembered, the model's name is all that has to be known.
pub fn judge(
    plan: &mut dyn Plan,
    settings: &Settings,
    stop: &(dyn Fn() -> bool + Sync),
    progress: &(dyn Fn(&Progress) + Sync),
) -> Result<Usage, JudgeError> {
    settings.check()?;
    let verdicts = Verdicts::open(settings.need_model()?, settings)?;
    let asker = settings.llm.as_ref().map(|endpoint| Asker::new(endpoint, settings)).transpose()?;
    let run = Run {
        plan,
        settings,
        asker: asker.map(Arc::new),
        verdicts,
        // Twice as many pairs as slots: while one waits to be asked again, another has its slot.
        open: settings.concurrency.saturating_mul(2),
        tasks: JoinSet::new(),
        waiting: HashMap::new(),
        judged: HashMap::new(),
        usage: Usage::default(),
        reporter: Reporter::new(progress),
    };
    runtime::block_on(move || run.go(stop))
}

struct Run<'r> {
    plan: &'r mut dyn Plan,
    settings: &'r Settings,
    /// Nobody, where the server's address is unknown.
    asker: Option<Arc<Asker>>,
    verdicts: Verdicts,
    open: usize,
    tasks: JoinSet<(Key, Result<Judgement, JudgeError>)>,
    /// Pairs in flight, by their texts; the first of each is the one that is asked.
    waiting: HashMap<Key, Vec<usize>>,
    /// What this run has judged, so that equal texts are not asked again.
    judged: HashMap<Key, Judgement>,
    usage: Usage,
    reporter: Reporter<'r>,
}

impl Run<'_> {
    async fn go(mut self, stop: &(dyn Fn() -> bool + Sync)) -> Result<Usage, JudgeError> {
        loop {
            self.fill(stop)?;
            if stop() {
                self.drain().await?;
                self.usage.stopped = !self.waiting.is_empty() || self.plan.next().is_some();
                break;
            }
            if self.tasks.is_empty() {
                break;
            }
            if let Ok(Some(joined)) = timeout(TICK, self.tasks.join_next()).await {
                self.settle(joined)?;
            }
            self.report(false);
        }
        self.usage.cache_error = self.verdicts.error();
        self.report(true);
        Ok(self.usage)
    }

    /// Takes pairs from the plan as long as there is room. What is known already is handed back at once.
    fn fill(&mut self, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), JudgeError> {
        while self.tasks.len() < self.open && !stop() {
            let Some(pair) = self.plan.next() else { break };
            self.reporter.total += 1;
            let (left, right) = self.plan.texts(pair);
            let key = self.verdicts.key(left, right);
            if let Some(known) = self.known(&key) {
                self.hand_back(pair, &known);
            } else if let Some(others) = self.waiting.get_mut(&key) {
                others.push(pair);
            } else {
                self.ask(pair, key)?;
            }
            self.report(false);
        }
        Ok(())
    }

    fn ask(&mut self, pair: usize, key: Key) -> Result<(), JudgeError> {
        let Some(asker) = self.asker.clone() else { return self.settings.need_llm().map(|_| ()) };
        let (left, right) = self.plan.texts(pair);
        let (left, right) = (prompt::shortened(left), prompt::shortened(right));
        self.waiting.insert(key.clone(), vec![pair]);
        self.tasks.spawn(async move { (key, asker.judge(&left, &right).await) });
        Ok(())
    }

    fn known(&mut self, key: &Key) -> Option<Judgement> {
        if let Some(judged) = self.judged.get(key) {
            self.usage.shared += 1;
            return Some(judged.shared());
        }
        let known = self.verdicts.get(key)?;
        self.usage.cached += 1;
        Some(known)
    }

    /// Takes what came of a call: on disk first, so that what the plan knows is never lost.
    fn settle(&mut self, joined: Result<(Key, Result<Judgement, JudgeError>), JoinError>) -> Result<(), JudgeError> {
        let (key, judgement) = joined.map_err(|error| JudgeError::Setup(error.to_string()))?;
        let judgement = judgement?;
        self.verdicts.put(&key, &judgement);
        for (place, pair) in self.waiting.remove(&key).unwrap_or_default().into_iter().enumerate() {
            if place == 0 {
                self.hand_back(pair, &judgement);
            } else {
                self.usage.shared += 1;
                self.hand_back(pair, &judgement.shared());
            }
        }
        self.judged.insert(key, judgement);
        Ok(())
    }

    fn hand_back(&mut self, pair: usize, judgement: &Judgement) {
        self.usage.count(judgement);
        self.plan.take(pair, judgement);
    }

    /// Lets calls in flight come to their end, for a moment, and begins no others.
    async fn drain(&mut self) -> Result<(), JudgeError> {
        let Some(asker) = self.asker.clone() else { return Ok(()) };
        asker.caller.pace.close();
        let deadline = Instant::now() + MOMENT;
        while asker.caller.pace.in_flight() > 0 && Instant::now() < deadline {
            if let Ok(Some(joined)) = timeout(TICK, self.tasks.join_next()).await {
                self.settle(joined)?;
            }
        }
        while let Some(joined) = self.tasks.try_join_next() {
            self.settle(joined)?;
        }
        Ok(())
    }

    fn report(&mut self, end: bool) {
        if let Some(asker) = &self.asker {
            (self.usage.calls, self.usage.retries) = asker.caller.counts();
        }
        self.reporter.tell(&self.usage, end);
    }
}
