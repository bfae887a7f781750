//! The check of whether a scorer hears that it is to stop: a call that takes long is asked in its beginning, middle and end.

use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::Value;

use super::inputs::Inputs;
use super::list::Found;
use super::trial::Trial;
use crate::entry::commands::author;
use crate::isolate::{GRACE, KILLED};
use crate::run::Cancel;

/// A call of this length has enough of itself left at its last quarter: more than a scorer gets that was asked to stop.
const LONG: Duration = Duration::from_secs(1);

/// A call that takes longer is taken to be so long.
const LONGEST: Duration = Duration::from_secs(3);

/// The size of files to begin with, where the workspace as it is takes no time.
const FIRST: usize = 1 << 20;

/// A machine that is busy with other things may keep a scorer from hearing; not so often in a row.
const TRIES: usize = 5;

/// How much of a call is done when it is asked to stop.
const POINTS: [f64; 3] = [0.25, 0.5, 0.75];

/// A call that takes long stops when it is asked to, wherever it is.
pub fn check(trial: &Trial, inputs: &Inputs) -> io::Result<Found> {
    let (workspace, full) = match long_call(trial, inputs)? {
        Ok(found) => found,
        Err(why) => return Ok(Found::Skip(why)),
    };
    let mut slowest: Option<Duration> = None;
    for point in POINTS {
        match ask_again(trial, &workspace, full.mul_f64(point)) {
            Answer::Stopped(latency) => slowest = slowest.max(Some(latency)),
            Answer::Killed => return Ok(deaf(trial, full, point)),
            Answer::Ended => {}
        }
    }
    Ok(match slowest {
        // The grace counts from when the scorer is told; nobody outside sees that moment.
        Some(latency) => Found::Pass(format!(
            "stops in time: {} ms after it is asked at the most, with the host's way there and back",
            latency.as_millis()
        )),
        None => Found::Skip("its calls took too different times to be asked in the middle of one".to_owned()),
    })
}

fn deaf(trial: &Trial, full: Duration, point: f64) -> Found {
    let (full, asked) = (full.as_millis(), full.mul_f64(point).as_millis());
    Found::fail(
        format!(
            "it had to be killed: asked after {asked} ms of a call of {full} ms, it had not stopped {} ms later",
            GRACE.as_millis()
        ),
        author::hearing(trial.abi()),
    )
}

/// A workspace whose score takes long, and how long; or why there is none. Files grow until one does.
fn long_call(trial: &Trial, inputs: &Inputs) -> io::Result<Result<(PathBuf, Duration), String>> {
    let mut workspace = inputs.good("to-stop")?;
    let (mut size, mut largest) = (FIRST, 0);
    loop {
        let (time, answer) = trial.time(&workspace);
        if time >= LONG {
            return Ok(Ok((workspace, time.min(LONGEST))));
        }
        if let Err(error) = &answer
            && error.code == ErrorCode::MemoryLimit
        {
            return Ok(Err(format!("no call is long enough: {}", error.message)));
        }
        let (next, now) = inputs.grown(size)?;
        if now <= largest || trial.cancel.requested() {
            let how = answer.err().map(|error| format!(" and gives {}", error.code)).unwrap_or_default();
            let (time, size) = (time.as_millis(), largest.max(1 << 10) >> 10);
            return Ok(Err(format!(
                "no call is long enough to be stopped: with files of {size} KiB it takes {time} ms{how}"
            )));
        }
        (workspace, largest) = (next, now);
        // Towards the length that is wanted, but never far at once.
        let factor = (1.2 * LONG.as_secs_f64() / time.as_secs_f64().max(1e-3)).clamp(1.5, 8.0);
        size = (size as f64 * factor) as usize;
    }
}

enum Answer {
    /// It stopped by itself, so long after it was asked.
    Stopped(Duration),
    /// It had to be killed.
    Killed,
    /// It was done before it heard.
    Ended,
}

fn ask_again(trial: &Trial, workspace: &Path, after: Duration) -> Answer {
    let answers = (0..TRIES).map(|_| ask(trial, workspace, after));
    let mut last = Answer::Ended;
    for answer in answers {
        last = answer;
        if matches!(last, Answer::Stopped(_)) || trial.cancel.requested() {
            break;
        }
    }
    last
}

/// Begins a call, and asks it to stop a while after.
fn ask(trial: &Trial, workspace: &Path, after: Duration) -> Answer {
    let cancel = Cancel::default();
    let (answer, latency) = thread::scope(|scope| {
        let call = scope.spawn(|| trial.score_until(workspace, None, &cancel));
        thread::sleep(after);
        let asked = Instant::now();
        cancel.request();
        let answer = call.join().unwrap_or_else(|_| Err(ScoreError::new(ErrorCode::UnhandledError, "no answer")));
        (answer, asked.elapsed())
    });
    match answer {
        Err(error) if error.code != ErrorCode::Cancelled => Answer::Ended,
        Err(error) if error.details.more.get(KILLED) == Some(&Value::Bool(true)) => Answer::Killed,
        Err(_) => Answer::Stopped(latency),
        Ok(_) => Answer::Ended,
    }
}
