//! A dry run: how many pairs, calls and tokens a run would take, without asking anybody.

use std::collections::HashSet;

use autoscorer_judge::{Plan, Verdicts, estimate_embeddings, estimate_tokens};
use autoscorer_plugin_api::prelude::*;

use crate::config::{Config, Matcher};
use crate::matching::batch::{Batch, start_of};
use crate::matching::task::Task;
use crate::meaning::judging::{failed, notes};
use crate::meaning::lexical::{Lexical, THRESHOLD};

/// What a run would take.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Estimate {
    pub(crate) pairs: u64,
    /// Pairs whose verdict is remembered.
    pub(crate) known: u64,
    pub(crate) calls: u64,
    pub(crate) calls_most: u64,
    pub(crate) tokens: u64,
}

impl Estimate {
    /// Looks at what the matcher would be asked, and at what is remembered of it.
    pub(crate) fn of(tasks: &[Task], config: &Config, longest: usize) -> Result<Self, ScoreError> {
        let pairs = tasks.iter().map(Task::pairs).sum::<usize>() as u64;
        match config.matcher {
            Matcher::Llm => Self::of_verdicts(tasks, config, longest),
            Matcher::Embedding => {
                let (calls, tokens) = estimate_embeddings(&notes(tasks, longest), &config.judge).map_err(failed)?;
                Ok(Self { pairs, calls, calls_most: calls, tokens, ..Self::default() })
            }
            Matcher::Lexical | Matcher::None => Ok(Self { pairs, ..Self::default() }),
        }
    }

    /// Plays the run through. Where no verdict is remembered, the offline matcher's tells about how many pairs are asked.
    fn of_verdicts(tasks: &[Task], config: &Config, longest: usize) -> Result<Self, ScoreError> {
        let verdicts = Verdicts::look(&config.judge).map_err(failed)?;
        let votes = u64::from(config.judge.votes);
        let mut estimate = Self::at_most(tasks, &verdicts, votes, longest);
        let (mut batch, mut lexical) = (Batch::new(tasks, config.asked(), longest), Lexical::default());
        let mut asked = HashSet::new();
        while let Some(pair) = batch.next() {
            let (generated, reference) = batch.texts(pair);
            let judgement = verdicts.known(generated, reference).unwrap_or_else(|| {
                if asked.insert((generated.to_owned(), reference.to_owned())) {
                    estimate.calls += votes;
                    estimate.tokens += votes * estimate_tokens(generated, reference);
                }
                lexical.judge(generated, reference, THRESHOLD)
            });
            batch.take(pair, &judgement);
        }
        Ok(estimate)
    }

    /// The case in which every pair is asked; those of equal texts are asked once.
    fn at_most(tasks: &[Task], verdicts: &Verdicts, votes: u64, longest: usize) -> Self {
        let (mut estimate, mut unknown) = (Self::default(), HashSet::new());
        for (generated, reference) in tasks.iter().flat_map(Task::all_texts) {
            let texts = (start_of(generated, longest), start_of(reference, longest));
            estimate.pairs += 1;
            if verdicts.known(texts.0, texts.1).is_some() {
                estimate.known += 1;
            } else {
                unknown.insert(texts);
            }
        }
        Self { calls_most: unknown.len() as u64 * votes, ..estimate }
    }

    /// As an outcome; its score is the number of calls.
    pub(crate) fn outcome(&self, config: &Config) -> Outcome {
        let mut outcome = Outcome::new("calls", self.calls as f64, Direction::Lower);
        outcome
            .metric("calls_most", self.calls_most as f64)
            .metric("pairs", self.pairs as f64)
            .metric("pairs_known", self.known as f64)
            .metric("tokens", self.tokens as f64)
            .warn("DRY_RUN", "nobody was asked and nothing is scored; calls and tokens are estimates")
            .detail("dry_run", true)
            .detail("semantic_matcher_type", config.matcher.name());
        outcome
    }
}
