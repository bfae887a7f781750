//! Callbacks: telling a client that its job has ended, signed, until it has heard it or cannot be told.
//!
//! Invariants: a request goes only to addresses that were checked, whatever a name resolves to the next time; the
//! secret is in nobody's log; what a receiver answers is never shown to anybody, so that a callback cannot be used to
//! read what the daemon can reach.

mod address;
mod backoff;
mod courier;
mod resolve;
mod round;
mod signature;
mod target;
#[cfg(test)]
mod tests;

pub use courier::Courier;
pub use round::run;
pub use signature::{SIGNATURE, Unproven, verify};
pub use target::Target;
