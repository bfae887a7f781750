//! The demo: workspaces of every built-in scorer, one that is broken, and a small benchmark of code reviews.

mod files;
mod folder;

pub use files::{EXPECTED, FILES};
pub use folder::write;
