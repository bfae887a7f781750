//! A shape: what all items of a file have in common, learnt from one of them, so that the next are read at a glance.
//!
//! Programs write every item alike: the same names in the same order with the same white space, and only the values differ.
//! A shape is that common text cut at the values. An item that fits it is, byte by byte, the item it was learnt from with other
//! values of the same kind, so nothing about it needs to be parsed again. An item that does not fit is read the careful way.

use super::cursor::{Cursor, Kind, Stop};
use super::item::{Item, Key, Member};
use super::number;

/// The places of a row's numbers: the four of the box, the score, the area.
const NUMBERS: usize = 8;
const SCORE: usize = 4;
const AREA: usize = 5;

/// What stands at one place of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Slot {
    ImageNumber,
    ImageName,
    Category,
    Number(usize),
    Crowd,
    Id,
    Any,
}

/// The values of one item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row<'b> {
    pub(crate) image: ImageId<'b>,
    pub(crate) category: i64,
    /// x, y, width, height.
    pub(crate) bbox: [f64; 4],
    pub(crate) score: f64,
    pub(crate) area: Option<f64>,
    pub(crate) crowd: bool,
    pub(crate) id: Option<i64>,
}

/// An image id in the file: `1` and `"1"` are two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImageId<'b> {
    Number(i64),
    Name(&'b str),
}

impl Row<'_> {
    pub(crate) const EMPTY: Row<'static> =
        Row { image: ImageId::Number(0), category: 0, bbox: [0.0; 4], score: 0.0, area: None, crowd: false, id: None };
}

/// The common text of a file's items, cut at their values.
#[derive(Debug)]
pub(crate) struct Shape {
    /// The text before each value, and the value.
    steps: Vec<(Literal, Slot)>,
    /// The text after the last one.
    end: Literal,
    has_area: bool,
}

impl Shape {
    /// The shape of an item that was found to be right; `wanted` are the members that a row needs.
    pub(crate) fn learn(bytes: &[u8], item: &Item<'_>, wanted: &[Key]) -> Option<Self> {
        let mut steps = Vec::new();
        let mut at = item.span.0;
        let mut seen = [false; 8];
        for member in item.members()? {
            let key = member.key.filter(|key| wanted.contains(key));
            // Of two members with one name the later one counts; that is for the careful way.
            if key.is_some_and(|key| std::mem::replace(&mut seen[key as usize], true)) {
                return None;
            }
            for (start, end, slot) in slots(bytes, member, key)? {
                steps.push((Literal::new(&bytes[at..start]), slot));
                at = end;
            }
        }
        Some(Self { steps, end: Literal::new(&bytes[at..item.span.1]), has_area: seen[Key::Area as usize] })
    }

    /// The values of the item that begins here and the place after it, if it has this shape.
    #[inline]
    pub(crate) fn read<'b>(&self, bytes: &'b [u8], start: usize) -> Option<(Row<'b>, usize)> {
        let mut row: Row<'b> = Row::EMPTY;
        let mut numbers = [0.0; NUMBERS];
        let mut at = start;
        for (literal, slot) in &self.steps {
            at = literal.after(bytes, at)?;
            at = match slot {
                Slot::Number(place) => put(&mut numbers[*place % NUMBERS], number::decimal(bytes, at)?),
                Slot::Category => put(&mut row.category, number::integer(bytes, at)?),
                Slot::Id => put(row.id.insert(0), number::integer(bytes, at)?),
                Slot::ImageNumber => {
                    let (number, end) = number::integer(bytes, at)?;
                    row.image = ImageId::Number(number);
                    end
                }
                Slot::ImageName => {
                    let (name, end) = plain_text(bytes, at)?;
                    row.image = ImageId::Name(name);
                    end
                }
                Slot::Crowd => {
                    row.crowd = match bytes.get(at)? {
                        b'0' => false,
                        b'1' => true,
                        _ => return None,
                    };
                    at + 1
                }
                Slot::Any => {
                    let mut cursor = Cursor::new(bytes, at);
                    cursor.value().ok()?;
                    cursor.at
                }
            };
        }
        row.bbox = [numbers[0], numbers[1], numbers[2], numbers[3]];
        row.score = numbers[SCORE];
        row.area = self.has_area.then_some(numbers[AREA]);
        Some((row, self.end.after(bytes, at)?))
    }
}

#[inline]
fn put<T>(place: &mut T, (value, end): (T, usize)) -> usize {
    *place = value;
    end
}

/// The places of a member's values: four for a box, one for anything else; none for a kind that shapes do not have.
fn slots(bytes: &[u8], member: &Member, key: Option<Key>) -> Option<Vec<(usize, usize, Slot)>> {
    let (start, end) = (member.start, member.end);
    let kind = Cursor::new(bytes, start).kind().ok()?;
    let slot = match (key, kind) {
        (None, _) => Slot::Any,
        (Some(Key::Bbox), Kind::Array) => return sides(bytes, start),
        (Some(Key::ImageId), Kind::Number) => Slot::ImageNumber,
        // The quotes belong to the common text.
        (Some(Key::ImageId), Kind::Text) => return Some(vec![(start + 1, end - 1, Slot::ImageName)]),
        (Some(Key::CategoryId), Kind::Number) => Slot::Category,
        (Some(Key::Score), Kind::Number) => Slot::Number(SCORE),
        (Some(Key::Area), Kind::Number) => Slot::Number(AREA),
        (Some(Key::IsCrowd), Kind::Number) => Slot::Crowd,
        (Some(Key::Id), Kind::Number) => Slot::Id,
        _ => return None,
    };
    Some(vec![(start, end, slot)])
}

fn sides(bytes: &[u8], start: usize) -> Option<Vec<(usize, usize, Slot)>> {
    let mut cursor = Cursor::new(bytes, start + 1);
    (0..4)
        .map(|side| {
            while let Err(Stop::Syntax(_)) = cursor.kind() {
                cursor.at += 1;
            }
            let first = cursor.at;
            cursor.value().ok()?;
            Some((first, cursor.at, Slot::Number(side)))
        })
        .collect()
}

/// The text up to the closing quote, which is left for the common text; none if it has escapes.
#[inline]
fn plain_text(bytes: &[u8], start: usize) -> Option<(&str, usize)> {
    let rest = bytes.get(start..)?;
    let length = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))?;
    let text = std::str::from_utf8(&rest[..length]).ok()?;
    (rest[length] == b'"').then_some((text, start + length))
}

/// A fixed text, compared eight bytes at a time.
#[derive(Debug)]
struct Literal {
    /// Eight bytes and which of them count.
    words: Vec<(u64, u64)>,
    length: usize,
}

impl Literal {
    fn new(text: &[u8]) -> Self {
        let words = text.chunks(8).map(|chunk| {
            let (mut word, mut mask) = ([0; 8], [0; 8]);
            word[..chunk.len()].copy_from_slice(chunk);
            mask[..chunk.len()].fill(0xff);
            (u64::from_le_bytes(word), u64::from_le_bytes(mask))
        });
        Self { words: words.collect(), length: text.len() }
    }

    /// The place after this text, if it stands here and is not too close to the bytes' end.
    #[inline]
    fn after(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let mut place = at;
        for (word, mask) in &self.words {
            let eight = u64::from_le_bytes(*bytes.get(place..)?.first_chunk::<8>()?);
            if eight & mask != *word {
                return None;
            }
            place += 8;
        }
        Some(at + self.length)
    }
}
