//! An evaluation: what became of every pull request of the references.

use autoscorer_judge::{Judgement, Usage, Verdict};
use autoscorer_plugin_api::prelude::*;

use crate::config::Config;
use crate::matching::batch::Batch;
use crate::matching::location::Rule;
use crate::matching::sequential::{self, Found};
use crate::matching::strict;
use crate::matching::task::{Judgements, Task};
use crate::meaning::judging;
use crate::params::Profile;
use crate::read::comment::Comment;
use crate::read::input::{Input, Review};
use crate::read::pull::Pull;
use crate::result::beside::Beside;

/// What became of everything.
pub(crate) struct Evaluation {
    /// One for each pull request, in the order of the references.
    pub(crate) cases: Vec<Case>,
    /// Pairs judged, calls, tokens.
    pub(crate) usage: Usage,
}

/// What became of one pull request.
pub(crate) struct Case {
    pub(crate) pull: Pull,
    pub(crate) category: Option<String>,
    pub(crate) language: Option<String>,
    /// The name of its comment file.
    pub(crate) file: Option<String>,
    /// Why it takes no part in the document's totals.
    pub(crate) skipped: Option<Skip>,
    /// References before the filter, and after.
    pub(crate) references: (usize, usize),
    /// Comments that are left out with their pull request.
    pub(crate) comments_filtered: usize,
    pub(crate) task: Task,
    pub(crate) judgements: Judgements,
    /// What became of each comment of the task.
    pub(crate) found: Vec<Found>,
    /// What the strict profile says.
    pub(crate) strict: Beside,
    /// The best one-to-one assignment over the document's own candidates.
    pub(crate) optimal: Beside,
    /// For each comment of the task the index of the negative sample it repeats.
    pub(crate) false_alarms: Vec<Option<usize>>,
    /// How many comments are known to be wrong.
    pub(crate) negatives: usize,
    /// What was judged about those.
    alarm_judgements: Judgements,
}

/// Why a pull request takes no part in the document's totals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Skip {
    /// A filter leaves it out; it counts nowhere.
    Filtered,
    /// Nothing was said about it; all its references are missed.
    Silent,
}

impl Case {
    /// Whether it counts in the totals of all selected pull requests.
    pub(crate) fn is_selected(&self) -> bool {
        self.skipped != Some(Skip::Filtered)
    }

    /// How many comments are the first at a reference's place.
    pub(crate) fn line_matches(&self) -> usize {
        self.found.iter().filter(|found| found.line).count()
    }

    /// How many comments mean the same as a reference.
    pub(crate) fn matches(&self) -> usize {
        self.found.iter().filter(|found| found.meaning).count()
    }

    /// For each reference whether a comment is at its place.
    pub(crate) fn located(&self) -> Vec<bool> {
        let mut located = vec![false; self.task.references.len()];
        self.task.candidates.iter().flatten().for_each(|reference| located[*reference as usize] = true);
        located
    }

    /// For each reference whether a comment means the same.
    pub(crate) fn matched(&self) -> Vec<bool> {
        let mut matched = vec![false; self.task.references.len()];
        let meant = self.found.iter().filter(|found| found.meaning).filter_map(|found| found.reference);
        meant.for_each(|reference| matched[reference as usize] = true);
        matched
    }

    /// Every judgement that was asked for.
    pub(crate) fn all_judgements(&self) -> impl Iterator<Item = &Judgement> {
        self.judgements.values().chain(self.alarm_judgements.values())
    }
}

impl Evaluation {
    /// Matches everything.
    pub(crate) fn of(ctx: &Context<'_>, config: &Config, input: Input, longest: usize) -> Result<Self, ScoreError> {
        let names: Vec<String> = input.files.into_iter().map(|file| file.name).collect();
        let mut tasks = Vec::new();
        let mut rest = Vec::new();
        for mut review in input.reviews {
            tasks.push(task(&mut review, config));
            rest.push(review);
        }
        let (judgements, mut usage) = judged(ctx, config, &tasks, longest)?;
        let mut cases: Vec<Case> = Vec::new();
        let mut alarms = Vec::new();
        for ((task, judgements), review) in tasks.into_iter().zip(judgements).zip(rest) {
            let found = matched(&task, config, &judgements);
            alarms.push(alarm_task(&task, &found, &review, config));
            cases.push(Case::of(review, task, judgements, found, &names, config));
        }
        let (judgements, more) = judged(ctx, config, &alarms, longest)?;
        for ((case, task), judgements) in cases.iter_mut().zip(&alarms).zip(judgements) {
            case.note_alarms(task, &matched(task, config, &judgements));
            case.alarm_judgements = judgements;
        }
        add(&mut usage, &more);
        Ok(Self { cases, usage })
    }

