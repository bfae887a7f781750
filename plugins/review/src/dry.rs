//! A dry run: how many pairs, calls and tokens a run would take, without asking anybody.

use autoscorer_judge::{Plan, estimate_embeddings, estimate_tokens};
use autoscorer_plugin_api::prelude::*;

use crate::config::{Config, Matcher};
use crate::matching::batch::Batch;
use crate::matching::task::Task;
use crate::meaning::judging::notes;
use crate::meaning::lexical::{Lexical, THRESHOLD};

/// What a run would take.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Estimate {
    pub(crate) pairs: u64,
    pub(crate) calls: u64,
    pub(crate) calls_most: u64,
    pub(crate) tokens: u64,
}

impl Estimate {
    /// Plays the run through with the offline matcher's verdicts, which tell about how many pairs are asked.
    pub(crate) fn of(tasks: &[Task], config: &Config, longest: usize, votes: u64) -> Self {
        let mut batch = Batch::new(tasks, config.asked(), longest);
        let (pairs, mut lexical, mut played) = (batch.open() as u64, Lexical::default(), Self::default());
        while let Some(pair) = batch.next() {
            let (generated, reference) = batch.texts(pair);
            played.calls += votes;
            played.tokens += votes * estimate_tokens(generated, reference);
            let judgement = lexical.judge(generated, reference, THRESHOLD);
            batch.take(pair, &judgement);
        }
        match config.matcher {
            Matcher::Llm => Self { pairs, calls_most: pairs * votes, ..played },
            Matcher::Embedding => {
                let (calls, tokens) = estimate_embeddings(&notes(tasks, longest));
                Self { pairs, calls, calls_most: calls, tokens }
            }
            Matcher::Lexical | Matcher::None => Self { pairs, ..Self::default() },
        }
    }

    /// As an outcome; its score is the number of calls.
    pub(crate) fn outcome(&self, config: &Config) -> Outcome {
        let mut outcome = Outcome::new("calls", self.calls as f64, Direction::Lower);
        outcome
            .metric("calls_most", self.calls_most as f64)
            .metric("pairs", self.pairs as f64)
            .metric("tokens", self.tokens as f64)
            .warn("DRY_RUN", "nobody was asked and nothing is scored; calls and tokens are estimates")
            .detail("dry_run", true)
            .detail("semantic_matcher_type", config.matcher.name());
        outcome
    }
}
