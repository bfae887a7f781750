//! What the reader of a score should know about the input: by kind, with file and block.

use std::collections::BTreeMap;

use autoscorer_plugin_api::prelude::*;

use crate::read::files::CommentFile;
use crate::read::input::{Input, Review};
use crate::read::vocabulary::List;
use crate::remarks::{self, ARTIFACT, Kind};

/// So many places of a kind are named; the artifact has them all.
const NAMED: usize = 20;
/// A terminal cuts warnings that name many more than this.
const SHOWN: usize = 5;

/// The places of a kind: the first by name, all by number.
#[derive(Default)]
struct Places {
    named: Vec<String>,
    count: usize,
}

/// Adds a warning for each kind of remark. Where there are many it says first how many, and where all of them are, if that
/// is written.
pub(crate) fn about_places(outcome: &mut Outcome, input: &Input, written: bool) {
    let mut kinds: BTreeMap<Kind, Places> = BTreeMap::new();
    for remark in remarks::of(input) {
        let places = kinds.entry(remark.kind).or_default();
        places.count += 1;
        if places.count <= NAMED {
            places.named.push(remark.place.to_string());
        }
    }
    for (kind, places) in kinds {
        let (code, what) = kind.words();
        let many = match (places.count, written) {
            (..=SHOWN, _) => String::new(),
            (count, true) => format!(" ({count} times, all in output/artifacts/{ARTIFACT})"),
            (count, false) => format!(" ({count} times)"),
        };
        let more = places.count - places.named.len();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        outcome.warn(code, format!("{what}{many}: {}{more}", places.named.join(", ")));
    }
}

/// Adds a warning for each comment file that takes no part.
pub(crate) fn about_files(outcome: &mut Outcome, files: &[CommentFile]) {
    for file in files.iter().filter(|file| file.skipped.is_some()) {
        let reason = file.skipped.as_deref().unwrap_or_default();
        outcome.warn("FILE_SKIPPED", format!("{} takes no part: {reason}", file.name));
    }
}

/// Adds a warning for words of the references that are on no list.
pub(crate) fn about_references(outcome: &mut Outcome, reviews: &[Review]) {
    let mut unknown: BTreeMap<(&str, &str), (usize, Option<&str>)> = BTreeMap::new();
    for review in reviews {
        let of_pull = [(List::PrCategory, &review.request.category), (List::Language, &review.request.language)];
        let of_comments = review.request.references.iter().flat_map(|reference| {
            [(List::CommentCategory, &reference.category), (List::CommentContext, &reference.context)]
        });
        for (list, word) in of_pull.into_iter().chain(of_comments) {
            if let Some(word) = word.as_deref().filter(|word| !list.has(word)) {
                unknown.entry((list.noun(), word)).or_insert_with(|| (0, list.nearest(word))).0 += 1;
            }
        }
    }
    for ((noun, word), (count, near)) in unknown {
        let hint = near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
        outcome.warn("UNKNOWN_WORD", format!("the {noun} {word:?} ({count} times) is on no list{hint}"));
    }
}