    /// Pairs asked for, and those of them that got neither yes nor no.
    pub(crate) fn asked(&self) -> (usize, usize) {
        let all = || self.cases.iter().flat_map(Case::all_judgements);
        (all().count(), all().filter(|judgement| !judgement.verdict.is_decided()).count())
    }
}

impl Case {
    fn of(
        review: Review,
        task: Task,
        judgements: Judgements,
        found: Vec<Found>,
        names: &[String],
        config: &Config,
    ) -> Self {
        let kept = review.request.references.iter().filter(|one| config.filter.has_reference(one)).count();
        let skipped = match (config.filter.has_pull(&review.request), task.comments.is_empty()) {
            (false, _) => Some(Skip::Filtered),
            (_, true) => Some(Skip::Silent),
            _ => None,
        };
        Self {
            strict: Beside::of(&task, &judgements, config, Rule::Normalised),
            optimal: Beside::of(&task, &judgements, config, Rule::Document),
            false_alarms: vec![None; task.comments.len()],
            alarm_judgements: Judgements::new(),
            references: (review.request.references.len(), kept),
            comments_filtered: review.comments.len(),
            pull: review.request.pull,
            category: review.request.category,
            language: review.request.language,
            file: review.file.map(|file| names[file].clone()),
            negatives: review.negatives.len(),
            skipped,
            task,
            judgements,
            found,
        }
    }

    fn note_alarms(&mut self, task: &Task, found: &[Found]) {
        let numbers: Vec<usize> = self.task.comments.iter().map(|comment| comment.number).collect();
        for (comment, found) in task.comments.iter().zip(found).filter(|(_, found)| found.meaning) {
            if let (Ok(at), Some(negative)) = (numbers.binary_search(&comment.number), found.reference) {
                self.false_alarms[at] = Some(task.references[negative as usize].index);
            }
        }
    }
}

/// A filtered pull request has an empty task, so that nothing is asked about it; its comments stay where they are.
pub(crate) fn task(review: &mut Review, config: &Config) -> Task {
    let selected = config.filter.has_pull(&review.request);
    let comments = if selected { std::mem::take(&mut review.comments) } else { Vec::new() };
    let chosen = review.request.references.iter().filter(|one| selected && config.filter.has_reference(one));
    Task::new(comments, chosen.cloned().collect(), config.identity(), config.rule, config.line_distance)
}

/// What the comments that found nothing have in common with those known to be wrong.
fn alarm_task(task: &Task, found: &[Found], review: &Review, config: &Config) -> Task {
    let negatives = if config.by_meaning() { review.negatives.clone() } else { Vec::new() };
    let idle = task.comments.iter().zip(found).filter(|(_, found)| !negatives.is_empty() && !found.meaning);
    let comments: Vec<Comment> = idle.map(|(comment, _)| comment.clone()).collect();
    Task::new(comments, negatives, config.identity(), config.rule, config.line_distance)
}

fn judged(
    ctx: &Context<'_>,
    config: &Config,
    tasks: &[Task],
    longest: usize,
) -> Result<(Vec<Judgements>, Usage), ScoreError> {
    let mut batch = Batch::new(tasks, config.asked(), longest);
    let usage = judging::run(ctx, config, tasks, &mut batch, longest)?;
    Ok((batch.into_judgements(), usage))
}

fn matched(task: &Task, config: &Config, judgements: &Judgements) -> Vec<Found> {
    let same = |comment: u32, reference: u32| {
        judgements.get(&(comment, reference)).is_some_and(|judgement| judgement.verdict == Verdict::Same)
    };
    match config.profile {
        Profile::Strict => strict::run(task, &task.candidates, config.by_meaning(), same),
        Profile::Corrected | Profile::Upstream => sequential::run(task, config.by_meaning(), same),
    }
}

fn add(usage: &mut Usage, more: &Usage) {
    usage.done += more.done;
    usage.calls += more.calls;
    usage.cached += more.cached;
    usage.shared += more.shared;
    usage.retries += more.retries;
    usage.tokens += more.tokens;
    usage.undecided += more.undecided;
    usage.failed += more.failed;
}
