//! A workspace laid out by `review`: copies of comments and references in one folder, ours alone.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::{Map, Value, json};

use super::SCORER;
use super::words::Words;
use crate::entry::print;
use crate::entry::review_args::ReviewArgs;
use crate::save::ResultFile;

/// Says in `meta.json` that a folder is ours, with nothing in it that is not a copy.
const MADE_BY: &str = "autoscorer review";

/// What is brought up from the artifacts, so that nobody has to look for it.
const BROUGHT_UP: [&str; 2] = ["evaluation_results.json", "report.html"];

/// The laid out workspace.
pub struct LaidOut {
    folder: PathBuf,
    /// Every file's name in it, and where it was copied from.
    copied: Vec<(String, String)>,
}

impl LaidOut {
    /// Copies the files. What would lie in the way of `-o` is an error wherever they are copied to: a folder that holds
    /// something else is left alone.
    pub fn new(args: &ReviewArgs, folder: &Path, params: &Map<String, Value>) -> Result<Self, ScoreError> {
        check_ours(&args.out)?;
        let others = [&args.negatives, &args.manifest].into_iter().flatten();
        for source in [&args.comments, &args.references].into_iter().chain(others) {
            check_outside(source, &args.out)?;
        }
        let comments = comment_files(&args.comments)?;
        let mut laid_out = Self { folder: folder.to_owned(), copied: Vec::new() };
        laid_out.clear(params).map_err(|error| laid_out.unwritable(&error))?;
        let extension = if args.references.extension().is_some_and(|name| name == "jsonl") { "jsonl" } else { "json" };
        laid_out.copy(&args.references, &format!("input/positive_samples.{extension}"))?;
        if let Some(file) = &args.negatives {
            laid_out.copy(file, "input/negative_samples.json")?;
        }
        if let Some(file) = &args.manifest {
            laid_out.copy(file, "input/manifest.json")?;
        }
        for (file, name) in comments {
            laid_out.copy(&file, &format!("output/{name}"))?;
        }
        Ok(laid_out)
    }

    /// The files as the user knows them.
    pub fn words(&self) -> Words {
        Words::of(&self.copied)
    }

    /// Writes down what the scorer chose by itself, so that whoever scores the workspace later chooses the same.
    pub fn pin(&self, params: &Map<String, Value>, result: &ResultFile) -> Result<(), ScoreError> {
        let of_error = || result.error.as_ref()?.details.more.get("chosen");
        let chosen = result.details.get("chosen").or_else(of_error).and_then(Value::as_object);
        let Some(mut pinned) = chosen.cloned() else { return Ok(()) };
        pinned.extend(params.clone().into_iter().filter(|(_, value)| value != "auto"));
        self.write_meta(&pinned).map_err(|error| self.unwritable(&error))
    }

    /// Puts what people open first next to `meta.json`; after a failure nothing is there.
    pub fn bring_up(&self, result: &ResultFile) -> Result<(), ScoreError> {
        for name in BROUGHT_UP {
            let target = self.folder.join(name);
            let artifact = result.artifacts.get(name).map(|artifact| self.folder.join(&artifact.path));
            // What is there may be the earlier artifact itself, so it is never written into.
            let brought = remove(&target).and_then(|()| artifact.map_or(Ok(()), |artifact| link(&artifact, &target)));
            brought.map_err(|error| self.unwritable(&error))?;
        }
        Ok(())
    }

