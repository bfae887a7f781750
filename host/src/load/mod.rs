//! From a file to an open library: settle, check, copy, probe, open. Nothing here knows the registry.
//!
//! The order is the point. Until the check has passed, no byte of the file is mapped; until a child process has opened
//! the copy and lived, this process does not.

pub mod builtin;
mod c_call;
mod c_plugin;
pub mod elf;
pub mod file;
mod isolation;
mod loader;
mod open;
mod open_c;
mod probe;
mod refusal;
mod schema;
mod settle;
mod store;
mod vetted;

pub use c_call::AGAINST_RULES;
pub use isolation::{Isolation, Origin};
pub use loader::{Body, Library, Loader, LoaderSettings, inspect, peek, settle_and_peek};
pub use open::Plugin;
pub use refusal::{Finding, Refusal, Step};
pub use settle::QUIET;
pub use store::{private, sha256_of};
pub use vetted::Vetted;
