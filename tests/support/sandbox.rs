//! A place to run the host in: its own folders, its own workspaces, nothing of the user's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::built::built;

/// Folders for one test.
pub struct Sandbox {
    folder: TempDir,
    flags: Vec<String>,
}

/// A command that has ended.
pub struct Finished {
    /// Its exit code.
    pub code: i32,
    /// What it printed to stdout.
    pub stdout: String,
    /// What it printed to stderr.
    pub stderr: String,
}

impl Sandbox {
    /// Empty folders, and the built-in plugins.
    #[expect(clippy::new_without_default, reason = "making folders is no default")]
    pub fn new() -> Self {
        Self::with_store(&built().store)
    }

    /// The same with a store of its own, where libraries are not kept for other tests.
    pub fn with_own_store() -> Self {
        Self::with_store(Path::new("store"))
    }

    /// The same without any built-in scorers.
    pub fn without_plugins() -> Self {
        let mut sandbox = Self::new();
        let none = sandbox.path().join("no-plugins");
        fs::create_dir(&none).unwrap();
        sandbox.flags[1] = none.to_str().unwrap().to_owned();
        sandbox
    }

    fn with_store(store: &Path) -> Self {
        let folder = tempfile::Builder::new().prefix("autoscorer-").tempdir().unwrap();
        fs::create_dir(folder.path().join("custom")).unwrap();
        let flag = |name: &str, path: &Path| [name.to_owned(), path.to_str().unwrap().to_owned()];
        let flags = [
            flag("--plugins", &built().plugins),
            flag("--custom-scorers", &folder.path().join("custom")),
            flag("--store", &folder.path().join(store)),
        ];
        Self { flags: flags.concat(), folder }
    }

    /// The sandbox's folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The watched folder, or a file in it.
    pub fn custom(&self, name: &str) -> PathBuf {
        self.path().join("custom").join(name)
    }

    /// Puts a copy of a built library into the watched folder, the careful way: complete before it has its name.
    pub fn drop_library(&self, library: &str, name: &str) -> PathBuf {
        self.drop_bytes(&fs::read(built().library(library)).unwrap(), name)
    }

    /// The same for any bytes.
    pub fn drop_bytes(&self, bytes: &[u8], name: &str) -> PathBuf {
        let (hidden, path) = (self.custom(&format!(".{name}")), self.custom(name));
        fs::write(&hidden, bytes).unwrap();
        fs::rename(hidden, &path).unwrap();
        path
    }

    /// A file of the sandbox.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// A workspace with three labelled rows, one of them wrong, for this scorer.
    pub fn workspace(&self, name: &str, scorer: &str) -> PathBuf {
        self.write(&format!("{name}/meta.json"), format!(r#"{{"scorer": "{scorer}"}}"#));
        self.write(&format!("{name}/input/gt.csv"), "id,label\n1,cat\n2,dog\n3,cat\n");
        self.write(&format!("{name}/output/pred.csv"), "id,label\n1,cat\n2,dog\n3,dog\n");
        self.path().join(name)
    }

    /// The host with the sandbox's flags.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(built().host());
        command.args(arguments).args(&self.flags).current_dir(self.path());
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            // Cargo's library path would let the dynamic loader find what is not installed; models of the user's are not ours.
            let foreign = ["AUTOSCORER_", "LLM_", "EMBEDDING_"].iter().any(|prefix| name.starts_with(prefix));
            if foreign || name == "LD_LIBRARY_PATH" || name == "CLICOLOR_FORCE" {
                command.env_remove(name);
            }
        }
        command
    }

    /// Runs a command to its end.
    pub fn run(&self, arguments: &[&str]) -> Finished {
        Finished::from(self.command(arguments).output().unwrap())
    }

    /// A text with what differs from run to run replaced.
    pub fn anonymous(&self, text: &str) -> String {
        text.replace(self.path().to_str().unwrap(), "[sandbox]")
    }
}

impl From<Output> for Finished {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Finished {
    /// Stdout as the one JSON document it has to be.
    pub fn json(&self) -> Value {
        let parsed = serde_json::from_str(&self.stdout);
        parsed.unwrap_or_else(|error| panic!("{error} in {:?}; stderr: {}", self.stdout, self.stderr))
    }
}
