//! Workers: as many threads as there are cores, for work that comes out the same whoever does it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// A number of threads, the caller's among them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Workers(usize);

impl Workers {
    /// One for each core that this process may use.
    pub(crate) fn all() -> Self {
        Self::new(thread::available_parallelism().map_or(1, usize::from))
    }

    pub(crate) fn new(count: usize) -> Self {
        Self(count.max(1))
    }

    /// No more than there is work for.
    pub(crate) fn at_most(self, count: usize) -> Self {
        Self::new(self.0.min(count))
    }

    /// Does the same work on every thread. Where no thread can be had, the caller's does all of it.
    pub(crate) fn run(self, work: impl Fn() + Sync) {
        thread::scope(|scope| {
            for _ in 1..self.0 {
                if thread::Builder::new().spawn_scoped(scope, &work).is_err() {
                    break;
                }
            }
            work();
        });
    }

    /// The results of numbered tasks, in order.
    pub(crate) fn map<T: Send>(self, count: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
        self.map_with(count, || (), |(), number| task(number))
    }

    /// The same, with something that each thread makes once and uses for all its tasks.
    pub(crate) fn map_with<S, T: Send>(
        self,
        count: usize,
        make: impl Fn() -> S + Sync,
        task: impl Fn(&mut S, usize) -> T + Sync,
    ) -> Vec<T> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(count));
        self.at_most(count).run(|| {
            let mut own = make();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return;
                }
                let result = task(&mut own, number);
                done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, result)| result).collect()
    }

    /// Two pieces of work at the same time.
    pub(crate) fn both<A: Send, B: Send>(self, one: impl Fn() -> A + Sync, other: impl Fn() -> B + Sync) -> (A, B) {
        enum Half<A, B> {
            One(A),
            Other(B),
        }
        let halves = self.map(2, |number| if number == 0 { Half::One(one()) } else { Half::Other(other()) });
        let mut halves = halves.into_iter();
        match (halves.next(), halves.next()) {
            (Some(Half::One(first)), Some(Half::Other(second))) => (first, second),
            _ => (one(), other()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order_whoever_worked() {
        for threads in [1, 2, 7] {
            let squares = Workers::new(threads).map(100, |number| number * number);
            assert_eq!(squares, (0..100).map(|number| number * number).collect::<Vec<_>>());
            assert_eq!(Workers::new(threads).both(|| 'a', || 1), ('a', 1));
        }
    }
}
