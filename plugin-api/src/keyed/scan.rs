//! The scanner: finds the id and the value in each row of a block, as long as rows look as they should.

use std::ops::Range;

use memchr::{memchr, memchr2};

use super::Columns;
use super::blocks::Blocks;
use crate::error::ScoreError;

/// Something that the fast way does not read: a fault, or a form of CSV that is rare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Odd;

/// Where the wanted cells are in a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    fields: usize,
    id: usize,
    value: usize,
}

/// One field of a row.
struct Field {
    /// Its content, without the quotes around it.
    cell: Range<usize>,
    /// Whether quotes inside are doubled.
    doubled: bool,
    /// Where the next field or row begins.
    next: usize,
    /// Whether the row ends with it.
    last: bool,
}

/// Finds ids and values, row after row.
pub(super) struct Scanner {
    layout: Layout,
    /// Cells whose doubled quotes are made single ones.
    id: Vec<u8>,
    value: Vec<u8>,
}

impl Layout {
    /// Reads the header; the name is that of the column the values are in.
    pub(super) fn find<'c>(blocks: &mut Blocks, columns: Columns<'c>) -> Result<Option<(Self, &'c str)>, ScoreError> {
        loop {
            match Self::of_header(blocks.bytes(), blocks.at_end(), columns) {
                Ok(Some((layout, column, length))) => {
                    blocks.take(length);
                    return Ok(Some((layout, column)));
                }
                Err(Odd) => return Ok(None),
                Ok(None) if !blocks.refill()? => return Ok(None),
                Ok(None) => {}
            }
        }
    }

    /// The layout and the length of the header, if it ends within these bytes.
    fn of_header<'c>(bytes: &[u8], at_end: bool, columns: Columns<'c>) -> Result<Option<(Self, &'c str, usize)>, Odd> {
        let Some(start) = skip_blank_lines(bytes, 0, at_end)? else { return Ok(None) };
        let (mut names, mut at) = (Vec::new(), start);
        loop {
            let Some(field) = Field::at(bytes, at, at_end, true)? else { return Ok(None) };
            if field.doubled {
                return Err(Odd);
            }
            names.push(&bytes[field.cell]);
            at = field.next;
            if field.last {
                break;
            }
        }
        if simdutf8::basic::from_utf8(&bytes[start..at]).is_err() {
            return Err(Odd);
        }
        let place = |name: &str| {
            let mut places = (0..names.len()).filter(|place| names[*place] == name.as_bytes());
            places.next().filter(|_| places.next().is_none()).ok_or(Odd)
        };
        let column = columns.value.iter().find(|name| names.contains(&name.as_bytes())).ok_or(Odd)?;
        let layout = Self { fields: names.len(), id: place(columns.id)?, value: place(column)? };
        Ok(Some((layout, column, at)))
    }
}

impl Scanner {
    pub(super) fn new(layout: Layout) -> Self {
        Self { layout, id: Vec::new(), value: Vec::new() }
    }

    /// Gives the id and the value of every row that ends within these bytes, and tells the length of those rows.
    pub(super) fn scan(
        &mut self,
        bytes: &[u8],
        at_end: bool,
        mut row: impl FnMut(&[u8], &[u8]) -> Result<(), Odd>,
    ) -> Result<usize, Odd> {
        let layout = self.layout;
        let returns = memchr(b'\r', bytes).is_some();
        let mut done = 0;
        'rows: while let Some(start) = skip_blank_lines(bytes, done, at_end)? {
            done = start;
            if start == bytes.len() {
                break;
            }
            let (mut at, mut id, mut value) = (start, 0..0, 0..0);
            let (mut id_doubled, mut value_doubled) = (false, false);
            for number in 0..layout.fields {
                let Some(field) = Field::at(bytes, at, at_end, returns)? else { break 'rows };
                if field.last != (number + 1 == layout.fields) {
                    return Err(Odd);
                }
                if number == layout.id {
                    (id, id_doubled) = (field.cell.clone(), field.doubled);
                }
                if number == layout.value {
                    (value, value_doubled) = (field.cell, field.doubled);
                }
                at = field.next;
            }
            let id = unquoted(&bytes[id], id_doubled, &mut self.id);
            let value = unquoted(&bytes[value], value_doubled, &mut self.value);
            if is_blank(id) || is_blank(value) {
                return Err(Odd);
            }
            row(id, value)?;
            done = at;
        }
        Ok(done)
    }
}

