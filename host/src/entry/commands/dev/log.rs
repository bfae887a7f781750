//! What a scorer says during a round: shown while it works, and kept for the round's line of JSON.

use autoscorer_plugin_api::context::Level;
use parking_lot::Mutex;

use crate::entry::print;
use crate::job::Observe;

/// How many lines of one round are kept and shown; a loop that logs must not flood the terminal.
const LINES: usize = 200;

/// The log of a round.
#[derive(Default)]
pub struct Log {
    lines: Mutex<Vec<String>>,
}

impl Log {
    /// The lines so far.
    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().clone()
    }
}

impl Observe for Log {
    fn log(&self, level: Level, message: &str) {
        let mut lines = self.lines.lock();
        if lines.len() > LINES {
            return;
        }
        let line = if lines.len() == LINES {
            format!("… more than {LINES} lines; the rest is not shown")
        } else {
            format!("{}: {message}", format!("{level:?}").to_lowercase())
        };
        print::err(format!("    {}", print::visible(&line)));
        lines.push(line);
    }

    fn progress(&self, _done: u64, _total: u64) {}
}

/// Nobody listens.
pub struct Unheard;

impl Observe for Unheard {
    fn log(&self, _level: Level, _message: &str) {}
    fn progress(&self, _done: u64, _total: u64) {}
}
