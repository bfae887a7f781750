//! What is left behind in the workspace: `output/result.json` and `output/artifacts/`, both replaced as a whole.
//!
//! Invariants: `result.json` is complete or absent; it is removed before a job begins, so that a job that was killed
//! leaves no older score behind; `artifacts/` holds exactly what `result.json` lists.

mod artifacts;
mod inputs;
mod lock;
mod result;

pub use artifacts::{ArtifactFolder, is_leaving};
pub use inputs::Inputs;
pub use lock::WorkspaceLock;
pub use result::{Resources, ResultFile, Timing, Versioning, forget, write};
