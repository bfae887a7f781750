//! What helps the author of a scorer against its errors; the hints of the host are for those who use it.

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::metadata::Abi;

use crate::load::AGAINST_RULES;

const PANICKED: &str = "return a ScoreError instead of unwrap, expect and indexing; the place is in the message";

const TOO_MUCH_MEMORY: &str = "read the input in parts, and free what is not needed";

/// What makes two runs of a scorer differ, as a rule.
pub const NOT_THE_SAME: &str =
    "look for the clock, random numbers, the order of a HashMap or its like, and threads that add numbers up";

/// What to do about an error, in words for the scorer's author.
pub fn help(error: &ScoreError, abi: Abi) -> Option<&str> {
    match error.code {
        ErrorCode::ScorerPanic => Some(PANICKED),
        ErrorCode::ScorerCrashed => Some(crashed(abi)),
        ErrorCode::TimeoutError => Some(timed_out(abi)),
        ErrorCode::MemoryLimit => Some(TOO_MUCH_MEMORY),
        _ if error.details.more.contains_key(AGAINST_RULES) => {
            Some("docs/other_languages.md says what an entry answers, and how")
        }
        _ => error.details.hint.as_deref().filter(|hint| !hint.contains("author")),
    }
}

fn crashed(abi: Abi) -> &'static str {
    match abi {
        Abi::Rust => {
            "the process of the scorer has died: look for unsafe code, process::exit, abort, a panic while panicking, \
             and recursion without end"
        }
        Abi::C => {
            "the process of the scorer has died: look for pointers and sizes that are wrong, exit, abort, an exception \
             that leaves its entry, and recursion without end"
        }
    }
}

fn timed_out(abi: Abi) -> &'static str {
    match abi {
        Abi::Rust => {
            "look for a loop without end, and ask ctx.check() in long ones; if the scorer needs that long, give it more \
             with --timeout"
        }
        Abi::C => {
            "look for a loop without end, and ask host->cancelled(call) in long ones; if the scorer needs that long, \
             give it more with --timeout"
        }
    }
}

/// How a scorer hears that it is to stop.
pub fn hearing(abi: Abi) -> &'static str {
    match abi {
        Abi::Rust => "ask ctx.check() in long loops and return its error; ctx.table and ctx.json do so while they read",
        Abi::C => "ask host->cancelled(call) in long loops, and return AUTOSCORER_ERROR when it says 1",
    }
}
