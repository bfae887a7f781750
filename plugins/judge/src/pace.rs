//! The pace of an endpoint: how many calls may be in flight, when all have to wait, and when to give the server up.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// Pairs in a row without an answer after which the server is given up.
const SILENCE: u32 = 8;
/// No pause of our own is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The pace of one endpoint, shared by all of its calls.
pub(crate) struct Pace {
    state: Mutex<State>,
    freed: Notify,
    most: usize,
    pause: Duration,
}

struct State {
    in_flight: usize,
    /// Calls that may be in flight: fewer after the server said that it is asked too often, more again with each success.
    limit: f64,
    /// When the server wants to be asked again.
    held_until: Option<Instant>,
    /// Pairs in a row that got no answer.
    silent: u32,
    /// Whether the server ever answered.
    proven: bool,
    /// When it last did, or when the run began.
    answered: Instant,
    closed: bool,
}

impl Pace {
    /// Up to `most` calls at once, and a first pause after a failure.
    pub(crate) fn new(most: usize, pause: Duration) -> Self {
        let limit = most as f64;
        let answered = Instant::now();
        let state = State { in_flight: 0, limit, held_until: None, silent: 0, proven: false, answered, closed: false };
        Self { state: Mutex::new(state), freed: Notify::new(), most, pause }
    }

    /// Waits for a slot; nothing if the server was given up meanwhile.
    pub(crate) async fn enter(&self) -> Option<Slot<'_>> {
        loop {
            match self.try_enter() {
                Entry::Open => return Some(Slot(self)),
                Entry::GivenUp => return None,
                Entry::Held(until) => sleep_until(until).await,
                Entry::Full => self.freed.notified().await,
                Entry::Closed => std::future::pending().await,
            }
        }
    }

    fn try_enter(&self) -> Entry {
        let mut state = self.state();
        let held = state.held_until.filter(|until| *until > Instant::now());
        if state.closed {
            return Entry::Closed;
        }
        if state.silent >= SILENCE {
            return Entry::GivenUp;
        }
        if let Some(until) = held {
            return Entry::Held(until);
        }
        if state.in_flight >= state.limit as usize {
            return Entry::Full;
        }
        state.in_flight += 1;
        Entry::Open
    }

    /// The pause before a call is made again for the n-th time, from 1: doubled each time, and spread, so that calls which
    /// failed together do not come back together.
    pub(crate) fn pause(&self, time: u32) -> Duration {
        let full = self.pause.saturating_mul(1 << (time - 1).min(16)).min(LONGEST_PAUSE);
        full.mul_f64(0.5 + 0.5 * random())
    }

    /// The server wants not to be asked for a while, by nobody. The first to hear it also makes room.
    pub(crate) fn hold(&self, wait: Duration) {
        let mut state = self.state();
        let now = Instant::now();
        if !wait.is_zero() && state.held_until.is_none_or(|until| until <= now) {
            state.limit = (state.limit * 0.75).max(1.0);
        }
        state.held_until = state.held_until.max(now.checked_add(wait));
    }

    /// A call brought something.
    pub(crate) fn succeeded(&self) {
        let mut state = self.state();
        state.silent = 0;
        state.proven = true;
        state.answered = Instant::now();
        let limit = (state.limit + 1.0 / state.limit).min(self.most as f64);
        let grown = limit as usize > state.limit as usize;
        state.limit = limit;
        if grown {
            self.freed.notify_one();
        }
    }

    /// All calls for a pair failed.
    pub(crate) fn gave_up(&self) {
        let mut state = self.state();
        state.silent += 1;
        if state.silent == SILENCE {
            self.freed.notify_waiters();
        }
    }

    /// Lets nobody in any more; who waits, waits on.
    pub(crate) fn close(&self) {
        self.state().closed = true;
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.state().in_flight
    }

    /// Whether the server ever answered as it should.
    pub(crate) fn is_proven(&self) -> bool {
        self.state().proven
    }

    /// Whether anybody got an answer since then.
    pub(crate) fn answered_since(&self, then: Instant) -> bool {
        let state = self.state();
        state.proven && state.answered > then
    }

    /// For how long nobody got an answer.
    pub(crate) fn quiet(&self) -> Duration {
        self.state().answered.elapsed()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Entry {
    Open,
    Full,
    Held(Instant),
    GivenUp,
    Closed,
}

/// The right to have one call in flight.
pub(crate) struct Slot<'p>(&'p Pace);

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.state().in_flight -= 1;
        self.0.freed.notify_one();
    }
}

/// A number from 0 to 1, another each time: the standard library seeds its hashes with random numbers.
fn random() -> f64 {
    (RandomState::new().hash_one(0) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::runtime::Builder;
    use tokio::time::timeout;

    const SOON: Duration = Duration::from_millis(1);

    /// Runs on a clock that jumps as soon as everybody waits.
    fn run(test: impl Future<Output = ()>) {
        Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(test);
    }

    #[test]
    fn slots_are_limited_and_come_back() {
        run(async {
            let pace = Pace::new(2, SOON);
            let first = pace.enter().await;
            let _second = pace.enter().await;
            assert!(timeout(SOON, pace.enter()).await.is_err());
            drop(first);
            assert!(timeout(SOON, pace.enter()).await.is_ok_and(|slot| slot.is_some()));
        });
    }

    #[test]
    fn the_whole_endpoint_waits_when_the_server_asks_for_it() {
        run(async {
            let pace = Pace::new(4, SOON);
            let begin = Instant::now();
            pace.hold(Duration::from_secs(7));
            pace.hold(Duration::from_secs(3));
            drop(pace.enter().await);
            assert!(begin.elapsed() >= Duration::from_secs(7));
        });
    }

    #[test]
    fn a_server_that_is_asked_too_often_gets_fewer_calls_until_it_answers_again() {
        run(async {
            let pace = Pace::new(4, SOON);
            pace.hold(SOON);
            let mut slots = Vec::new();
            while let Ok(Some(slot)) = timeout(Duration::from_secs(1), pace.enter()).await {
                slots.push(slot);
            }
            assert_eq!(slots.len(), 3);
            (0..4).for_each(|_| pace.succeeded());
            assert!(timeout(SOON, pace.enter()).await.is_ok());
        });
    }

    #[test]
    fn a_silent_server_is_given_up_and_one_answer_is_enough_not_to() {
        run(async {
            let pace = Pace::new(1, SOON);
            (1..SILENCE).for_each(|_| pace.gave_up());
            pace.succeeded();
            (1..SILENCE).for_each(|_| pace.gave_up());
            assert!(pace.enter().await.is_some());
            pace.gave_up();
            assert!(pace.enter().await.is_none());
        });
    }

    #[test]
    fn a_closed_endpoint_lets_nobody_in() {
        run(async {
            let pace = Pace::new(1, SOON);
            pace.close();
            assert!(timeout(Duration::from_secs(60), pace.enter()).await.is_err());
        });
    }

    #[test]
    fn pauses_double_are_spread_and_end_growing() {
        let pace = Pace::new(1, Duration::from_secs(1));
        for (time, most) in [(1, 1), (2, 2), (3, 4), (5, 16), (6, 30), (40, 30)] {
            let pause = pace.pause(time);
            let most = Duration::from_secs(most);
            assert!(most / 2 <= pause && pause <= most, "{time}: {pause:?}");
        }
        assert_ne!(pace.pause(3), pace.pause(3));
    }
}
