//! The input files of a workspace, by their sha256: what a score was computed from.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::artifacts::remove_leaving;
use crate::load::sha256_of;

/// More entries than this are a data set, and are not listed one by one.
const MAX_ENTRIES: usize = 1_000;

/// The files below `input/` and the predictions in `output/`. What the host and the scorer write there does not count, and
/// what killed hosts have left there goes.
#[derive(Debug, Default)]
pub struct Inputs {
    files: Vec<(String, PathBuf)>,
    size: u64,
    looked_at: usize,
}

impl Inputs {
    /// The input files of a workspace.
    pub fn of(workspace: &Path) -> Self {
        let mut inputs = Self::default();
        for folder in ["input", "output"] {
            inputs.collect(workspace, folder);
        }
        inputs
    }

    /// Links to files are followed, as the scorer follows them; links to folders are not, since they may lead in circles.
    fn collect(&mut self, workspace: &Path, folder: &str) {
        for entry in fs::read_dir(workspace.join(folder)).into_iter().flatten().flatten() {
            self.looked_at += 1;
            if self.looked_at > MAX_ENTRIES {
                return;
            }
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = format!("{folder}/{name}");
            if name.starts_with('.') {
                if folder == "output" {
                    remove_leaving(&entry.path(), &name);
                }
                continue;
            }
            if path == "output/result.json" || path == "output/artifacts" {
                continue;
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                self.collect(workspace, &path);
            } else if let Some(file) = fs::metadata(entry.path()).ok().filter(fs::Metadata::is_file) {
                self.size += file.len();
                self.files.push((path, entry.path()));
            }
        }
    }

    /// How many bytes there are in all.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The sha256 of each, by name. Files that cannot be read are left out: the scorer says why.
    pub fn hashes(&self) -> BTreeMap<String, String> {
        self.files.iter().filter_map(|(name, path)| Some((name.clone(), hash(path).ok()?))).collect()
    }
}

fn hash(path: &Path) -> io::Result<String> {
    // Some special files look like regular ones and let a reader wait.
    let file = OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
    sha256_of(file)
}
