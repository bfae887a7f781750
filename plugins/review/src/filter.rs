//! The filters: which pull requests and which references take part.

use autoscorer_plugin_api::faults::Faults;
use serde::Serialize;

use crate::params::ReviewParams;
use crate::read::reference::{PullRequest, Reference};
use crate::read::vocabulary::List;

/// Words that are let through, for each list that was given; a list that was not given lets all through.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Filter {
    pub(crate) pr_categories: Option<Vec<String>>,
    pub(crate) project_languages: Option<Vec<String>>,
    pub(crate) comment_categories: Option<Vec<String>>,
    pub(crate) comment_contexts: Option<Vec<String>>,
}

impl Filter {
    /// The filter that the parameters ask for; words that are on no list are faults.
    pub(crate) fn of(params: &ReviewParams) -> Result<Self, Faults> {
        let mut faults = Faults::none();
        let mut checked = |name: &str, list: List, words: &Vec<String>| {
            for word in words.iter().filter(|word| !list.has(word)) {
                faults.push(list.unknown(name, word));
            }
            (!words.is_empty()).then(|| words.clone())
        };
        let filter = Self {
            pr_categories: checked("pr_categories", List::PrCategory, &params.pr_categories),
            project_languages: checked("project_languages", List::Language, &params.project_languages),
            comment_categories: checked("comment_categories", List::CommentCategory, &params.comment_categories),
            comment_contexts: checked("comment_contexts", List::CommentContext, &params.comment_contexts),
        };
        faults.into_result().map(|()| filter)
    }

    /// Whether anything is left out at all.
    pub(crate) fn is_given(&self) -> bool {
        *self != Self::default()
    }

    /// Whether references are left out. Comments cannot be, so what they find among the rest counts as wrong.
    pub(crate) fn leaves_references_out(&self) -> bool {
        self.comment_categories.is_some() || self.comment_contexts.is_some()
    }

    /// Whether a pull request takes part.
    pub(crate) fn has_pull(&self, pull: &PullRequest) -> bool {
        passes(self.pr_categories.as_ref(), pull.category.as_ref())
            && passes(self.project_languages.as_ref(), pull.language.as_ref())
    }

    /// Whether a reference takes part.
    pub(crate) fn has_reference(&self, reference: &Reference) -> bool {
        passes(self.comment_categories.as_ref(), reference.category.as_ref())
            && passes(self.comment_contexts.as_ref(), reference.context.as_ref())
    }
}

fn passes(words: Option<&Vec<String>>, word: Option<&String>) -> bool {
    words.is_none_or(|words| word.is_some_and(|word| words.contains(word)))
}
