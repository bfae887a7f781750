//! Results that were written earlier: found in folders, read back, and held against gates.
//!
//! A result and its artifacts may come from anywhere, so everything in them is foreign text: sizes are capped, and no path
//! in them leads out of its workspace.

mod foreign;
mod gate;
mod junit;
mod markup;
mod scoreline;
mod stored;
mod stored_set;

pub use foreign::write_whole;
pub use gate::{Gate, Unknown};
pub use junit::{Case, Trouble, junit};
pub use markup::escaped;
pub use scoreline::Scoreline;
pub use stored::Stored;
pub use stored_set::StoredSet;
