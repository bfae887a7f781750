//! Plans for the tests: a list of pairs, all ready or each waiting for the one before.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::time::Duration;

use autoscorer_judge::{Endpoint, JudgeError, Judgement, Plan, Settings, Usage, Verdict, judge};

/// Pairs, and what came of them.
pub struct Pairs {
    pairs: Vec<(String, String)>,
    given: usize,
    chained: bool,
    pub judgements: Vec<Option<Judgement>>,
}

impl Pairs {
    pub fn new<T: Into<String>>(pairs: impl IntoIterator<Item = (T, T)>) -> Self {
        let pairs: Vec<_> = pairs.into_iter().map(|(left, right)| (left.into(), right.into())).collect();
        Self { given: 0, chained: false, judgements: vec![None; pairs.len()], pairs }
    }

    /// Pairs that differ from each other; every second one means the same.
    pub fn many(count: usize) -> Self {
        let other = |i: usize| if i.is_multiple_of(2) { "lock" } else { "leak" };
        Self::new((0..count).map(|i| (format!("lock {i}"), format!("{} again {i}", other(i)))))
    }

    /// The same, but each pair has to wait for the verdict of the one before.
    pub fn chained(self) -> Self {
        Self { chained: true, ..self }
    }

    pub fn verdicts(&self) -> Vec<Option<Verdict>> {
        self.judgements.iter().map(|judgement| judgement.as_ref().map(|judgement| judgement.verdict)).collect()
    }

    pub fn of(&self, pair: usize) -> &Judgement {
        self.judgements[pair].as_ref().unwrap()
    }

    pub fn judge(&mut self, settings: &Settings) -> Result<Usage, JudgeError> {
        judge(self, settings, &|| false, &|_| {})
    }

    /// Asserts that every pair of [`Pairs::many`] has its true verdict.
    pub fn assert_true(&self) {
        let expected = |i: usize| Some(if i.is_multiple_of(2) { Verdict::Same } else { Verdict::Different });
        assert_eq!(self.verdicts(), (0..self.pairs.len()).map(expected).collect::<Vec<_>>());
    }
}

impl Plan for Pairs {
    fn next(&mut self) -> Option<usize> {
        let ready = !self.chained || self.given == 0 || self.judgements[self.given - 1].is_some();
        (ready && self.given < self.pairs.len()).then(|| {
            self.given += 1;
            self.given - 1
        })
    }

    fn texts(&self, pair: usize) -> (&str, &str) {
        (&self.pairs[pair].0, &self.pairs[pair].1)
    }

    fn take(&mut self, pair: usize, judgement: &Judgement) {
        assert!(self.judgements[pair].replace(judgement.clone()).is_none(), "pair {pair} came back twice");
    }
}

/// The key that must never be seen.
pub const KEY: &str = "sk-never-shown";

/// Settings for a server, with pauses that no test has to wait for.
pub fn settings(url: &str) -> Settings {
    Settings {
        llm: Some(Endpoint::llm(url, "judge", Some(KEY)).unwrap()),
        embedding: Some(Endpoint::embedding(url, "vectors", Some(KEY)).unwrap()),
        pause: Duration::from_millis(1),
        ..Settings::default()
    }
}
