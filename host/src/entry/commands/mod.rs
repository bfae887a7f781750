//! The commands, one file each.

pub mod completions;
pub mod inspect;
mod interrupt;
mod laid_out;
pub mod list;
pub mod man;
pub mod replay;
mod requests;
pub mod review;
pub mod score;
pub mod show;
mod stream;
pub mod validate;
pub mod watch;
pub mod worker;
