//! The demo's folder: written whole or not at all, and never over what is somebody else's.

use std::fs;
use std::io;
use std::path::Path;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};

use super::FILES;

/// Says that a folder is ours. It comes first, so that a run that was killed can be done again.
const MARK: &str = ".autoscorer-demo";

/// Where the files lie until all of them are written.
const ASIDE: &str = ".autoscorer-demo.tmp";

/// Writes the demo, and gives the files that somebody has changed since: they stay as they are, unless they shall be put
/// back. What was added to the folder stays.
pub fn write(folder: &Path, put_back: bool) -> Result<Vec<&'static str>, ScoreError> {
    let was_there = folder.exists();
    let ours = folder.join(MARK).is_file();
    check(folder, ours)?;
    let (changed, wanted) = FILES.iter().copied().partition(|file| !put_back && is_changed(folder, file));
    try_write(folder, wanted).map_err(|error| {
        // What is left of an attempt is worth less than a clean folder; it is the first failure that is told.
        _ = fs::remove_dir_all(folder.join(ASIDE));
        if !ours {
            _ = fs::remove_file(folder.join(MARK));
        }
        if !was_there {
            _ = fs::remove_dir(folder);
        }
        let message = format!("{} cannot be written: {error}", folder.display());
        ScoreError::new(ErrorCode::WorkspaceNotFound, message)
            .file(folder.display().to_string())
            .hint("name a folder that you may write to, on a disk that has space")
            .at_stage("save")
    })?;
    Ok(changed.into_iter().map(|(path, _)| path).collect())
}

/// A file that cannot be read is somebody's doing too.
fn is_changed(folder: &Path, (path, content): &(&str, &str)) -> bool {
    match fs::read(folder.join(path)) {
        Ok(now) => now != content.as_bytes(),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

fn check(folder: &Path, ours: bool) -> Result<(), ScoreError> {
    let found = match fs::read_dir(folder) {
        _ if ours => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => "a file".to_owned(),
        Err(error) => format!("a folder that cannot be read: {error}"),
        Ok(mut entries) => match entries.next() {
            None => return Ok(()),
            Some(_) => "a folder with something else in it".to_owned(),
        },
    };
    Err(ScoreError::new(ErrorCode::InvalidParams, format!("{} is not ours to write to", folder.display()))
        .file(folder.display().to_string())
        .found(found)
        .expected("a new folder, an empty one, or one that this command has made")
        .hint("name another folder")
        .at_stage("usage"))
}

fn try_write(folder: &Path, files: Vec<(&str, &str)>) -> io::Result<()> {
    let aside = folder.join(ASIDE);
    fs::create_dir_all(folder)?;
    fs::write(folder.join(MARK), "made by autoscorer demo\n")?;
    match fs::remove_dir_all(&aside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    for (path, content) in &files {
        let file = aside.join(path);
        fs::create_dir_all(file.parent().unwrap_or(&aside))?;
        fs::write(file, content)?;
    }
    // Everything is on the disk; what is left to do are renames.
    for (path, _) in &files {
        let target = folder.join(path);
        fs::create_dir_all(target.parent().unwrap_or(folder))?;
        fs::rename(aside.join(path), target)?;
    }
    fs::remove_dir_all(aside)
}
