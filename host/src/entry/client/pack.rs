//! Packing: a workspace as the archive that is uploaded, the same bytes for the same files.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, EntryType, Header};

use crate::save::is_leaving;

/// What an earlier run has left, and what is not the daemon's business.
fn is_left_out(name: &Path) -> bool {
    let of_output = name.strip_prefix("output").ok().and_then(|rest| rest.to_str());
    matches!(of_output, Some("result.json" | "artifacts")) || of_output.is_some_and(is_leaving)
}

/// The archive of a folder. No link is followed out of it.
pub fn pack(workspace: &str) -> Result<Vec<u8>, ScoreError> {
    let failed = |error: io::Error| {
        ScoreError::new(ErrorCode::WorkspaceNotFound, format!("the workspace {workspace} cannot be packed: {error}"))
            .file(workspace)
            .expected("a folder with input/, output/ and meta.json")
            .hint("with --upload a folder of this machine is sent")
    };
    let root = fs::canonicalize(workspace).map_err(failed)?;
    if !root.is_dir() {
        return Err(failed(io::Error::other("it is no folder")));
    }
    if !root.join("meta.json").exists() && !root.join("input").is_dir() {
        // Whatever it is, it is not sent around.
        return Err(failed(io::Error::other("it has neither meta.json nor input/")));
    }
    let mut names = Vec::new();
    collect(&root, Path::new(""), &mut names).map_err(failed)?;
    names.sort();
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for name in &names {
        append(&mut archive, &root, name)
            .map_err(|error| failed(io::Error::other(format!("{}: {error}", name.display()))))?;
    }
    archive.into_inner().and_then(GzEncoder::finish).map_err(failed)
}

fn collect(root: &Path, folder: &Path, names: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = folder.join(entry.file_name());
        if is_left_out(&name) {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            names.push(name.clone());
            collect(root, &name, names)?;
        } else if kind.is_symlink() {
            let target = fs::canonicalize(entry.path()).ok().filter(|target| target.starts_with(root));
            let target =
                target.ok_or_else(|| io::Error::other(format!("the link {} leads out of it", name.display())))?;
            if !target.is_file() {
                return Err(io::Error::other(format!("the link {} leads to no file", name.display())));
            }
            names.push(name);
        } else if kind.is_file() {
            names.push(name);
        } else {
            return Err(io::Error::other(format!("{} is neither a file nor a folder", name.display())));
        }
    }
    Ok(())
}

/// Without times and owners: the same files make the same archive, and a repeated upload is known again.
fn append(archive: &mut Builder<GzEncoder<Vec<u8>>>, root: &Path, name: &Path) -> io::Result<()> {
    let path = fs::canonicalize(root.join(name))?;
    let mut header = Header::new_gnu();
    header.set_mtime(0);
    if path.is_dir() {
        header.set_entry_type(EntryType::Directory);
        header.set_mode(0o755);
        header.set_size(0);
        return archive.append_data(&mut header, name, io::empty());
    }
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    header.set_mode(0o644);
    header.set_size(size);
    // A file that grows meanwhile must not break the archive.
    archive.append_data(&mut header, name, file.take(size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_make_the_same_archive_without_earlier_results() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        };
        ["meta.json", "input/gt.csv", "output/pred.csv"].into_iter().for_each(put);
        std::os::unix::fs::symlink("gt.csv", folder.path().join("input/same.csv")).unwrap();
        let workspace = folder.path().to_str().unwrap();
        let before = pack(workspace).unwrap();
        ["output/result.json", "output/artifacts/report.html", "output/.artifacts-1-0/a", "output/.result-1-0"]
            .into_iter()
            .for_each(put);
        assert_eq!(before, pack(workspace).unwrap());
        put("output/more.csv");
        assert_ne!(before, pack(workspace).unwrap());
        std::os::unix::fs::symlink("/etc/hostname", folder.path().join("input/out.csv")).unwrap();
        assert!(pack(workspace).unwrap_err().message.contains("input/out.csv leads out of it"));
    }

    #[test]
    fn a_folder_that_is_no_workspace_is_not_sent() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("letters.txt"), "private").unwrap();
        let error = pack(folder.path().to_str().unwrap()).unwrap_err();
        assert!(error.message.contains("neither meta.json nor input/"), "{}", error.message);
    }
}