impl Field {
    /// The field that begins here, if it ends within these bytes. `returns` says whether there may be carriage returns.
    #[inline(always)]
    fn at(bytes: &[u8], at: usize, at_end: bool, returns: bool) -> Result<Option<Self>, Odd> {
        if bytes.get(at) == Some(&b'"') {
            return Self::quoted(bytes, at + 1, at_end);
        }
        let Some(length) = memchr2(b',', b'\n', &bytes[at..]) else {
            let cell = at..bytes.len();
            let plain = at_end && memchr(b'\r', &bytes[cell.clone()]).is_none();
            return match at_end {
                true if plain => Ok(Some(Self { cell, doubled: false, next: bytes.len(), last: true })),
                true => Err(Odd),
                false => Ok(None),
            };
        };
        let stop = at + length;
        let last = bytes[stop] == b'\n';
        let mut end = stop;
        if returns {
            if last && bytes[at..stop].ends_with(b"\r") {
                end -= 1;
            }
            if memchr(b'\r', &bytes[at..end]).is_some() {
                return Err(Odd);
            }
        }
        Ok(Some(Self { cell: at..end, doubled: false, next: stop + 1, last }))
    }

    /// The quoted field whose content begins here.
    #[cold]
    fn quoted(bytes: &[u8], start: usize, at_end: bool) -> Result<Option<Self>, Odd> {
        let (mut from, mut doubled) = (start, false);
        let close = loop {
            let Some(length) = memchr(b'"', &bytes[from..]) else {
                return if at_end { Err(Odd) } else { Ok(None) };
            };
            if bytes.get(from + length + 1) != Some(&b'"') {
                break from + length;
            }
            doubled = true;
            from += length + 2;
        };
        let field =
            |behind: usize, last: bool| Ok(Some(Self { cell: start..close, doubled, next: close + 1 + behind, last }));
        match &bytes[close + 1..] {
            [b',', ..] => field(1, false),
            [b'\n', ..] => field(1, true),
            [b'\r', b'\n', ..] => field(2, true),
            [] if at_end => field(0, true),
            [] | [b'\r'] if !at_end => Ok(None),
            _ => Err(Odd),
        }
    }
}

/// Where the next row begins, unless more bytes are needed to tell.
#[inline(always)]
fn skip_blank_lines(bytes: &[u8], mut at: usize, at_end: bool) -> Result<Option<usize>, Odd> {
    loop {
        match bytes.get(at) {
            Some(b'\n') => at += 1,
            Some(b'\r') => match bytes.get(at + 1) {
                Some(b'\n') => at += 2,
                None if !at_end => return Ok(None),
                _ => return Err(Odd),
            },
            _ => return Ok(Some(at)),
        }
    }
}

/// The cell with its doubled quotes made single ones.
#[inline(always)]
fn unquoted<'c>(cell: &'c [u8], doubled: bool, single: &'c mut Vec<u8>) -> &'c [u8] {
    if !doubled {
        return cell;
    }
    single.clear();
    let mut quoted = false;
    for byte in cell {
        quoted = *byte == b'"' && !quoted;
        if !quoted {
            single.push(*byte);
        }
    }
    single
}

/// Whether a cell has nothing in it but white space, of any script.
#[inline(always)]
fn is_blank(cell: &[u8]) -> bool {
    match cell.first() {
        Some(byte) if byte.is_ascii_graphic() => false,
        // The first bytes of white space beyond ASCII. What is no text is found out when the block is checked.
        Some(byte) if *byte >= 0x80 && !matches!(byte, 0xc2 | 0xe1..=0xe3) => false,
        _ => std::str::from_utf8(cell).is_ok_and(|text| text.trim().is_empty()),
    }
}
