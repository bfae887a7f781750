//! The runtime on which calls are made: one thread of its own, so that it works inside of any other runtime.

use std::panic::resume_unwind;
use std::thread;

use tokio::runtime::Builder;

use crate::error::JudgeError;

/// Does the work of a future and waits for it.
pub(crate) fn block_on<T, F>(work: impl FnOnce() -> F + Send) -> Result<T, JudgeError>
where
    T: Send,
    F: Future<Output = Result<T, JudgeError>>,
{
    let runtime = Builder::new_current_thread().enable_all().build().map_err(|e| JudgeError::Setup(e.to_string()))?;
    let there = move || {
        let result = runtime.block_on(work());
        // A name that is being looked up must not hold up the end.
        runtime.shutdown_background();
        result
    };
    thread::scope(|scope| scope.spawn(there).join().unwrap_or_else(|panic| resume_unwind(panic)))
}
