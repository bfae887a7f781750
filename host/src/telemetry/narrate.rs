//! The narration: what people read on stderr while the host works. Data goes to stdout, never here.

use std::fmt::Display;
use std::io::Write;
use std::sync::atomic::{AtomicU8, Ordering};

use autoscorer_plugin_api::context::Level;

static THRESHOLD: AtomicU8 = AtomicU8::new(Level::Warn as u8);

/// Sets from which level on lines are printed.
pub fn from(level: Level) {
    THRESHOLD.store(level as u8, Ordering::Relaxed);
}

/// Prints a line, if its level is high enough.
pub fn line(level: Level, text: impl Display) {
    if level as u8 >= THRESHOLD.load(Ordering::Relaxed) {
        // A closed stderr must not stop the work.
        _ = anstream::stderr().lock().write_all(format!("{text}\n").as_bytes());
    }
}
