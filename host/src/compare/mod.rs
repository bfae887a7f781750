//! Two results held against each other: metrics with their direction, items that changed sides, and what chance could have done.
//!
//! Nothing in here reads a file but [`items`]; the rest is numbers in, numbers out.

mod cells;
mod comparison;
mod direction;
mod flips;
mod interval;
mod items;
mod pulls;
mod random;

pub use comparison::{Caution, Comparison, Metric, Verdict, cautions};
pub use flips::Flips;
pub use interval::Interval;
pub use items::Items;
