//! From matches to numbers and documents.

pub(crate) mod beside;
pub(crate) mod bootstrap;
pub(crate) mod breakdown;
pub(crate) mod document;
pub(crate) mod evaluation;
pub(crate) mod outcome;
pub(crate) mod rate;
pub(crate) mod rows;
pub(crate) mod totals;
