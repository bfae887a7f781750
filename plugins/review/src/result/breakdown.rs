//! Breakdowns: the same counts by category and context of the references, and by language and category of the pull requests.

use indexmap::IndexMap;
use serde::Serialize;

use super::evaluation::{Case, Evaluation};
use super::rate::share;
use crate::read::vocabulary::List;

/// Counts by name, for each way to sort.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Breakdown {
    pub(crate) comment_category: Groups,
    pub(crate) comment_context: Groups,
    pub(crate) project_language: Groups,
    pub(crate) pr_category: Groups,
}

/// Counts by name: the names of the list in its order, then others.
pub(crate) type Groups = IndexMap<String, Group>;

/// How many references there are, how many have a comment at their place, how many one that means the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub(crate) struct Group {
    pub(crate) references: usize,
    pub(crate) located: usize,
    pub(crate) matched: usize,
    pub(crate) recall: f64,
}

impl Breakdown {
    /// Sorts the references of all selected pull requests.
    pub(crate) fn of(evaluation: &Evaluation) -> Self {
        let mut breakdown = Self {
            comment_category: named(List::CommentCategory),
            comment_context: named(List::CommentContext),
            project_language: named(List::Language),
            pr_category: named(List::PrCategory),
        };
        evaluation.cases.iter().filter(|case| case.is_selected()).for_each(|case| breakdown.add(case));
        for groups in breakdown.all_mut() {
            groups.retain(|_, group| group.references > 0);
            groups.values_mut().for_each(|group| group.recall = share(group.matched, group.references));
        }
        breakdown
    }

    fn add(&mut self, case: &Case) {
        let (located, matched) = (case.located(), case.matched());
        for (at, reference) in case.task.references.iter().enumerate() {
            let names = [&reference.category, &reference.context, &case.language, &case.category];
            for (groups, name) in self.all_mut().into_iter().zip(names) {
                let group = groups.entry(name.clone().unwrap_or_else(|| "not said".to_owned())).or_default();
                group.references += 1;
                group.located += usize::from(located[at]);
                group.matched += usize::from(matched[at]);
            }
        }
    }

    fn all_mut(&mut self) -> [&mut Groups; 4] {
        [&mut self.comment_category, &mut self.comment_context, &mut self.project_language, &mut self.pr_category]
    }
}

fn named(list: List) -> Groups {
    list.words().iter().map(|word| ((*word).to_owned(), Group::default())).collect()
}
