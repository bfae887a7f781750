//! The root: the folder below which workspaces may be named by their path. No name and no link leads out of it, nor into
//! the daemon's own folder.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};

/// A workspace with more entries cannot be looked through before every score.
const MOST_ENTRIES: usize = 1_000_000;

/// The folder of workspaces.
#[derive(Debug, Clone)]
pub struct Root {
    path: PathBuf,
    /// The daemon's own folder, where other people's uploads are.
    data: PathBuf,
}

impl Root {
    /// The folder, with all links resolved. What lies in `data` is no workspace, even if that is below the root.
    pub fn open(path: &Path, data: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        if !path.is_dir() {
            return Err(io::Error::other("it is no folder"));
        }
        Ok(Self { path, data: fs::canonicalize(data)? })
    }

    /// The folder itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The workspace of a name relative to the root, or of an absolute one inside it.
    pub fn resolve(&self, name: &str) -> Result<PathBuf, ScoreError> {
        let outside = || self.refusal(name, "it leads out of the root");
        if name.is_empty() || name.contains('\0') {
            return Err(self.refusal(name, "it is no path"));
        }
        if Path::new(name).components().any(|part| part == Component::ParentDir) {
            return Err(outside());
        }
        let path = match fs::canonicalize(self.path.join(name)) {
            Ok(path) if !path.starts_with(&self.path) => return Err(outside()),
            Ok(path) => path,
            // Whether something exists outside is nobody's business.
            Err(_) if Path::new(name).is_absolute() && !Path::new(name).starts_with(&self.path) => {
                return Err(outside());
            }
            Err(_) => return Err(self.missing(name)),
        };
        if path == self.path {
            return Err(self.refusal(name, "it is the root itself"));
        }
        if path.starts_with(&self.data) || self.data.starts_with(&path) {
            return Err(self.refusal(name, "the daemon's own folder is there"));
        }
        if !path.is_dir() {
            return Err(self.missing(name));
        }
        self.check_links(name, &path)?;
        Ok(path)
    }

    /// Whoever may put a link into a workspace could read with it whatever the daemon can. A link to a folder leads to the
    /// links in that folder.
    fn check_links(&self, name: &str, workspace: &Path) -> Result<(), ScoreError> {
        let mut folders = vec![workspace.to_owned()];
        let mut seen = HashSet::new();
        let mut looked_at = 0;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                looked_at += 1;
                if looked_at > MOST_ENTRIES {
                    return Err(self.refusal(name, &format!("it has more than {MOST_ENTRIES} entries")));
                }
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() {
                    folders.push(entry.path());
                } else if kind.is_symlink() {
                    let target = self.target(&entry.path()).map_err(|reason| {
                        let link = entry.path();
                        let link = link.strip_prefix(workspace).unwrap_or(&link).display().to_string();
                        self.refusal(name, &format!("its link {link} {reason}"))
                    })?;
                    // A file has no entries, and a folder is looked through once.
                    folders.extend(seen.insert(target.clone()).then_some(target).filter(|target| target.is_dir()));
                }
            }
        }
        Ok(())
    }

    /// Where a link leads. One that leads nowhere may lead anywhere a moment later.
    fn target(&self, link: &Path) -> Result<PathBuf, &'static str> {
        match fs::canonicalize(link) {
            Err(_) => Err("leads nowhere"),
            Ok(target) if !target.starts_with(&self.path) => Err("leads out of the root"),
            Ok(target) if target.starts_with(&self.data) => Err("leads into the daemon's own folder"),
            Ok(target) => Ok(target),
        }
    }

    fn refusal(&self, name: &str, reason: &str) -> ScoreError {
        ScoreError::new(ErrorCode::WorkspaceNotFound, format!("the workspace cannot be used: {reason}"))
            .found(name.chars().take(200).collect::<String>())
            .expected("the path of a workspace, relative to the root of the daemon")
            .hint("put the workspace below the root, or upload it")
            .at_stage("request")
    }

    fn missing(&self, name: &str) -> ScoreError {
        ScoreError::new(ErrorCode::WorkspaceNotFound, "there is no such workspace below the root")
            .found(name.chars().take(200).collect::<String>())
            .expected("a folder with meta.json, input/ and output/")
            .hint("put the workspace below the root, or upload it")
            .at_stage("request")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn nothing_leads_out() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("root");
        fs::create_dir_all(root.join("ws/input")).unwrap();
        fs::create_dir_all(outer.path().join("secret/input")).unwrap();
        fs::write(outer.path().join("secret/input/gt.csv"), "").unwrap();
        symlink(outer.path().join("secret"), root.join("link")).unwrap();
        fs::create_dir_all(root.join("trap/input")).unwrap();
        symlink(outer.path().join("secret/input/gt.csv"), root.join("trap/input/gt.csv")).unwrap();
        symlink(root.join("ws"), root.join("alias")).unwrap();
        // By way of a folder that is itself below the root, and in a circle.
        fs::create_dir_all(root.join("shared")).unwrap();
        symlink(outer.path().join("secret/input/gt.csv"), root.join("shared/gt.csv")).unwrap();
        fs::create_dir_all(root.join("chain")).unwrap();
        symlink(root.join("shared"), root.join("chain/input")).unwrap();
        fs::create_dir_all(root.join("circle")).unwrap();
        symlink(root.join("circle"), root.join("circle/again")).unwrap();
        fs::create_dir_all(root.join("dangling")).unwrap();
        symlink(outer.path().join("not yet"), root.join("dangling/gt.csv")).unwrap();
        // The daemon's own folder, by its name, by what it is in, and by a link.
        fs::create_dir_all(root.join("own/data/jobs/1/workspace")).unwrap();
        fs::create_dir_all(root.join("thief")).unwrap();
        symlink(root.join("own/data/jobs/1/workspace"), root.join("thief/input")).unwrap();
        let root = Root::open(&root, &root.join("own/data")).unwrap();
        assert!(root.resolve("circle").is_ok());
        assert!(root.resolve("ws").is_ok() && root.resolve("alias").is_ok() && root.resolve("./ws/").is_ok());
        assert!(root.resolve(root.path().join("ws").to_str().unwrap()).is_ok());
        let out = ["", ".", "..", "../secret", "ws/../../secret", "link", "trap", "/etc", "/no/such", "ws\0", "gone"];
        let round_about = ["chain", "dangling", "own", "own/data", "own/data/jobs/1/workspace", "thief"];
        for name in out.into_iter().chain(round_about) {
            assert_eq!(root.resolve(name).unwrap_err().code, ErrorCode::WorkspaceNotFound, "{name:?}");
        }
    }
}
