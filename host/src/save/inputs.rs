//! The input files of a workspace, by their sha256: what a score was computed from.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use autoscorer_plugin_api::context::hex;
use sha2::{Digest, Sha256};

/// More files than this are a data set, and are not listed one by one.
const MAX_FILES: usize = 1_000;

/// The sha256 of every file below `input/` and of the predictions in `output/`, by name. What the host and the scorer write
/// there does not count. Files that cannot be read are left out: the scorer says why.
pub fn hashes(workspace: &Path) -> BTreeMap<String, String> {
    let mut hashes = BTreeMap::new();
    for folder in ["input", "output"] {
        collect(workspace, folder, &mut hashes);
    }
    hashes
}

fn collect(workspace: &Path, folder: &str, hashes: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(workspace.join(folder)).into_iter().flatten().flatten() {
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = format!("{folder}/{name}");
        if name.starts_with('.')
            || path == "output/result.json"
            || path == "output/artifacts"
            || hashes.len() >= MAX_FILES
        {
            continue;
        }
        match fs::metadata(entry.path()) {
            Ok(metadata) if metadata.is_dir() => collect(workspace, &path, hashes),
            Ok(metadata) if metadata.is_file() => {
                if let Ok(hash) = hash(&entry.path()) {
                    hashes.insert(path, hash);
                }
            }
            _ => {}
        }
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
