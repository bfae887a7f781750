//! The daemon: an engine with a queue, for months. What comes in by HTTP ([`crate::entry::http`]) is kept by
//! [`crate::queue`], scored by the [`Runners`], and told to those who asked by [`crate::callback`].

mod folders;
mod job_log;
mod pause;
mod root;
mod runner;
mod running;
mod secret;
mod settings;
mod sweep;
mod tally;
mod tokens;
mod word;

pub use folders::Folders;
pub use job_log::{JobLog, LogLine, read_log};
pub use root::Root;
pub use runner::Runners;
pub use running::{Progress, Running};
pub use secret::Secret;
pub use settings::{LogFormat, ServeArgs, ServeFile, ServeSettings};
pub use sweep::Sweep;
pub use tally::Tally;
pub use tokens::{Scope, Token, Tokens};
pub use word::said;
