//! The artifacts of one job: written aside, and put in place only when the job has succeeded.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use autoscorer_plugin_api::context::ARTIFACTS;

const PREFIX: &str = ".artifacts-";

/// What results are called while they are written.
pub(super) const RESULT_PREFIX: &str = ".result-";

/// A folder aside for the artifacts of one job; what is not put in place vanishes with it.
#[derive(Debug)]
pub struct ArtifactFolder {
    workspace: PathBuf,
    aside: PathBuf,
}

impl ArtifactFolder {
    /// A folder for a job in this workspace; the scorer makes it when it writes its first file.
    pub fn new(workspace: &Path) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("{PREFIX}{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        Self { workspace: workspace.to_owned(), aside: workspace.join("output").join(name) }
    }

    /// Where the scorer writes.
    pub fn path(&self) -> &Path {
        &self.aside
    }

    /// Puts these artifacts in the place of those of the last job.
    pub fn put_in_place(&self) -> io::Result<()> {
        self.remove_old()?;
        match fs::rename(&self.aside, self.workspace.join(ARTIFACTS)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Removes the artifacts of the last job; this one has none.
    pub fn remove_old(&self) -> io::Result<()> {
        remove(&self.workspace.join(ARTIFACTS))
    }
}

impl Drop for ArtifactFolder {
    fn drop(&mut self) {
        // What stays is hidden, and removed by the next job in this workspace.
        _ = remove(&self.aside);
    }
}

/// Whether a name in `output/` is that of something that is being written, or was when its process was killed.
pub fn is_leaving(name: &str) -> bool {
    name.starts_with(PREFIX) || name.starts_with(RESULT_PREFIX)
}

/// Removes a file of `output/` that a killed process has left; what belongs to a living one stays.
pub(super) fn remove_leaving(path: &Path, name: &str) {
    let rest = name.strip_prefix(PREFIX).or_else(|| name.strip_prefix(RESULT_PREFIX));
    let owner = rest.and_then(|rest| rest.split('-').next()?.parse::<u32>().ok());
    if owner.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
        // What stays is hidden, and tried again by the next job.
        _ = remove(path);
    }
}

/// Removes a folder with all in it, or a link without following it.
fn remove(path: &Path) -> io::Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_are_replaced_as_a_whole_or_not_at_all() {
        let workspace = tempfile::tempdir().unwrap();
        let root = workspace.path();
        let write = |folder: &Path, name: &str| {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join(name), name).unwrap();
        };
        write(&root.join(ARTIFACTS), "old.txt");
        write(&root.join("output/.artifacts-4294967294-0"), "left by a killed process");

        let failed = ArtifactFolder::new(root);
        write(failed.path(), "half.txt");
        drop(failed);
        assert!(root.join(ARTIFACTS).join("old.txt").exists());
        remove_leaving(&root.join("output/.artifacts-4294967294-0"), ".artifacts-4294967294-0");

        let done = ArtifactFolder::new(root);
        write(done.path(), "new.txt");
        done.put_in_place().unwrap();
        let names =
            |folder: PathBuf| -> Vec<_> { fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect() };
        assert_eq!(names(root.join(ARTIFACTS)), ["new.txt"]);
        assert_eq!(names(root.join("output")), ["artifacts"]);
    }

    #[test]
    fn a_link_in_the_place_of_the_folder_is_not_followed() {
        let workspace = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("keep.txt"), "").unwrap();
        fs::create_dir(workspace.path().join("output")).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), workspace.path().join(ARTIFACTS)).unwrap();
        ArtifactFolder::new(workspace.path()).put_in_place().unwrap();
        assert!(elsewhere.path().join("keep.txt").exists());
    }
}
