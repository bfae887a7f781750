//! What the reader of a score should know about the input: by kind, with file and block.

use std::collections::BTreeMap;

use autoscorer_plugin_api::prelude::*;

use crate::read::files::CommentFile;
use crate::read::input::Review;
use crate::read::tagged::Odd;
use crate::read::vocabulary::List;

/// So many places of a kind are named; the rest is counted.
const NAMED: usize = 20;

/// Adds a warning for each kind of oddity in the comment files.
pub(crate) fn about_files(outcome: &mut Outcome, files: &[CommentFile]) {
    let mut places: BTreeMap<Odd, Vec<String>> = BTreeMap::new();
    for file in files {
        for odd in &file.tagged.oddities {
            let place = format!("{} block {} (line {})", file.name, odd.block, odd.line);
            places.entry(odd.kind).or_default().push(place);
        }
    }
    for (odd, places) in places {
        let (code, what) = words(odd);
        outcome.warn(code, format!("{what}: {}", listed(&places)));
    }
    for file in files.iter().filter(|file| file.skipped.is_some()) {
        let reason = file.skipped.as_deref().unwrap_or_default();
        outcome.warn("FILE_SKIPPED", format!("{} takes no part: {reason}", file.name));
    }
}

/// Adds a warning for files that the manifest names and that are not there.
pub(crate) fn about_manifest(outcome: &mut Outcome, absent: &[String]) {
    if !absent.is_empty() {
        let what = "input/manifest.json names files that are not there";
        outcome.warn("FILE_ABSENT", format!("{what}: {}", listed(absent)));
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

/// Adds a warning for references that are hard or impossible to match.
pub(crate) fn about_places(outcome: &mut Outcome, reviews: &[Review]) {
    let (mut reversed, mut wild) = (Vec::new(), Vec::new());
    for review in reviews {
        for reference in &review.request.references {
            let name = || format!("{} comment {}", review.request.pull.url, reference.index);
            match reference.place.range() {
                Some((from, to)) if from > to => reversed.push(name()),
                Some(_) if reference.place.has_path() => {}
                _ => wild.push(name()),
            }
        }
    }
    if !reversed.is_empty() {
        let what = "references whose range ends before it begins; only the strict profile matches inside it";
        outcome.warn("REFERENCE_REVERSED", format!("{what}: {}", listed(&reversed)));
    }
    if !wild.is_empty() {
        let what = "references without path or lines, which match everything, but for the strict profile";
        outcome.warn("REFERENCE_ANYWHERE", format!("{what}: {}", listed(&wild)));
    }
}

fn listed(places: &[String]) -> String {
    let named = places[..places.len().min(NAMED)].join(", ");
    if places.len() > NAMED { format!("{named} and {} more", places.len() - NAMED) } else { named }
}

fn words(odd: Odd) -> (&'static str, &'static str) {
    match odd {
        Odd::NoNote => ("BLOCK_WITHOUT_NOTE", "no <note>, so no comment"),
        Odd::UnclosedNote => ("BLOCK_WITHOUT_NOTE", "a <note> that is never closed, so no comment"),
        Odd::EmptyNote => ("BLOCK_WITHOUT_NOTE", "an empty <note>, so no comment"),
        Odd::SecondComment => ("COMMENT_LOST", "a second <note> without <notesplit /> before it, which is lost"),
        Odd::NoPath => ("NO_PATH", "no path: matches every file, but for the strict profile, where it matches none"),
        Odd::PathPrefix => {
            ("PATH_PREFIX", "a path that begins like one in a diff; only the strict profile looks behind a/, b/ and ./")
        }
        Odd::NoSide => ("NO_SIDE", "no side: matches nothing, but for the strict profile"),
        Odd::UnknownSide => (
            "UNKNOWN_SIDE",
            "a side that is neither left nor right: matches nothing, but for the strict profile, which ignores case",
        ),
        Odd::NoLines => {
            ("NO_LINES", "no line, or line 0: matches every line, but for the strict profile, where it matches none")
        }
        Odd::NotALine => ("NOT_A_LINE", "something that is no line number, which counts as none"),
        Odd::ReversedRange => (
            "REVERSED_RANGE",
            "a range that ends before it begins: matches near its ends only, but for the strict profile, which puts it right",
        ),
        Odd::LineBeyondFiles => ("LINE_BEYOND_FILES", "a line that no file has"),
    }
}
