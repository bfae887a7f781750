//! A scratch folder: private to the user, under a name that nobody can have taken before, gone with its owner.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// A folder among the temporary files.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes one. What is there already, a link included, is an error and left alone.
    pub fn new(purpose: &str) -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("autoscorer-{purpose}-{}", Uuid::now_v7().simple()));
        DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(Self(folder))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What stays is in the folder for temporary files.
        _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn two_are_two_and_nobody_else_may_look() {
        let (one, other) = (Scratch::new("test").unwrap(), Scratch::new("test").unwrap());
        assert_ne!(one.path(), other.path());
        assert_eq!(fs::metadata(one.path()).unwrap().permissions().mode() & 0o777, 0o700);
        let path = one.path().to_owned();
        drop(one);
        assert!(!path.exists() && other.path().exists());
    }
}
