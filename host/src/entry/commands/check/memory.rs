//! The check of a scorer's memory over many calls.

use std::path::Path;
use std::time::Instant;

use super::bar::Bar;
use super::list::{Found, in_a_line};
use super::trial::{Trial, is_own_fault};

/// So many calls show a leak.
const CALLS: u64 = 1_000;

/// After so many calls everything that is made once has been made.
const WARM: u64 = 100;

/// More growth than this over all calls is a leak.
const GROWTH: u64 = 8 << 20;

/// Many calls in one process leave its memory as it was.
pub fn check(trial: &Trial, workspace: &Path, bar: &Bar) -> Found {
    let start = Instant::now();
    let budget = trial.limits.time * 6;
    let (mut warm, mut calls) = (None, 0);
    while calls < CALLS && start.elapsed() < budget && !trial.cancel.requested() {
        if let Err(error) = trial.score(workspace)
            && is_own_fault(&error)
        {
            return Found::fail(format!("call {}: {}", calls + 1, in_a_line(&error)), trial.help(&error));
        }
        calls += 1;
        if calls == WARM {
            warm = trial.resident();
        }
        bar.calls(calls, CALLS);
    }
    let (Some(warm), Some(end), true) = (warm, trial.resident(), calls >= 2 * WARM) else {
        let time = start.elapsed().as_secs_f64();
        return Found::Skip(format!(
            "only {calls} calls in {time:.0} s, too few to tell; --timeout gives it more time"
        ));
    };
    let grown = end.saturating_sub(warm);
    if grown > GROWTH {
        let each = (grown / (calls - WARM)) >> 10;
        let found = format!("{} MiB more after {calls} calls, {each} KiB a call", grown >> 20);
        return Found::fail(found, "look for statics that grow, leaked boxes and threads that never end");
    }
    Found::Pass(format!("{calls} calls, {} KiB more", grown >> 10))
}
