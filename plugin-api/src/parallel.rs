//! Workers: as many threads as there are cores, for work that comes out the same whoever does it.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// More threads than this are hardly ever faster at reading files, and jobs run side by side as well.
const MOST_THREADS: usize = 8;

/// How many rows are worth a task.
const ROWS: usize = 1 << 16;

/// A number of threads, the caller's among them.
///
/// ```
/// use autoscorer_plugin_api::parallel::Workers;
///
/// assert_eq!(Workers::all().map(4, |task| task * task), [0, 1, 4, 9]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Workers(usize);

impl Workers {
    /// One for each core that this process may use.
    pub fn all() -> Self {
        Self::new(thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS))
    }

    /// So many, for tests that a result does not depend on it.
    pub fn new(count: usize) -> Self {
        Self(count.max(1))
    }

    /// No more than there is work for.
    #[must_use]
    pub fn at_most(self, count: usize) -> Self {
        Self::new(self.0.min(count))
    }

    /// Does the same work on every thread. Where no thread can be had, the caller's does all of it.
    pub fn run(self, work: impl Fn() + Sync) {
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
    pub fn map<T: Send>(self, count: usize, task: impl Fn(usize) -> T + Sync) -> Vec<T> {
        self.map_with(count, || (), |(), number| task(number))
    }

    /// The same, with something that each thread makes once and uses for all its tasks.
    pub fn map_with<S, T: Send>(
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

    /// The results for stretches of rows, in order. The stretches are the same however many threads there are.
    pub fn map_rows<T: Send>(self, rows: usize, task: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
        self.map(rows.div_ceil(ROWS), |stretch| task(stretch * ROWS..rows.min((stretch + 1) * ROWS)))
    }

    /// Two pieces of work at the same time.
    pub fn both<A: Send, B: Send>(self, one: impl Fn() -> A + Sync, other: impl Fn() -> B + Sync) -> (A, B) {
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

    #[test]
    fn stretches_cover_every_row_once() {
        for rows in [0, 1, ROWS, 2 * ROWS + 1] {
            let stretches = Workers::new(2).map_rows(rows, |stretch| stretch);
            assert_eq!(stretches.iter().flat_map(Clone::clone).collect::<Vec<_>>(), (0..rows).collect::<Vec<_>>());
        }
    }

    #[test]
    #[should_panic]
    fn a_panic_on_any_thread_is_a_panic_here() {
        Workers::new(3).map(64, |task| assert_ne!(task, 7));
    }
}
