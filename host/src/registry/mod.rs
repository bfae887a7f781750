//! The registry: which scorer is which generation of which library, now; and how it follows a folder.
//!
//! Invariants: a job takes its generation under the same lock that a change of the table takes, and keeps it to its end;
//! a refused file changes nothing; a custom file never takes a built-in's name unless it is allowed to.

mod breaker;
mod events;
mod folder;
mod generation;
mod kept;
mod lease;
mod reconcile;
#[expect(clippy::module_inception, reason = "every file bears the name of its noun")]
mod registry;
mod table;

pub use events::{Event, Events, What};
pub use folder::{list as list_libraries, may_change_content};
pub use generation::{Generation, State};
pub use lease::Lease;
pub use reconcile::{Following, Reconciler};
pub use registry::Registry;
pub use table::{Provider, Table};
