//! The built-in plugins: where they are looked for.

use std::fs;
use std::path::{Path, PathBuf};

use super::file;

/// Beside the executable there may be anything, so only these names are ours.
const PREFIX: &str = "libautoscorer_";

/// The built-in libraries: those of the folder that was named, or else those beside the executable and in
/// `lib/autoscorer/plugins` next to its `bin/`.
pub fn find(named: Option<&Path>) -> Vec<PathBuf> {
    if let Some(folder) = named {
        return libraries(folder, "");
    }
    let Some(bin) = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_owned())) else {
        return Vec::new();
    };
    let mut found = libraries(&bin, PREFIX);
    found.extend(libraries(&bin.join("../lib/autoscorer/plugins"), ""));
    found
}

fn libraries(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let named = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(prefix) && file::is_library_name(path)
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(named).collect();
    paths.sort();
    paths
}
