//! Remarks: every place of the input that a warning counts, the complete list of which is an artifact.

use std::io;

use autoscorer_plugin_api::prelude::*;
use serde::Serialize;

use crate::read::input::{Input, Review};
use crate::read::tagged::Odd;

/// The artifact that lists every remark, one a line.
pub(crate) const ARTIFACT: &str = "warnings.jsonl";

/// Something at one place that its author has hardly meant.
#[derive(Debug, Serialize)]
pub(crate) struct Remark<'i> {
    #[serde(flatten)]
    pub(crate) place: Place<'i>,
    #[serde(flatten, serialize_with = "words")]
    pub(crate) kind: Kind,
}

/// What the remarks of one warning have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Odd(Odd),
    FileAbsent,
    CharacterReplaced,
    ReferenceReversed,
    ReferenceAnywhere,
}

/// Where it is.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Place<'i> {
    Block { file: &'i str, block: usize, line: usize },
    File { file: &'i str },
    Line { file: &'i str, line: usize },
    Reference { pull_request: &'i str, comment: usize },
}

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Block { file, block, line } => write!(f, "{file} block {block} (line {line})"),
            Self::File { file } => f.write_str(file),
            Self::Line { file, line } => write!(f, "{file} line {line}"),
            Self::Reference { pull_request, comment } => write!(f, "{pull_request} comment {comment}"),
        }
    }
}

/// All of an input, file by file.
pub(crate) fn of(input: &Input) -> impl Iterator<Item = Remark<'_>> {
    let blocks = input.files.iter().flat_map(|file| {
        file.tagged.oddities.iter().map(|odd| Remark {
            place: Place::Block { file: &file.name, block: odd.block, line: odd.line },
            kind: Kind::Odd(odd.kind),
        })
    });
    let absent = input.absent.iter().map(|file| Remark { place: Place::File { file }, kind: Kind::FileAbsent });
    let mended = input
        .mended
        .iter()
        .map(|(file, line)| Remark { place: Place::Line { file, line: *line }, kind: Kind::CharacterReplaced });
    blocks.chain(absent).chain(mended).chain(input.reviews.iter().flat_map(of_references))
}

/// References that are hard or impossible to match.
fn of_references(review: &Review) -> impl Iterator<Item = Remark<'_>> {
    let pull_request = review.request.pull.url.as_str();
    review.request.references.iter().filter_map(move |reference| {
        let kind = match reference.place.range() {
            Some((from, to)) if from > to => Kind::ReferenceReversed,
            Some(_) if reference.place.has_path() => return None,
            _ => Kind::ReferenceAnywhere,
        };
        Some(Remark { place: Place::Reference { pull_request, comment: reference.index }, kind })
    })
}

/// Writes the complete list, if there is anything to remark.
pub(crate) fn write(ctx: &Context<'_>, input: &Input) -> Result<(), ScoreError> {
    if of(input).next().is_none() {
        return Ok(());
    }
    ctx.artifact(ARTIFACT, "application/x-ndjson", |file| {
        of(input).try_for_each(|remark| {
            serde_json::to_writer(&mut *file, &remark).map_err(io::Error::from)?;
            file.write_all(b"\n")
        })
    })
}

fn words<S: serde::Serializer>(kind: &Kind, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Words {
        code: &'static str,
        what: &'static str,
    }
    let (code, what) = kind.words();
    Words { code, what }.serialize(serializer)
}

impl Kind {
    /// The code of its warning, and what is the matter.
    pub(crate) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Odd(odd) => of_odd(odd),
            Self::FileAbsent => ("FILE_ABSENT", "input/manifest.json names files that are not there"),
            Self::CharacterReplaced => {
                ("CHARACTER_REPLACED", "half of a surrogate pair, which is no character and is read as U+FFFD")
            }
            Self::ReferenceReversed => (
                "REFERENCE_REVERSED",
                "references whose range ends before it begins; only the strict profile matches inside it",
            ),
            Self::ReferenceAnywhere => (
                "REFERENCE_ANYWHERE",
                "references without path or lines, which match everything, but for the strict profile",
            ),
        }
    }
}

fn of_odd(odd: Odd) -> (&'static str, &'static str) {
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