    /// Makes the folder ours, then removes the files of an earlier run; its verdicts stay.
    fn clear(&self, params: &Map<String, Value>) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        self.write_meta(params)?;
        for folder in ["input", "output"] {
            fs::create_dir_all(self.folder.join(folder))?;
            for entry in fs::read_dir(self.folder.join(folder))? {
                let entry = entry?;
                let name = entry.file_name();
                let ours = folder == "input" || name.to_string_lossy().ends_with(".txt");
                if ours && !entry.file_type()?.is_dir() {
                    fs::remove_file(entry.path())?;
                }
            }
        }
        Ok(())
    }

    fn write_meta(&self, params: &Map<String, Value>) -> io::Result<()> {
        let meta = json!({"scorer": SCORER, "params": params, "made_by": MADE_BY});
        fs::write(self.folder.join("meta.json"), format!("{meta:#}\n"))
    }

    fn copy(&mut self, file: &Path, name: &str) -> Result<(), ScoreError> {
        if !file.is_file() {
            let message = format!("{} is no file", file.display());
            return Err(ScoreError::new(ErrorCode::MissingFile, message)
                .file(file.display().to_string())
                .hint("check the path; --references, --negatives and --manifest name one file each"));
        }
        self.copied.push((name.to_owned(), file.display().to_string()));
        fs::copy(file, self.folder.join(name)).map(|_| ()).map_err(|error| {
            let message = format!("{} cannot be copied to {}: {error}", file.display(), self.folder.display());
            ScoreError::new(ErrorCode::MissingFile, message).file(file.display().to_string())
        })
    }

    fn unwritable(&self, error: &io::Error) -> ScoreError {
        let message = format!("{} cannot be written: {error}", self.folder.display());
        ScoreError::new(ErrorCode::WorkspaceNotFound, message).at_stage("save")
    }
}

/// Whether a folder is new, empty, or one of ours.
fn check_ours(folder: &Path) -> Result<(), ScoreError> {
    let empty = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    let meta = fs::read(folder.join("meta.json")).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    if empty || meta.is_some_and(|meta| meta["made_by"] == MADE_BY) {
        return Ok(());
    }
    let message = format!("{} holds something else than what this command has written", folder.display());
    Err(ScoreError::new(ErrorCode::InvalidParams, message).hint("name a new folder with -o").at_stage("usage"))
}

/// What is read must not lie where an earlier run is cleared away.
fn check_outside(source: &Path, folder: &Path) -> Result<(), ScoreError> {
    let (Ok(inner), Ok(outer)) = (source.canonicalize(), folder.canonicalize()) else { return Ok(()) };
    if !inner.starts_with(outer) {
        return Ok(());
    }
    let message = format!("{} lies in {}, which is written anew", source.display(), folder.display());
    Err(ScoreError::new(ErrorCode::InvalidParams, message).hint("name another folder with -o").at_stage("usage"))
}

fn comment_files(path: &Path) -> Result<Vec<(PathBuf, String)>, ScoreError> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if path.is_file() {
        return Ok(vec![(path.to_owned(), name(path))]);
    }
    let entries = fs::read_dir(path).map_err(|error| {
        ScoreError::new(ErrorCode::MissingFile, format!("{} cannot be read: {error}", path.display()))
            .file(path.display().to_string())
            .expected("a folder of comment files")
            .hint("check the path of --comments")
    })?;
    let entries = entries.flatten().map(|entry| entry.path());
    let named = entries.map(|path| (path.clone(), name(&path)));
    let mut files: Vec<_> = named.filter(|(_, name)| name.ends_with(".txt") && !name.starts_with('.')).collect();
    files.sort();
    let (files, others): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| path.is_file());
    for (path, _) in others {
        print::err(print::warning(
            "FILE_SKIPPED",
            &format!("{} is no file", print::visible(&path.display().to_string())),
        ));
    }
    if files.is_empty() {
        let message = format!("there is no comment file in {}", path.display());
        return Err(ScoreError::new(ErrorCode::MissingFile, message)
            .file(path.display().to_string())
            .expected("files comments_{repo}_{number}.txt in the folder itself; folders in it are not looked into"));
    }
    Ok(files)
}

/// Gives a file a second name; where there are no such links, a copy has to do.
fn link(file: &Path, name: &Path) -> io::Result<()> {
    fs::hard_link(file, name).or_else(|_| fs::copy(file, name).map(|_| ()))
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
