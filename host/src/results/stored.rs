//! A result as it was stored: `result.json` read back, with the workspace it lies in.

use std::io;
use std::path::{Component, Path, PathBuf};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::outcome::{Artifact, Warning};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Scoreline, foreign};
use crate::load::sha256_of;

/// The largest file that is read.
const MOST_BYTES: u64 = 256 << 20;

/// A stored result.
#[derive(Debug, Clone, Deserialize)]
pub struct Stored {
    /// What it is paired by: the workspace's folder, or the file without `.json`.
    #[serde(skip)]
    pub name: String,
    /// The file.
    #[serde(skip)]
    pub path: PathBuf,
    /// The folder that its artifacts lie in, if the file lies in an `output/`.
    #[serde(skip)]
    pub workspace: Option<PathBuf>,
    /// The score and how to read it.
    pub summary: Map<String, Value>,
    /// Flat name -> number.
    pub metrics: IndexMap<String, f64>,
    /// Files beside it.
    #[serde(default)]
    pub artifacts: IndexMap<String, Artifact>,
    /// In seconds.
    #[serde(default)]
    pub timing: Map<String, Value>,
    /// What made it.
    pub versioning: Map<String, Value>,
    /// What the reader should know.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Structured values.
    #[serde(default)]
    pub details: Map<String, Value>,
    /// Why there is no score.
    #[serde(default)]
    pub error: Option<ScoreError>,
}

impl Stored {
    /// Reads a `result.json`, or that of a workspace.
    pub fn read(given: &Path) -> Result<Self, ScoreError> {
        let path = if given.is_dir() { given.join("output/result.json") } else { given.to_owned() };
        let bytes = foreign::read(&path, MOST_BYTES).map_err(|error| unreadable(given, &path, &error))?;
        let wrong = |why: serde_json::Error| {
            let code = if why.is_data() { ErrorCode::BadFormat } else { ErrorCode::ParseError };
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let (what, hint) = match path.file_name().is_some_and(|name| name == "meta.json") {
                true => ("what a workspace wants, not what came of it".to_owned(), folder.display().to_string()),
                false => (why.to_string(), "the workspace that was scored, or its output/result.json".to_owned()),
            };
            ScoreError::new(code, format!("{} is no result: {what}", path.display()))
                .file(path.display().to_string())
                .expected("a result.json that autoscorer wrote")
                .hint(format!("name {hint}"))
        };
        let mut stored: Self = serde_json::from_slice(&bytes).map_err(wrong)?;
        stored.workspace = workspace_of(&path);
        stored.name = name_of(&path, stored.workspace.as_deref());
        stored.path = path;
        Ok(stored)
    }

    /// The score, if there is one.
    pub fn scoreline(&self) -> Option<Scoreline> {
        Scoreline::of(&self.summary).filter(|_| self.error.is_none())
    }

    /// A text of what made it, such as `scorer` or `version`.
    pub fn made_by(&self, key: &str) -> Option<&str> {
        self.versioning.get(key)?.as_str()
    }

    /// The hashes of the ground truth, by file; none where the result does not tell.
    pub fn ground_truth(&self) -> IndexMap<&str, &Value> {
        let inputs = self.versioning.get("inputs").and_then(Value::as_object).into_iter().flatten();
        inputs.map(|(name, hash)| (name.as_str(), hash)).filter(|(name, _)| name.starts_with("input/")).collect()
    }

    /// The content of an artifact, if it is still the one that the result was written with.
    pub fn artifact(&self, name: &str, most: u64) -> Result<Vec<u8>, String> {
        let artifact = self.artifacts.get(name).ok_or_else(|| format!("the result lists no {name}"))?;
        let workspace = self.workspace.as_ref().ok_or_else(|| format!("{name} is not beside the result"))?;
        let path = inside(workspace, &artifact.path).ok_or_else(|| format!("{name} lies outside of the workspace"))?;
        let bytes =
            foreign::read(&path, most.min(MOST_BYTES)).map_err(|error| format!("{name} cannot be read: {error}"))?;
        let hash = sha256_of(bytes.as_slice()).map_err(|error| error.to_string())?;
        if hash == artifact.sha256 {
            Ok(bytes)
        } else {
            Err(format!("{name} is not the file that the result was written with"))
        }
    }
}

/// `WORKSPACE/output/result.json` lies in a workspace; any other file does not.
fn workspace_of(path: &Path) -> Option<PathBuf> {
    let folder = std::path::absolute(path).ok()?.parent()?.to_owned();
    (folder.file_name()? == "output").then(|| folder.parent().map(Path::to_owned)).flatten()
}

fn name_of(path: &Path, workspace: Option<&Path>) -> String {
    // "." has a name too.
    let folder = workspace.map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.to_owned()));
    let name = folder.as_deref().and_then(Path::file_name).or_else(|| path.file_stem());
    name.unwrap_or_default().to_string_lossy().into_owned()
}

/// The path of a file of the workspace, unless it leads out of it, by dots or by links.
fn inside(workspace: &Path, relative: &str) -> Option<PathBuf> {
    let plain = Path::new(relative).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let path = workspace.join(relative).canonicalize().ok()?;
    (plain && path.starts_with(workspace.canonicalize().ok()?)).then_some(path)
}

fn unreadable(given: &Path, path: &Path, error: &io::Error) -> ScoreError {
    let (there, given, path) = (given.exists(), given.display(), path.display().to_string());
    let missing = error.kind() == io::ErrorKind::NotFound;
    let message = if missing { format!("{path} does not exist") } else { format!("{path} cannot be read: {error}") };
    let error =
        ScoreError::new(ErrorCode::MissingFile, message).file(path).expected("a result.json, or a scored workspace");
    match (missing, there) {
        (true, true) => error.hint(format!("score the workspace first: autoscorer score {given}")),
        (true, false) => error.hint("check the path: there is nothing of this name"),
        _ => error,
    }
}
