//! The values of a keyed file: labels as numbers into a list of names, or numbers themselves.

use hashbrown::HashTable;

use super::key::{Key, Long};
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

/// Different names, numbered in the order of their first appearance.
#[derive(Debug, Default)]
struct Names {
    keys: HashTable<Key>,
    long: Long,
}

impl Labels {
    /// The label of each row, as a number into [`Labels::names`].
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The different labels, in the order of their first appearance.
    pub fn names(&self) -> Vec<String> {
        let mut keys: Vec<&Key> = self.names.keys.iter().collect();
        keys.sort_unstable_by_key(|key| key.number);
        keys.into_iter().map(|key| key.text(&self.names.long)).collect()
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
    #[inline(always)]
    fn code(&mut self, name: &[u8]) -> Result<u32, Odd> {
        let (key, hash) = Key::of(name, self.keys.len() as u32)?;
        match self.keys.find(hash, |known| known.is_of(&self.long, &key, name)) {
            Some(known) => Ok(known.number),
            None => self.add(key, hash, name),
        }
    }

    #[cold]
    fn add(&mut self, key: Key, hash: u64, name: &[u8]) -> Result<u32, Odd> {
        u32::try_from(self.keys.len()).map_err(|_| Odd)?;
        self.keys.insert_unique(hash, key.kept(name, &mut self.long), Key::hash);
        Ok(key.number)
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
        let number = match fast_float2::parse::<f64, _>(cell) {
            Ok(number) if number.is_finite() => number,
            // Blanks around it, perhaps.
            _ => std::str::from_utf8(cell).ok().and_then(|cell| number(cell).ok()).ok_or(Odd)?,
        };
        self.0.push(number);
        Ok(())
    }

    fn check(cell: &str) -> Result<(), (ErrorCode, &'static str)> {
        number(cell).map(|_| ())
    }
}
