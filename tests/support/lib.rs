//! What the tests share: the built programs, a place to run them in, a live host to talk to, and a daemon with a client for it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on has to fail")]

mod archive;
mod book;
mod built;
mod compiled;
mod generated;
mod http;
mod live;
mod sandbox;
mod schema;
mod server;
mod tls;

pub use archive::{archive, workspace_files};
pub use book::{Block, Desk, blocks, is_as_said};
pub use built::{FAMILIES, built, versioned};
pub use compiled::compiled;
pub use generated::{keep_document, keep_part};
pub use http::{Client, Event, EventStream, Response};
pub use live::{Live, eventually, good_version};
pub use sandbox::{Finished, Sandbox};
pub use schema::assert_valid;
pub use server::{Held, Server, forget_events, hold_queue};
pub use tls::{AUTHORITY, Tls};
