//! `config show`: every setting, its value, and where it comes from.

use std::time::Instant;

use autoscorer_plugin_api::error::ScoreError;
use serde_json::json;

use crate::entry::client_args::ConfigShowArgs;
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::settings::{HostArgs, Settings};

/// Shows the settings.
pub fn show(args: &ConfigShowArgs, host: &HostArgs, start: Instant) -> Result<Exit, ScoreError> {
    let (_, _, picker) = Settings::load_serve(host, &args.serve)?;
    let file = Settings::file(host).map(|file| file.display().to_string());
    if args.json {
        Envelope::new(Some(json!({"file": file, "settings": picker.shown})), None, start).print();
        return Ok(Exit::Done);
    }
    let mut table = print::table(&["setting", "value", "origin"]);
    for shown in &picker.shown {
        table.add_row([shown.name, &print::visible(&shown.text()), &shown.origin.to_string()]);
    }
    print::out(print::rows(&table));
    print::err(match file {
        Some(file) => format!("settings file: {file}"),
        None => "settings file: none; autoscorer.toml would be read from here, or one named with --config".to_owned(),
    });
    Ok(Exit::Done)
}
