//! What the tests run: the host, its plugins, and the libraries of `fixtures/` and `misbehaving/`, built once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The families of built-in scorers, each a library.
pub const FAMILIES: [&str; 3] = ["classification", "regression", "review"];

/// The programs under test.
pub struct Built {
    /// Cargo's folder with the host and all libraries.
    pub folder: PathBuf,
    /// The repository.
    pub root: PathBuf,
    /// A folder with the built-in plugins and nothing else.
    pub plugins: PathBuf,
    /// A store that all tests share, so that a library is copied once.
    pub store: PathBuf,
}

/// Builds what the tests run; the second time there is nothing to do.
pub fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
        // target/PROFILE/deps/suite-HASH
        let folder = std::env::current_exe().unwrap().parent().unwrap().parent().unwrap().to_owned();
        build(&root, &folder);
        let tests = folder.join("autoscorer-tests");
        let plugins = tests.join("plugins");
        fs::create_dir_all(&plugins).unwrap();
        for family in FAMILIES {
            let name = format!("libautoscorer_{family}.so");
            let (plugin, bytes) = (plugins.join(&name), fs::read(folder.join(&name)).unwrap());
            // As after an installation: a plugin that has not changed is not touched.
            if fs::read(&plugin).ok().as_ref() != Some(&bytes) {
                let copy = plugins.join(format!(".{name}.{}", std::process::id()));
                fs::write(&copy, bytes).unwrap();
                fs::rename(copy, plugin).unwrap();
            }
        }
        Built { folder, root, plugins, store: tests.join("store") }
    })
}

fn build(root: &Path, folder: &Path) {
    if folder.ends_with("release") {
        // Benchmarks need these only, and every further library would be optimised for minutes.
        cargo(
            root,
            folder,
            &[
                "build",
                "--release",
                "-p",
                "autoscorer",
                "-p",
                "autoscorer-classification",
                "-p",
                "autoscorer-regression",
                "-p",
                "autoscorer-review",
                "-p",
                "fixture-good",
                "-p",
                "misbehaving-sinner",
            ],
        );
        return;
    }
    let abort = "misbehaving-panic-abort";
    // With all targets the dependencies are those that `cargo test` has built already.
    cargo(root, folder, &["build", "--workspace", "--all-targets", "--exclude", abort]);
    cargo(root, folder, &["rustc", "--package", abort, "--lib", "--", "-C", "panic=abort"]);
}

fn cargo(root: &Path, folder: &Path, arguments: &[&str]) {
    let (command, rest) = arguments.split_first().unwrap();
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.current_dir(root).arg(command).arg("--quiet").arg("--target-dir").arg(folder.parent().unwrap());
    let status = cargo.args(rest).status().expect("cargo runs");
    assert!(status.success(), "cargo {arguments:?} failed");
}

impl Built {
    /// The host.
    pub fn host(&self) -> PathBuf {
        self.folder.join("autoscorer")
    }

    /// A library by the name of its crate, such as `misbehaving_twin_a`.
    pub fn library(&self, name: &str) -> PathBuf {
        self.folder.join(format!("lib{name}.so"))
    }
}

/// The good library as version `7.7.NUMBER`: its scorers say so in the metadata, and in their metric `marker`.
pub fn versioned(number: u32) -> Vec<u8> {
    let mut bytes = fs::read(built().library("fixture_good")).unwrap();
    let (old, new) = (b"7.7.7777", format!("7.7.{number:04}"));
    let mut at = 0;
    while let Some(found) = bytes[at..].windows(old.len()).position(|window| window == old) {
        bytes[at + found..at + found + old.len()].copy_from_slice(new.as_bytes());
        at += found + old.len();
    }
    assert!(at > 0, "the good library does not bear its version");
    bytes
}
