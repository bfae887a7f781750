//! Whether two notes mean the same.

pub(crate) mod judging;
pub(crate) mod lexical;
mod stem;
mod terms;
pub(crate) mod vectors;
