//! The tagged text format of generated comments: blocks between `<notesplit />`, each with `<path>`, `<side>`, `<from>`, `<to>`, `<note>`.
//!
//! A block that gives no comment is never lost silently: it is an [`Oddity`] with its number.

use super::comment::{Comment, Place};
use super::line::line_of;
use super::space::{is_space, trim};

/// The comments of a file, and what is odd about it.
#[derive(Debug, Default)]
pub(crate) struct Tagged {
    pub(crate) comments: Vec<Comment>,
    pub(crate) oddities: Vec<Oddity>,
}

/// Something in a block that its author has hardly meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Oddity {
    /// The block, counted from 1; blank ones do not count.
    pub(crate) block: usize,
    /// The line that the block begins at, counted from 1.
    pub(crate) line: usize,
    pub(crate) kind: Odd,
}

/// What is odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Odd {
    NoNote,
    UnclosedNote,
    EmptyNote,
    SecondComment,
    NoPath,
    PathPrefix,
    NoSide,
    UnknownSide,
    NoLines,
    NotALine,
    ReversedRange,
    LineBeyondFiles,
}

/// No file has more lines than this.
const MOST_LINES: i128 = 100_000_000;

/// Reads a text with `\n` as its only line end.
pub(crate) fn parse(text: &str) -> Tagged {
    let mut tagged = Tagged::default();
    let (mut number, mut line) = (0, 1);
    for piece in (Pieces { rest: Some(text) }) {
        let start = piece.text.len() - piece.text.trim_start_matches(is_space).len();
        let first = line + newlines(&piece.text[..start]);
        line += newlines(piece.text) + newlines(piece.separator);
        if start == piece.text.len() {
            continue;
        }
        number += 1;
        let mut odd = |kind| tagged.oddities.push(Oddity { block: number, line: first, kind });
        let Some(note) = note_of(piece.text, &mut odd) else { continue };
        let place = place_of(piece.text, &mut odd);
        let number = tagged.comments.len() + 1;
        tagged.comments.push(Comment { number, place, note: note.to_owned() });
    }
    tagged
}

fn note_of<'t>(block: &'t str, odd: &mut impl FnMut(Odd)) -> Option<&'t str> {
    let Some(found) = tag(block, "note") else {
        odd(if block.contains("<note>") { Odd::UnclosedNote } else { Odd::NoNote });
        return None;
    };
    let note = trim(found.inside);
    if note.is_empty() {
        odd(Odd::EmptyNote);
        return None;
    }
    if tag(found.after, "note").is_some() {
        odd(Odd::SecondComment);
    }
    Some(note)
}

fn place_of(block: &str, odd: &mut impl FnMut(Odd)) -> Place {
    let text = |name| tag(block, name).map(|found| trim(found.inside));
    let (path, side) = (text("path").unwrap_or_default(), text("side").unwrap_or_default());
    let (from, to) = (text("from"), text("to"));
    if path.is_empty() {
        odd(Odd::NoPath);
    }
    if ["a/", "b/", "./", "/", "../"].iter().any(|prefix| path.starts_with(prefix)) {
        odd(Odd::PathPrefix);
    }
    match side {
        "" => odd(Odd::NoSide),
        "left" | "right" => {}
        _ => odd(Odd::UnknownSide),
    }
    let lines = (from.and_then(line_of), to.and_then(line_of));
    match lines {
        _ if is_no_line(from) || is_no_line(to) => odd(Odd::NotALine),
        (None | Some(0), _) | (_, None | Some(0)) => odd(Odd::NoLines),
        (Some(from), Some(to)) if from > to => odd(Odd::ReversedRange),
        (Some(from), Some(to)) if from < 0 || to > MOST_LINES => odd(Odd::LineBeyondFiles),
        _ => {}
    }
    Place { path: Some(path.to_owned()), from: lines.0, to: lines.1, side: Some(side.to_owned()) }
}

/// Whether something is written there that is no line number.
fn is_no_line(text: Option<&str>) -> bool {
    text.is_some_and(|text| !text.is_empty() && line_of(text).is_none())
}

/// What a tag holds, and what comes behind it.
struct Tag<'t> {
    inside: &'t str,
    after: &'t str,
}

/// The first tag of a name that is closed. Names are lower case and without attributes.
fn tag<'t>(block: &'t str, name: &str) -> Option<Tag<'t>> {
    let (_, rest) = block.split_once(&format!("<{name}>"))?;
    let (inside, after) = rest.split_once(&format!("</{name}>"))?;
    Some(Tag { inside, after })
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// The pieces of a text between separators, each with the separator behind it.
struct Pieces<'t> {
    rest: Option<&'t str>,
}

