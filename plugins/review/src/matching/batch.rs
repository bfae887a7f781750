//! A batch: all tasks side by side, as a plan for a judge. Pairs with the longest chain behind them come first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use autoscorer_judge::{Judgement, Plan, Verdict};

use super::schedule::Schedule;
use super::task::{Judgements, Task};

/// Which pairs of a task are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Those that the sequential procedure comes to.
    InTurn,
    /// All at the same place.
    All,
}

/// The tasks of a run with what is known so far.
pub(crate) struct Batch<'t> {
    tasks: &'t [Task],
    /// Empty where all pairs are judged.
    schedules: Vec<Schedule>,
    ready: BinaryHeap<Ready>,
    /// Every pair that was given out: task, comment, reference.
    given: Vec<(usize, u32, u32)>,
    judgements: Vec<Judgements>,
    open: usize,
    /// So many characters of a note are shown to the judge.
    longest: usize,
}

/// Longer chains first, then the order of the files.
type Ready = (u32, Reverse<(usize, u32, u32)>);

impl<'t> Batch<'t> {
    /// All tasks, nothing judged.
    pub(crate) fn new(tasks: &'t [Task], asked: Asked, longest: usize) -> Self {
        let mut batch = Self {
            tasks,
            schedules: Vec::new(),
            ready: BinaryHeap::new(),
            given: Vec::new(),
            judgements: tasks.iter().map(|_| Judgements::new()).collect(),
            open: tasks.iter().map(Task::pairs).sum(),
            longest,
        };
        if asked == Asked::InTurn {
            batch.schedules = tasks.iter().map(Schedule::new).collect();
            (0..tasks.len()).for_each(|task| batch.collect(task));
        } else {
            batch.ready = tasks.iter().enumerate().flat_map(all_pairs).collect();
        }
        batch
    }

    /// The most pairs that may still be asked, those in flight included.
    pub(crate) fn open(&self) -> usize {
        self.open
    }

    /// What is known of each task.
    pub(crate) fn into_judgements(self) -> Vec<Judgements> {
        self.judgements
    }

    fn collect(&mut self, task: usize) {
        while let Some(((comment, reference), chain)) = self.schedules[task].pop_ready() {
            self.ready.push((chain, Reverse((task, comment, reference))));
        }
    }
}

fn all_pairs((at, task): (usize, &Task)) -> impl Iterator<Item = Ready> {
    task.candidates.iter().enumerate().flat_map(move |(comment, references)| {
        references.iter().map(move |reference| (0, Reverse((at, comment as u32, *reference))))
    })
}

/// The first characters of a text.
pub(crate) fn start_of(text: &str, longest: usize) -> &str {
    text.char_indices().nth(longest).map_or(text, |(end, _)| &text[..end])
}

impl Plan for Batch<'_> {
    fn next(&mut self) -> Option<usize> {
        let (_, Reverse(pair)) = self.ready.pop()?;
        self.given.push(pair);
        Some(self.given.len() - 1)
    }

    fn texts(&self, pair: usize) -> (&str, &str) {
        let (task, comment, reference) = self.given[pair];
        let (generated, reference) = self.tasks[task].texts(comment, reference);
        (start_of(generated, self.longest), start_of(reference, self.longest))
    }

    fn take(&mut self, pair: usize, judgement: &Judgement) {
        let (task, comment, reference) = self.given[pair];
        self.judgements[task].insert((comment, reference), judgement.clone());
        if let Some(schedule) = self.schedules.get_mut(task) {
            schedule.take(comment, judgement.verdict == Verdict::Same);
            self.collect(task);
        }
        self.open -= 1;
    }
}
