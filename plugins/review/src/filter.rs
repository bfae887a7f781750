//! The filters: which pull requests and which references take part.

use std::collections::BTreeMap;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::faults::Faults;
use serde::Serialize;

use crate::params::ReviewParams;
use crate::read::files::CommentFile;
use crate::read::input::{Input, Review};
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

    /// A filter that leaves no pull request, none with a comment file, or no reference is a mistake, and no score of 0.
    pub(crate) fn check(&self, input: &Input) -> Result<(), ScoreError> {
        let all = &input.reviews;
        let left: Vec<&Review> = all.iter().filter(|review| self.has_pull(&review.request)).collect();
        if left.is_empty() {
            return Err(leaves_none(self.of_pulls(), &format!("{} pull requests", all.len()), all.iter()));
        }
        let spoken = |review: &&Review| review.file.is_some_and(|file| CommentFile::speaks(&input.files[file]));
        if !left.iter().any(spoken) {
            let with_file: Vec<&Review> = all.iter().filter(spoken).collect();
            let what = format!("{} pull requests with a comment file", with_file.len());
            return Err(leaves_none(self.of_pulls(), &what, with_file.into_iter()));
        }
        let mut references = left.iter().flat_map(|review| &review.request.references).peekable();
        if references.peek().is_some() && !references.any(|reference| self.has_reference(reference)) {
            let count = left.iter().map(|review| review.request.references.len()).sum::<usize>();
            return Err(leaves_none(self.of_references(), &format!("{count} references"), left.into_iter()));
        }
        Ok(())
    }

    fn of_pulls(&self) -> [Sieve<'_>; 2] {
        [
            Sieve::new("pr_categories", &self.pr_categories, |pull| vec![pull.category.as_deref()]),
            Sieve::new("project_languages", &self.project_languages, |pull| vec![pull.language.as_deref()]),
        ]
    }

    fn of_references(&self) -> [Sieve<'_>; 2] {
        [
            Sieve::new("comment_categories", &self.comment_categories, |pull| {
                pull.references.iter().map(|reference| reference.category.as_deref()).collect()
            }),
            Sieve::new("comment_contexts", &self.comment_contexts, |pull| {
                pull.references.iter().map(|reference| reference.context.as_deref()).collect()
            }),
        ]
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

/// One of the filters, as an error tells of it.
struct Sieve<'f> {
    param: &'static str,
    words: Option<&'f Vec<String>>,
    /// The words of a pull request that it looks at.
    looks_at: LooksAt,
}

type LooksAt = fn(&PullRequest) -> Vec<Option<&str>>;

impl<'f> Sieve<'f> {
    fn new(param: &'static str, words: &'f Option<Vec<String>>, looks_at: LooksAt) -> Self {
        Self { param, words: words.as_ref(), looks_at }
    }
}

/// Says which filters leave none, and what there is instead.
fn leaves_none<'i>(
    sieves: [Sieve<'_>; 2],
    what: &str,
    reviews: impl Iterator<Item = &'i Review> + Clone,
) -> ScoreError {
    let (mut asked, mut found) = (Vec::new(), Vec::new());
    for Sieve { param, words, looks_at } in sieves {
        let Some(words) = words else { continue };
        asked.push(format!("params.{param} {words:?}"));
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for word in reviews.clone().flat_map(|review| looks_at(&review.request)) {
            *counts.entry(word.unwrap_or("none")).or_default() += 1;
        }
        found.extend(counts.into_iter().map(|(word, count)| format!("{word} ({count})")));
    }
    let message = format!("{} leaves none of the {what}, so there is no score", asked.join(" with "));
    ScoreError::new(ErrorCode::Mismatch, message)
        .found(found.join(", "))
        .hint("leave a filter out, or give it one of the words that there are")
}

fn passes(words: Option<&Vec<String>>, word: Option<&String>) -> bool {
    words.is_none_or(|words| word.is_some_and(|word| words.contains(word)))
}
