//! `scorers watch`: what happens to the files of the folder, as it happens.

use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};

use super::interrupt;
use crate::engine::Engine;
use crate::entry::cli::WatchArgs;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::registry::Event;
use crate::settings::Settings;
use crate::telemetry::time::iso8601;

/// How often an interrupt is looked for.
const TICK: Duration = Duration::from_millis(50);

/// Watches until it is interrupted.
pub fn run(args: &WatchArgs, settings: &Settings) -> Result<Exit, ScoreError> {
    let failed = |error: std::io::Error| ScoreError::new(ErrorCode::UnhandledError, error.to_string());
    let cancel = interrupt::cancel()?;
    let engine = Engine::new(settings);
    let events = engine.registry().events.subscribe();
    print::err(format!("watching {}; Ctrl-C ends", engine.custom_scorers().display()));
    std::thread::scope(|scope| {
        // Following begins with loading what is there, which is worth watching too.
        let following = scope.spawn(|| engine.follow_folder().map(drop));
        while !cancel.requested() && !print::is_closed() {
            match events.recv_timeout(TICK) {
                Ok(event) => show(&event, args.jsonl),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        following.join().unwrap_or(Ok(())).map_err(failed)
    })?;
    Ok(Exit::Interrupted)
}

fn show(event: &Event, jsonl: bool) {
    if jsonl {
        print::out(serde_json::to_string(event).unwrap_or_default());
    } else {
        print::out(format!("{}  {}", iso8601(event.timestamp), event.what));
    }
}
