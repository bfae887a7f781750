//! From bytes to columns: JSON arrays of items, read in blocks by all cores, without building a tree.
//!
//! [`source`] is the file, [`cursor`] and [`number`] are the grammar, [`item`] is one element read the careful way and [`shape`]
//! the quick one, [`part`] is a stretch of an array, [`array`] reads many of them at once and [`chain`] joins
//! them, [`document`] is what surrounds the arrays, and
//! [`problem`] what is wrong with an item.

pub(crate) mod array;
mod chain;
pub(crate) mod cursor;
pub(crate) mod document;
pub(crate) mod item;
mod number;
pub(crate) mod part;
pub(crate) mod problem;
pub(crate) mod shape;
pub(crate) mod source;
