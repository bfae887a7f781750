//! The guard around every entry of a library: a panic becomes an error, with its message and its place.
//!
//! It has to be inside the library: a panic that reaches the ABI ends the process, whatever the host catches.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use crate::error::{ErrorCode, ScoreError};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
    static LOCATION: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs an entry; a panic in it becomes SCORER_PANIC.
pub(crate) fn guard<T>(entry: &str, run: impl FnOnce() -> Result<T, ScoreError>) -> Result<T, ScoreError> {
    install_hook();
    let outer = GUARDED.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    GUARDED.set(outer);
    result.unwrap_or_else(|payload| Err(error_of(entry, payload)))
}

static HOOK: Once = Once::new();

/// For a library whose panics nobody can catch: they are printed, as ever, before they end the process.
pub(crate) fn keep_default_hook() {
    HOOK.call_once(|| {});
}

/// Keeps the place of a guarded panic and prints nothing; other panics go to the hook that was there before.
fn install_hook() {
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if GUARDED.get() {
                LOCATION.set(info.location().map(ToString::to_string));
            } else {
                previous(info);
            }
        }));
    });
}

fn error_of(entry: &str, payload: Box<dyn Any + Send>) -> ScoreError {
    let message = message_of(&*payload);
    // The payload's own destructor is foreign code that may panic again.
    std::mem::forget(payload);
    let mut error = ScoreError::new(ErrorCode::ScorerPanic, format!("the scorer panicked in {entry}: {message}"))
        .hint("this is a fault of the scorer, not of the workspace: report it to the scorer's author")
        .detail("panic", message);
    if let Some(location) = LOCATION.take() {
        error = error.detail("location", location);
    }
    error
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a payload that is no text".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Hostile;

    impl Drop for Hostile {
        fn drop(&mut self) {
            panic!("again");
        }
    }

    #[test]
    fn every_payload_becomes_an_error_with_its_place() {
        let text = guard::<()>("score", || panic!("row {}", 7)).unwrap_err();
        assert_eq!(text.message, "the scorer panicked in score: row 7");
        assert!(text.details.more["location"].as_str().unwrap().contains("panic.rs"));
        let odd = guard::<()>("score", || panic::panic_any(Hostile)).unwrap_err();
        assert_eq!(odd.message, "the scorer panicked in score: a payload that is no text");
    }
}
