//! What a round is doing, said when it takes long: silence looks like a hang.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::entry::print;

/// What takes no longer needs no words.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often it is said again.
const AGAIN: Duration = Duration::from_secs(10);

/// What a round is doing.
pub struct Phase {
    state: Mutex<State>,
}

struct State {
    what: &'static str,
    since: Instant,
    due: Duration,
}

impl State {
    fn new(what: &'static str) -> Self {
        Self { what, since: Instant::now(), due: PATIENCE }
    }
}

impl Phase {
    /// Begins with this.
    pub fn new(what: &'static str) -> Self {
        Self { state: Mutex::new(State::new(what)) }
    }

    /// Goes on with this.
    pub fn enter(&self, what: &'static str) {
        *self.state.lock() = State::new(what);
    }

    /// Says what is being done, if it is time to.
    pub fn tell(&self) {
        let mut state = self.state.lock();
        let taken = state.since.elapsed();
        if taken >= state.due {
            print::err(format!("{}… {} s", state.what, taken.as_secs()));
            state.due = taken + AGAIN;
        }
    }
}
