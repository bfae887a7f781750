//! What the tests share: the built programs, a place to run them in, and a live host to talk to.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on has to fail")]

mod built;
mod live;
mod sandbox;

pub use built::{PLUGINS, built, versioned};
pub use live::{Live, eventually, good_version};
pub use sandbox::{Finished, Sandbox};
