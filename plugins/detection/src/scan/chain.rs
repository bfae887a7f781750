//! A chain of stretches: they come in any order, and are joined as far as each begins where the one before it ended.

use std::collections::HashMap;
use std::io;

use super::array::{Array, Failure};
use super::part::{self, Collect, End, Part};
use super::problem::Problems;
use super::source::Source;

/// Stretches of one array.
pub(crate) struct Chain<'s, C> {
    source: &'s Source,
    start: u64,
    length: u64,
    /// Stretches that came before the ones in front of them.
    waiting: HashMap<u64, Option<Part<C>>>,
    /// The number of the first stretch that has not been joined.
    next: u64,
    joined: Vec<Part<C>>,
    /// Where the certain part ends; at first where the array begins.
    end: End,
    error: Option<io::Error>,
}

impl<'s, C: Collect> Chain<'s, C> {
    /// A chain of stretches of this length, of the array whose items begin at `start`.
    pub(crate) fn new(source: &'s Source, start: u64, length: u64) -> Self {
        let end = End::Item(start);
        Self { source, start, length, waiting: HashMap::new(), next: 0, joined: Vec::new(), end, error: None }
    }

    /// Whether what is still to come cannot matter.
    pub(crate) fn is_done(&self) -> bool {
        self.error.is_some() || !matches!(self.end, End::Item(_))
    }

    /// Takes a stretch as it was supposed to be, and joins what can be joined.
    pub(crate) fn add(&mut self, number: u64, supposed: io::Result<Option<Part<C>>>, buffer: &mut Vec<u8>) {
        match supposed {
            Ok(part) => drop(self.waiting.insert(number, part)),
            Err(error) => self.error = Some(error),
        }
        while !self.is_done()
            && let Some(supposed) = self.waiting.remove(&self.next)
        {
            let limit = self.start + (self.next + 1) * self.length;
            self.next += 1;
            if let Err(error) = self.join(supposed, limit, buffer) {
                self.error = Some(error);
            }
        }
    }

    fn join(&mut self, supposed: Option<Part<C>>, limit: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
        let End::Item(at) = self.end else { return Ok(()) };
        if at >= limit {
            // An item of the stretch before reaches over all of this one.
            return Ok(());
        }
        let part = match supposed.filter(|part| part.start == at) {
            Some(part) => part,
            None => part::read(self.source, at, false, limit, buffer)?,
        };
        self.end = part.end;
        self.joined.push(part);
        Ok(())
    }

    /// The array, once all stretches are in.
    pub(crate) fn finish(self) -> Result<Array<C>, Failure> {
        if let Some(error) = self.error {
            return Err(error.into());
        }
        let end = match self.end {
            End::Closed(end) => end,
            End::Broken { offset, expected } => return Err(Failure::Broken { offset, expected }),
            End::Item(offset) => return Err(Failure::Broken { offset, expected: "more: the file ends here" }),
        };
        let mut array = Array { parts: Vec::new(), items: 0, problems: Problems::default(), end };
        for part in self.joined {
            array.problems.append(part.problems, array.items);
            array.items += part.items;
            array.parts.push(part.rows);
        }
        Ok(array)
    }
}
