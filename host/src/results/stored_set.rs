//! Many stored results: those of a folder, by name, and what could not be read.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};

use super::Stored;

/// The results that a path stands for.
#[derive(Debug)]
pub struct StoredSet {
    /// Whether the path is a folder of results, and not one result.
    pub is_folder: bool,
    /// By name; a workspace without a readable result has the reason.
    pub results: BTreeMap<String, Result<Stored, ScoreError>>,
}

impl StoredSet {
    /// One result, one workspace, or a folder of either.
    pub fn read(path: &Path) -> Result<Self, ScoreError> {
        if !path.is_dir() || path.join("output/result.json").exists() || path.join("meta.json").exists() {
            let stored = Stored::read(path)?;
            return Ok(Self { is_folder: false, results: BTreeMap::from([(stored.name.clone(), Ok(stored))]) });
        }
        let entries = fs::read_dir(path).map_err(|error| {
            ScoreError::new(ErrorCode::MissingFile, format!("{} cannot be read: {error}", path.display()))
        })?;
        let mut results = BTreeMap::new();
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for (name, result) in paths.iter().filter_map(|path| candidate(path)) {
            // `x/` and `x.json` may lie side by side.
            let name = if results.contains_key(&name) { format!("{name}.json") } else { name };
            results.insert(name, result);
        }
        if results.is_empty() {
            let message = format!("{} holds no result and no workspace", path.display());
            return Err(ScoreError::new(ErrorCode::MissingFile, message)
                .file(path.display().to_string())
                .expected("a result.json, a workspace, or a folder of them")
                .hint("name another folder, or score a workspace in it first"));
        }
        Ok(Self { is_folder: true, results })
    }

    /// The one result of a path that is no folder of them.
    pub fn single(&self) -> Option<&Stored> {
        if self.is_folder { None } else { self.results.values().next()?.as_ref().ok() }
    }
}

/// A folder is a workspace if it has something of one; a file is a result if it can be read as one.
fn candidate(path: &Path) -> Option<(String, Result<Stored, ScoreError>)> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    if name.starts_with('.') {
        return None;
    }
    if path.is_dir() {
        let workspace = path.join("meta.json").exists() || path.join("output/result.json").exists();
        return workspace.then(|| (name, Stored::read(path)));
    }
    if !name.ends_with(".json") {
        return None;
    }
    // Other JSON files may lie there too.
    Stored::read(path).ok().map(|stored| (stored.name.clone(), Ok(stored)))
}
