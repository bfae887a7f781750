//! The values of a keyed file: labels as numbers into a list of names, or numbers themselves.

use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::scan::Odd;
use crate::error::ErrorCode;
use crate::table::number;

/// What the cells of a column become.
pub trait Values: Sized + Send {
    /// With room for so many rows.
    fn with_capacity(rows: usize) -> Self;

    /// Takes the next row's cell, unless it does not fit.
    fn push(&mut self, cell: &[u8]) -> Result<(), Odd>;

    /// Why a cell does not fit: the code of the fault and what was expected.
    fn check(cell: &str) -> Result<(), (ErrorCode, &'static str)>;
}

/// Labels, each a number into a list of names.
#[derive(Debug)]
pub struct Labels {
    codes: Vec<u32>,
    names: Names,
}

/// Different names in the order of their first appearance, one after the other in one text.
#[derive(Debug, Default)]
struct Names {
    text: Vec<u8>,
    ends: Vec<usize>,
    codes: HashTable<u32>,
    hasher: RandomState,
}

impl Labels {
    /// The label of each row, as a number into [`Labels::names`].
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The different labels, in the order of their first appearance.
    pub fn names(&self) -> Vec<&str> {
        (0..self.names.ends.len()).map(|code| std::str::from_utf8(self.names.get(code)).unwrap_or_default()).collect()
    }
}

impl Values for Labels {
    fn with_capacity(rows: usize) -> Self {
        Self { codes: Vec::with_capacity(rows), names: Names::default() }
    }

    #[inline(always)]
    fn push(&mut self, cell: &[u8]) -> Result<(), Odd> {
        let code = self.names.code(cell)?;
        self.codes.push(code);
        Ok(())
    }

    fn check(_: &str) -> Result<(), (ErrorCode, &'static str)> {
        Ok(())
    }
}

impl Names {
    fn get(&self, code: usize) -> &[u8] {
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        &self.text[start..self.ends[code]]
    }

    #[inline(always)]
    fn code(&mut self, name: &[u8]) -> Result<u32, Odd> {
        let hash = self.hasher.hash_one(name);
        match self.codes.find(hash, |code| self.get(*code as usize) == name) {
            Some(code) => Ok(*code),
            None => self.add(name, hash),
        }
    }

    #[cold]
    fn add(&mut self, name: &[u8], hash: u64) -> Result<u32, Odd> {
        let code = u32::try_from(self.ends.len()).map_err(|_| Odd)?;
        self.text.extend_from_slice(name);
        self.ends.push(self.text.len());
        let Self { text, ends, codes, hasher } = self;
        codes.insert_unique(hash, code, |code| {
            let code = *code as usize;
            let start = if code == 0 { 0 } else { ends[code - 1] };
            hasher.hash_one(&text[start..ends[code]])
        });
        Ok(code)
    }
}

/// Finite numbers.
#[derive(Debug)]
pub struct Numbers(Vec<f64>);

impl Numbers {
    /// The number of each row.
    pub fn get(&self) -> &[f64] {
        &self.0
    }
}

impl Values for Numbers {
    fn with_capacity(rows: usize) -> Self {
        Self(Vec::with_capacity(rows))
    }

    #[inline(always)]
    fn push(&mut self, cell: &[u8]) -> Result<(), Odd> {
        let text = std::str::from_utf8(cell).map_err(|_| Odd)?;
        self.0.push(number(text).map_err(|_| Odd)?);
        Ok(())
    }

    fn check(cell: &str) -> Result<(), (ErrorCode, &'static str)> {
        number(cell).map(|_| ())
    }
}
