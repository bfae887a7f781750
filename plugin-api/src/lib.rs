//! What a scorer author sees of autoscorer, and the stable ABI below it.
//!
//! A scorer is a unit struct that implements [`Scorer`]; [`export_scorers!`] turns one or several into a library that the
//! host loads while it runs. Everything a scorer may ask of the host is in [`Context`]; everything it gives back is an
//! [`Outcome`] or a [`ScoreError`].
//!
//! ```
//! use autoscorer_plugin_api::prelude::*;
//!
//! struct RowCount;
//!
//! impl Scorer for RowCount {
//!     const ABOUT: About = About {
//!         id: "row_count",
//!         version: "1.0.0",
//!         summary: "Counts the predicted rows",
//!         algorithm: "Row count",
//!     };
//!     type Params = NoParams;
//!
//!     fn score(&self, ctx: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
//!         let predictions = ctx.table("output/pred.csv", "id", &["label"])?;
//!         Ok(Outcome::new("rows", predictions.rows() as f64, Direction::Higher))
//!     }
//! }
//!
//! export_scorers!(RowCount);
//! # fn main() {}
//! ```
//!
//! The map: [`scorer`] the trait, [`context`] what the host gives, [`outcome`], [`error`] and [`faults`] what comes back, [`params`]
//! typed parameters, [`table`] CSV keyed by id, [`keyed`] the same for one column of any length, [`rank`] grades, [`parallel`] work on all cores, [`sum`] sums that lose nothing, [`metadata`] what a library says about itself without
//! being run, in [`text`] of the compiler's making, [`mod@export`] the macro, [`abi`] what really crosses the boundary, [`testing`] a kit for the author's own tests.

pub mod abi;
mod column;
pub mod context;
mod document;
pub mod error;
pub mod export;
pub mod faults;
pub mod files;
pub mod keyed;
pub mod metadata;
mod mismatch;
pub mod outcome;
mod panic;
pub mod parallel;
pub mod params;
pub mod rank;
mod rows;
pub mod scorer;
pub mod suggest;
pub mod sum;
pub mod table;
pub mod testing;
pub mod text;

pub use abi_stable;
pub use serde;
pub use serde_json;

/// All that a scorer usually needs.
pub mod prelude {
    pub use crate::context::{Context, Level};
    pub use crate::error::{ErrorCode, ScoreError};
    pub use crate::faults::Faults;
    pub use crate::outcome::{Direction, Outcome};
    pub use crate::params::{NoParams, Params};
    pub use crate::rank::Ranking;
    pub use crate::scorer::{About, Scorer};
    pub use crate::table::{Table, join};
    pub use crate::{export_scorers, params};
}