struct Piece<'t> {
    text: &'t str,
    separator: &'t str,
}

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        let rest = self.rest?;
        for (at, _) in rest.match_indices('<') {
            if let Some(length) = separator(&rest[at..]) {
                self.rest = Some(&rest[at + length..]);
                return Some(Piece { text: &rest[..at], separator: &rest[at..at + length] });
            }
        }
        self.rest = None;
        Some(Piece { text: rest, separator: "" })
    }
}

/// The length of the separator that a text begins with: `<notesplit>`, opened, closed or both, in any case, with white space
/// before the last slash only.
fn separator(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('<')?;
    let mut rest = inside.strip_prefix('/').unwrap_or(inside);
    for letter in "notesplit".chars() {
        let c = rest.chars().next()?;
        if !is_letter(c, letter) {
            return None;
        }
        rest = &rest[c.len_utf8()..];
    }
    rest = rest.trim_start_matches(is_space);
    let rest = rest.strip_prefix('/').unwrap_or(rest).strip_prefix('>')?;
    Some(text.len() - rest.len())
}

/// Whether a character is a letter in either case, or one that Unicode folds to it.
fn is_letter(c: char, letter: char) -> bool {
    c.eq_ignore_ascii_case(&letter) || matches!((c, letter), ('ſ', 's') | ('ı' | 'İ', 'i'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(usize, Odd)> {
        parse(text).oddities.into_iter().map(|odd| (odd.block, odd.kind)).collect()
    }

    fn block(from: &str, to: &str, note: &str) -> String {
        format!(
            "<path>app/cart.go</path>\n<side>right</side>\n<from>{from}</from>\n<to>{to}</to>\n<note>{note}</note>\n"
        )
    }

    #[test]
    fn blocks_become_comments_however_the_separator_is_spelled() {
        for split in ["<notesplit />", "<notesplit/>", "</notesplit>", "<NOTESPLIT>", "<NoteSplit\n/>", "<noteſplıt>"]
        {
            let text = format!("{}{split}\n{}", block("3", "5", "one"), block("8", "8", "two\nlines"));
            let tagged = parse(&text);
            let notes: Vec<_> = tagged.comments.iter().map(|comment| comment.note.as_str()).collect();
            assert_eq!(notes, ["one", "two\nlines"], "{split}");
            assert_eq!(tagged.oddities, [], "{split}");
        }
        for no_split in ["< notesplit/>", "<notesplit / >", "<notesplits>"] {
            let text = format!("{}{no_split}{}", block("3", "5", "one"), block("8", "8", "two"));
            assert_eq!(parse(&text).comments.len(), 1, "{no_split}");
            assert_eq!(kinds(&text), [(1, Odd::SecondComment)]);
        }
    }

    #[test]
    fn a_block_that_gives_no_comment_is_named_by_number_and_line() {
        let text = format!("{}<notesplit />\n\n<path>x</path>\n<notesplit />\n<note>open", block("3", "5", "one"));
        let oddities = parse(&text).oddities;
        assert_eq!(oddities[0], Oddity { block: 2, line: 8, kind: Odd::NoNote });
        assert_eq!(oddities[1], Oddity { block: 3, line: 10, kind: Odd::UnclosedNote });
        assert_eq!(kinds("<note> \u{1f} </note>"), [(1, Odd::EmptyNote)]);
    }

    #[test]
    fn what_is_suspicious_is_told_and_kept() {
        let only = parse("<note>n</note>");
        assert_eq!(only.comments[0].place.side.as_deref(), Some(""));
        assert_eq!(kinds("<note>n</note>"), [(1, Odd::NoPath), (1, Odd::NoSide), (1, Odd::NoLines)]);
        assert_eq!(kinds(&block("9", "5", "n")), [(1, Odd::ReversedRange)]);
        assert_eq!(kinds(&block("L3", "5", "n")), [(1, Odd::NotALine)]);
        assert_eq!(kinds(&block("3", "1000000000", "n")), [(1, Odd::LineBeyondFiles)]);
        let prefixed = block("3", "5", "n").replace("app/", "a/app/").replace("right", "RIGHT");
        assert_eq!(kinds(&prefixed), [(1, Odd::PathPrefix), (1, Odd::UnknownSide)]);
    }

    #[test]
    fn tags_are_searched_in_the_whole_block_and_the_first_counts() {
        let tagged = parse("<note>see <path>b.go</path></note><path>c.go</path>");
        assert_eq!(tagged.comments[0].place.path.as_deref(), Some("b.go"));
        assert_eq!(parse("<note>a</note> b</note>").comments[0].note, "a");
    }
}
