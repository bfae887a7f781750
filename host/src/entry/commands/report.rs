//! `report`: stored results become one page.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::json;

use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::entry::report_args::ReportArgs;
use crate::report::{Entry, Pictures, page};
use crate::results::{StoredSet, write_whole};
use crate::telemetry::time;

/// How every page begins.
const BEGINNING: &[u8] = b"<!doctype html>";

/// Writes the page. A result that is a failure is shown as one.
pub fn run(args: &ReportArgs, start: Instant) -> Result<Exit, ScoreError> {
    check_target(&args.out)?;
    let mut entries = Vec::new();
    for path in &args.results {
        for (name, result) in StoredSet::read(path)?.results {
            let result = result.map(|stored| {
                let pictures = Pictures::of(&stored);
                (stored, pictures)
            });
            entries.push(Entry { name, result });
        }
    }
    let text = page(&entries, &time::now());
    write_whole(&args.out, text.as_bytes()).map_err(|error| unwritable(&args.out, &error.to_string()))?;
    let out = args.out.display().to_string();
    if args.json {
        let data = json!({"report": out, "results": entries.len(), "bytes": text.len()});
        Envelope::new(Some(data), None, start).print();
    } else {
        print::out(out);
    }
    Ok(Exit::Done)
}

/// An older page is replaced; whatever else stands there is somebody's work.
fn check_target(path: &Path) -> Result<(), ScoreError> {
    let Ok(known) = fs::symlink_metadata(path) else { return Ok(()) };
    let mut beginning = Vec::new();
    if known.is_file() {
        let file = fs::File::open(path).map_err(|error| unwritable(path, &error.to_string()))?;
        _ = file.take(BEGINNING.len() as u64).read_to_end(&mut beginning);
    }
    if known.is_file() && (known.len() == 0 || beginning.eq_ignore_ascii_case(BEGINNING)) {
        return Ok(());
    }
    let message = format!("{} is there and is no page", path.display());
    Err(ScoreError::new(ErrorCode::InvalidParams, message).hint("name another file with -o").at_stage("usage"))
}

fn unwritable(path: &Path, error: &str) -> ScoreError {
    ScoreError::new(ErrorCode::MissingFile, format!("{} cannot be written: {error}", path.display()))
        .file(path.display().to_string())
        .hint("name a file in a folder that exists and can be written to")
        .at_stage("save")
}
