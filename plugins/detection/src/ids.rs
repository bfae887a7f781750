//! Ids: those of images and categories become small numbers, in the order in which they were met.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;

use crate::scan::shape::ImageId;

/// How many recent numbers are found without hashing.
const RECENT: usize = 512;

/// An image id: numbers come before names, numbers in their order and names in that of their code points.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Id {
    Number(i64),
    Name(Box<str>),
}

impl Id {
    /// The same id written the other way: `"1"` for `1`, and back.
    pub(crate) fn twin(&self) -> Option<Id> {
        match self {
            Self::Number(number) => Some(Self::Name(number.to_string().into())),
            Self::Name(name) => name.parse().ok().map(Self::Number),
        }
    }

    /// The number that is greater by this much; names have none.
    pub(crate) fn plus(&self, shift: i64) -> Option<Id> {
        match self {
            Self::Number(number) => number.checked_add(shift).map(Self::Number),
            Self::Name(_) => None,
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => write!(f, "{name:?}"),
        }
    }
}

/// Whole numbers as codes 0, 1, 2, …
#[derive(Debug)]
pub(crate) struct Numbers {
    codes: HashMap<i64, u32>,
    /// The numbers last seen, each at the place that its low bits name.
    recent: Vec<(i64, u32)>,
}

/// No code has this value: files with so many ids do not fit into memory.
const NO_CODE: u32 = u32::MAX;

impl Default for Numbers {
    fn default() -> Self {
        Self { codes: HashMap::new(), recent: vec![(0, NO_CODE); RECENT] }
    }
}

impl Numbers {
    /// The code of a number; `new` makes one for a number not seen before.
    #[inline]
    pub(crate) fn code(&mut self, number: i64, new: impl FnOnce() -> u32) -> u32 {
        let recent = &mut self.recent[number as usize % RECENT];
        if *recent == (number, recent.1) && recent.1 != NO_CODE {
            return recent.1;
        }
        let code = *self.codes.entry(number).or_insert_with(new);
        *recent = (number, code);
        code
    }
}

/// Categories, met in this order.
#[derive(Debug, Default)]
pub(crate) struct Categories {
    numbers: Numbers,
    pub(crate) list: Vec<i64>,
}

impl Categories {
    #[inline]
    pub(crate) fn code(&mut self, id: i64) -> u32 {
        let list = &mut self.list;
        self.numbers.code(id, || append(list, id))
    }
}

/// Images, met in this order.
#[derive(Debug, Default)]
pub(crate) struct Images {
    numbers: Numbers,
    names: HashMap<Box<str>, u32>,
    pub(crate) list: Vec<Id>,
    last: u32,
}

impl Images {
    #[inline]
    pub(crate) fn code(&mut self, id: ImageId<'_>) -> u32 {
        let list = &mut self.list;
        match id {
            ImageId::Number(number) => self.numbers.code(number, || append(list, Id::Number(number))),
            ImageId::Name(name) => self.name_code(name),
        }
    }

    /// Most files name an image once for each of its boxes, one after the other.
    fn name_code(&mut self, name: &str) -> u32 {
        let last = self.list.get(self.last as usize);
        if matches!(last, Some(Id::Name(last)) if **last == *name) {
            return self.last;
        }
        self.last = match self.names.get(name) {
            Some(code) => *code,
            None => {
                let code = append(&mut self.list, Id::Name(name.into()));
                self.names.insert(name.into(), code);
                code
            }
        };
        self.last
    }
}

fn append<T>(list: &mut Vec<T>, id: T) -> u32 {
    list.push(id);
    (list.len() - 1) as u32
}

/// All ids of several lists: sorted, each once.
pub(crate) fn union<'i, T: Ord + Hash + Clone + 'i>(lists: impl Iterator<Item = &'i [T]>) -> Vec<T> {
    let mut known = std::collections::HashSet::new();
    for list in lists {
        known.extend(list);
    }
    let mut sorted: Vec<T> = known.into_iter().cloned().collect();
    sorted.sort_unstable();
    sorted
}

/// The place of each id in a sorted list; none for one that is not in it.
pub(crate) fn places<T: Ord>(ids: &[T], sorted: &[T]) -> Vec<Option<u32>> {
    ids.iter().map(|id| sorted.binary_search(id).ok().map(|place| place as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_stays_and_kinds_do_not_mix() {
        let mut images = Images::default();
        let ids =
            [ImageId::Number(1), ImageId::Name("1"), ImageId::Number(513), ImageId::Number(1), ImageId::Name("1")];
        assert_eq!(ids.map(|id| images.code(id)), [0, 1, 2, 0, 1]);
        assert_eq!(images.code(ImageId::Number(0)), 3, "0 is a number like any other");
        let big = 1i64 << 53;
        assert_ne!(images.code(ImageId::Number(big)), images.code(ImageId::Number(big + 1)));
    }

    #[test]
    fn the_order_is_that_of_numbers_then_of_code_points() {
        let name = |text: &str| Id::Name(text.into());
        let ids = [name("img2"), name("é"), Id::Number(10), name("img10"), Id::Number(-3), Id::Number(9)];
        let sorted = union([&ids[..3], &ids[1..]].into_iter());
        let shown: Vec<String> = sorted.iter().map(Id::to_string).collect();
        assert_eq!(shown, ["-3", "9", "10", "\"img10\"", "\"img2\"", "\"é\""]);
        assert_eq!(places(&[Id::Number(9), name("none")], &sorted), [Some(1), None]);
    }
}
