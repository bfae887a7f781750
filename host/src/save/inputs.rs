//! The input files of a workspace, by their sha256: what a score was computed from.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use autoscorer_plugin_api::context::hex;
use sha2::{Digest, Sha256};

/// More files than this are a data set, and are not listed one by one.
const MAX_FILES: usize = 1_000;

/// The files below `input/` and the predictions in `output/`. What the host and the scorer write there does not count.
#[derive(Debug, Default)]
pub struct Inputs {
    files: Vec<(String, PathBuf)>,
    size: u64,
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

    fn collect(&mut self, workspace: &Path, folder: &str) {
        for entry in fs::read_dir(workspace.join(folder)).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = format!("{folder}/{name}");
            let ours = name.starts_with('.') || path == "output/result.json" || path == "output/artifacts";
            if ours || self.files.len() >= MAX_FILES {
                continue;
            }
            match fs::metadata(entry.path()) {
                Ok(metadata) if metadata.is_dir() => self.collect(workspace, &path),
                Ok(metadata) if metadata.is_file() => {
                    self.size += metadata.len();
                    self.files.push((path, entry.path()));
                }
                _ => {}
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
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut block = vec![0; 1 << 18];
    loop {
        match file.read(&mut block)? {
            0 => return Ok(hex(&hasher.finalize())),
            read => hasher.update(&block[..read]),
        }
    }
}
