//! Work on all cores, with results that do not depend on how many there are.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// More threads than this are hardly ever faster at reading files, and jobs run side by side as well.
const MOST_THREADS: usize = 8;

/// Does tasks 0, 1, 2, … on all cores and gives their results in that order.
///
/// ```
/// use autoscorer_plugin_api::parallel;
///
/// assert_eq!(parallel::map(4, |task| task * task), [0, 1, 4, 9]);
/// ```
pub fn map<T: Send>(tasks: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = if tasks < 2 { 1 } else { thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS) };
    if threads == 1 {
        return (0..tasks).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let some = || {
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|task| *task < tasks);
        std::iter::from_fn(take).map(|task| (task, work(task))).collect::<Vec<_>>()
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads.min(tasks)).map(|_| scope.spawn(some)).collect();
        let mut done = some();
        for other in others {
            done.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(task, _)| *task);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The same for pieces of a range of rows that are worth a task each: `(start, end)`.
pub fn map_rows<T: Send>(rows: usize, work: impl Fn(std::ops::Range<usize>) -> T + Sync) -> Vec<T> {
    const PIECE: usize = 1 << 16;
    map(rows.div_ceil(PIECE), |piece| work(piece * PIECE..rows.min((piece + 1) * PIECE)))
}

/// Does one thing on this thread and another on a second one.
pub fn both<A, B: Send>(here: impl FnOnce() -> A, there: impl FnOnce() -> B + Send) -> (A, B) {
    thread::scope(|scope| {
        let there = scope.spawn(there);
        let here = here();
        (here, there.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_tasks() {
        assert_eq!(map(1_000, |task| task), (0..1_000).collect::<Vec<_>>());
        assert!(map(0, |task| task).is_empty());
    }

    #[test]
    fn pieces_cover_every_row_once() {
        for rows in [0, 1, 1 << 16, (1 << 17) + 1] {
            let pieces = map_rows(rows, |piece| piece);
            assert_eq!(pieces.iter().flat_map(Clone::clone).collect::<Vec<_>>(), (0..rows).collect::<Vec<_>>());
        }
    }

    #[test]
    #[should_panic(expected = "task 7")]
    fn a_panic_on_another_thread_is_a_panic_here() {
        map(64, |task| assert_ne!(task, 7, "task 7"));
    }
}
