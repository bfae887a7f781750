//! A part: a stretch of an array's items, read from a known or a supposed beginning up to a limit.

use std::io;

use super::cursor::{Cursor, Kind, Stop};
use super::item::Item;
use super::problem::{Problem, Problems};
use super::source::{Source, Window};

/// How much is read beyond a limit, for the item that crosses it.
const OVERLAP: usize = 16 << 10;

/// Shorter items are not counted on: they are no boxes.
const MIN_ITEM: usize = 40;

/// How far before a supposed beginning the end of the item before it may lie.
const LOOK_BACK: u64 = 64;

/// What takes the items of an array: columns of one kind.
pub(crate) trait Collect: Default + Send {
    /// Makes room for about so many items.
    fn expect(&mut self, _items: usize) {}

    /// Takes the item that begins here if it is like the one before and right, and gives the place after it.
    fn quick(&mut self, _bytes: &[u8], _at: usize) -> Option<usize> {
        None
    }

    /// Takes an item, or tells everything that is wrong with it.
    fn careful(&mut self, bytes: &[u8], item: &Item<'_>, wrong: &mut Wrong<'_>);
}

/// Where a collector tells what is wrong: message, what was found, what was expected.
pub(crate) type Wrong<'w> = dyn FnMut(&str, Option<&[u8]>, &'static str) + 'w;

/// A stretch of items.
#[derive(Debug)]
pub(crate) struct Part<C> {
    /// The offset of its first item.
    pub(crate) start: u64,
    pub(crate) end: End,
    pub(crate) items: u64,
    pub(crate) rows: C,
    pub(crate) problems: Problems,
}

/// How a part ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Another item begins at this offset.
    Item(u64),
    /// The array has ended; this is the offset after its bracket.
    Closed(u64),
    /// What stands at this offset is no JSON.
    Broken { offset: u64, expected: &'static str },
}

/// What the grammar wants next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// An item, or the end of an array that is empty.
    First,
    Item,
    /// A comma, or the end of the array.
    Separator,
}

/// Reads items from the beginning of an array (behind its bracket) or from an item on, as far as they begin before `limit`.
pub(crate) fn read<C: Collect>(
    source: &Source,
    start: u64,
    first: bool,
    limit: u64,
    buffer: &mut Vec<u8>,
) -> io::Result<Part<C>> {
    let mut window = Window::new(source, start, std::mem::take(buffer));
    window.advance(0, (limit.saturating_sub(start)) as usize + OVERLAP)?;
    let part = run(&mut window, 0, if first { Next::First } else { Next::Item }, limit);
    *buffer = window.into_buffer();
    part
}

/// Reads from the first place at or after `from` that looks like the beginning of an item. Whether it is one can only be told
/// by whoever arrives there from the array's beginning; if so, the part is right.
pub(crate) fn suppose<C: Collect>(
    source: &Source,
    from: u64,
    limit: u64,
    buffer: &mut Vec<u8>,
) -> io::Result<Option<Part<C>>> {
    let back = LOOK_BACK.min(from);
    let mut window = Window::new(source, from - back, std::mem::take(buffer));
    window.advance(0, (limit - from + back) as usize + OVERLAP)?;
    let start = supposed_item(window.bytes(), back as usize).filter(|start| window.offset(*start) < limit);
    let part = start.map(|start| run(&mut window, start, Next::Item, limit)).transpose();
    *buffer = window.into_buffer();
    part
}

/// The first `{` at or after a place that follows a `}` and a comma.
fn supposed_item(bytes: &[u8], from: usize) -> Option<usize> {
    let before = |end: usize| bytes[..end].iter().rposition(|byte| !byte.is_ascii_whitespace());
    (from..bytes.len()).filter(|at| bytes[*at] == b'{').find(|at| {
        let comma = before(*at).filter(|comma| bytes[*comma] == b',');
        comma.and_then(before).is_some_and(|brace| bytes[brace] == b'}')
    })
}

fn run<C: Collect>(window: &mut Window<'_>, mut at: usize, mut next: Next, limit: u64) -> io::Result<Part<C>> {
    let mut part = Part {
        start: window.offset(at),
        end: End::Item(0),
        items: 0,
        rows: C::default(),
        problems: Problems::default(),
    };
    loop {
        let stop = match part.step(window, &mut at, &mut next, limit) {
            Ok(end) => {
                part.end = end;
                return Ok(part);
            }
            Err(stop) => stop,
        };
        part.end = match stop {
            Stop::End if window.advance(at, OVERLAP)? => {
                at = 0;
                continue;
            }
            Stop::End => {
                End::Broken { offset: window.offset(window.bytes().len()), expected: "more: the file ends here" }
            }
            Stop::Syntax(syntax) => End::Broken { offset: window.offset(syntax.at), expected: syntax.expected },
        };
        return Ok(part);
    }
}

impl<C: Collect> Part<C> {
    /// Goes on as long as the window has bytes; place and expectation stay where reading has to go on.
    fn step(&mut self, window: &Window<'_>, at: &mut usize, next: &mut Next, limit: u64) -> Result<End, Stop> {
        let bytes = window.bytes();
        let limit = limit.saturating_sub(window.offset(0)) as usize;
        loop {
            let mut cursor = Cursor::new(bytes, *at);
            cursor.space();
            match next {
                Next::First if cursor.try_eat(b']')? => return Ok(End::Closed(window.offset(cursor.at))),
                Next::First | Next::Item => {
                    cursor.peek()?;
                    if *next == Next::Item && cursor.at >= limit {
                        return Ok(End::Item(window.offset(cursor.at)));
                    }
                    cursor.at = match self.rows.quick(bytes, cursor.at) {
                        Some(end) => end,
                        None => self.careful(window, cursor)?,
                    };
                    if self.items == 0 {
                        // Most items are about as long as the first.
                        self.rows.expect(limit.saturating_sub(*at) / (cursor.at - *at).max(MIN_ITEM) + 1);
                    }
                    self.items += 1;
                    *next = Next::Separator;
                }
                Next::Separator if cursor.try_eat(b',')? => *next = Next::Item,
                Next::Separator => {
                    cursor.eat(b']', "',' or ']'")?;
                    return Ok(End::Closed(window.offset(cursor.at)));
                }
            }
            *at = cursor.at;
        }
    }

    fn careful(&mut self, window: &Window<'_>, mut cursor: Cursor<'_>) -> Result<usize, Stop> {
        let item = Item::read(&mut cursor)?;
        let (index, offset, problems) = (self.items, window.offset(item.span.0), &mut self.problems);
        let mut wrong = |message: &str, found: Option<&[u8]>, expected| {
            problems.push(|| Problem {
                index,
                offset,
                message: message.to_owned(),
                found: found.map(super::problem::shown),
                expected,
            });
        };
        match item.kind {
            Kind::Object => self.rows.careful(window.bytes(), &item, &mut wrong),
            _ => wrong("is no object", Some(&window.bytes()[item.span.0..item.span.1]), "an object in braces"),
        }
        Ok(item.span.1)
    }
}
