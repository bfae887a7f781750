//! The queue's file: whole, of a version that is known, and held by a daemon or not.

use super::{Examination, Finding};
use crate::daemon::Folders;
use crate::queue::{State, examine};

const SUBJECT: &str = "daemon's queue";

/// Looks at the file, and changes nothing.
pub fn check(seen: &Examination<'_>) -> Vec<Finding> {
    if !seen.has_data() {
        return Vec::new();
    }
    let file = Folders::queue_in(&seen.serve.data);
    let name = file.display();
    if !file.exists() {
        return vec![Finding::fine(SUBJECT, format!("none yet; {name} is made when the daemon starts"))];
    }
    vec![match examine(&file) {
        Ok(looked) => {
            let holder = if looked.held { "a daemon has it open" } else { "no daemon has it open" };
            let counts = looked.counts.unwrap_or_default();
            let jobs = State::ALL.map(|state| format!("{} {}", counts.of(state), state.as_str())).join(", ");
            let whole = if looked.checked { "whole" } else { "too large to be checked" };
            Finding::fine(SUBJECT, format!("{name}, {whole}; {jobs}; {holder}"))
        }
        Err(error) => Finding::broken(
            SUBJECT,
            format!("{name}: {error}"),
            "restore it from a backup, or move it away; the daemon does not start with it",
        ),
    }]
}
