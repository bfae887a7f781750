//! `scorers new`: a crate with one scorer, its tests and its golden cases, written whole or not at all.

mod api;
mod name;
mod template;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::json;

use crate::engine::Engine;
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::new_args::NewArgs;
use crate::entry::print;
use crate::settings::Settings;
use api::Api;
use name::Names;

/// Writes the crate.
pub fn run(args: &NewArgs, settings: &Settings, start: Instant) -> Result<Exit, ScoreError> {
    let names = Names::of(&args.name)?;
    if Engine::new(settings).registry().is_reserved(&names.id) {
        let hint = format!("try {}-2, or any other name", names.package);
        return Err(name::wrong(&args.name, "is a built-in scorer", "a name that is free", &hint));
    }
    let folder = args.dir.join(&names.package);
    if folder.symlink_metadata().is_ok() {
        return Err(ScoreError::new(ErrorCode::InvalidParams, format!("{} is already there", folder.display()))
            .file(folder.display().to_string())
            .expected("a folder that does not exist yet")
            .hint("choose another name, or another place with --dir; nothing was written")
            .at_stage("usage"));
    }
    let api = Api::find(args.api.as_deref(), &args.dir)?;
    let files = contents(args, &names, &api);
    write_whole(&folder, &files).map_err(|error| unwritable(&folder, &error))?;
    show(args, &names, &folder, &api, &files, start);
    Ok(Exit::Done)
}

/// The files with their texts.
fn contents(args: &NewArgs, names: &Names, api: &Api) -> Vec<(&'static str, String)> {
    let dependency = api.dependency();
    let words = [
        (template::OWN_DEPENDENCY, dependency.as_str()),
        ("my-scorer", &names.package),
        ("my_scorer", &names.id),
        ("MyScorer", &names.scorer),
        ("MyParams", &names.params),
    ];
    let mut files: Vec<_> =
        template::files(args.kind).map(|(path, text)| (path, template::replace(text, &words))).collect();
    // The versions that the API was built with are those that are here already, so that nothing has to be fetched.
    files.extend(api.lock().map(|lock| ("Cargo.lock", lock)));
    files
}

/// Writes aside and renames, so that a folder with half a crate is never seen.
fn write_whole(folder: &Path, files: &[(&str, String)]) -> io::Result<()> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let aside = folder.with_file_name(format!(".{name}.new-{}", std::process::id()));
    let write = || {
        for (path, text) in files {
            let path = aside.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&aside))?;
            fs::write(path, text)?;
        }
        fs::rename(&aside, folder)
    };
    write().inspect_err(|_| _ = fs::remove_dir_all(&aside))
}

fn unwritable(folder: &Path, error: &io::Error) -> ScoreError {
    ScoreError::new(ErrorCode::WorkspaceNotFound, format!("{} cannot be written: {error}", folder.display()))
        .file(folder.display().to_string())
        .expected("a folder that can be written to")
        .hint("choose another place with --dir; nothing was written")
        .at_stage("save")
}

fn show(args: &NewArgs, names: &Names, folder: &Path, api: &Api, files: &[(&str, String)], start: Instant) {
    // Nothing of what is said to be next succeeds without it.
    if api.path().is_none() {
        let message = "the plugin-api folder of autoscorer was not found: set its path in Cargo.toml before you go on, \
                       or make the crate anew with --api";
        print::err(print::warning(&names.package, message));
    }
    let written: Vec<PathBuf> = files.iter().map(|(path, _)| folder.join(path)).collect();
    if args.json {
        let data = json!({
            "package": names.package,
            "scorer": names.id,
            "folder": folder,
            "plugin_api": api.path(),
            "files": written,
        });
        Envelope::new(Some(data), None, start).print();
    } else {
        for path in &written {
            print::out(path.display());
        }
        let (folder, id) = (folder.display(), &names.id);
        print::err(format!(
            "\nNext:\n  cargo test --manifest-path {folder}/Cargo.toml\n  autoscorer scorers dev {folder} --workspace \
             {folder}/cases/good\n  cargo build --release --manifest-path {folder}/Cargo.toml\n  autoscorer scorers check \
             {folder}/target/release/lib{id}.so --workspace {folder}/cases/good\n  mkdir -p \
             custom_scorers\n  cp {folder}/target/release/lib{id}.so custom_scorers/"
        ));
    }
}
