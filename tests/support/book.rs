//! The documents as programs: their shell blocks, what those should print, and a clean folder to run them in.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::built::built;

/// A shell block of a document.
#[derive(Debug)]
pub struct Block {
    /// The line it begins at.
    pub line: usize,
    /// What stands behind `sh` on its first line.
    pub marks: Vec<String>,
    /// Its commands; a line that ends with a backslash goes on in the next.
    pub commands: Vec<String>,
    /// The `text` block that follows, before any other shell block.
    pub prints: Option<String>,
}

/// The shell blocks of a document, in order.
pub fn blocks(document: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut lines = document.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else { continue };
        let body: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```").collect();
        let mut words = info.split_whitespace().map(str::to_owned);
        match (words.next().as_deref(), found.last_mut()) {
            (Some("sh"), _) => {
                let text = body.join("\n").replace("\\\n", " ");
                let commands = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
                let commands = commands.map(str::to_owned).collect();
                found.push(Block { line: number + 1, marks: words.collect(), commands, prints: None });
            }
            (Some("text"), Some(last)) if last.prints.is_none() => last.prints = Some(body.join("\n")),
            _ => {}
        }
    }
    found
}

/// Whether a text is what a document says. `…` stands for anything within a line, and alone on a line for any lines.
pub fn is_as_said(said: &str, text: &str) -> bool {
    let trimmed = |text: &str| text.trim_end().lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    lines_match(&trimmed(said), &trimmed(text))
}

fn lines_match(said: &[String], text: &[String]) -> bool {
    match said.split_first() {
        None => text.is_empty(),
        Some((first, rest)) if first.trim() == "…" => (0..=text.len()).any(|skip| lines_match(rest, &text[skip..])),
        Some((first, rest)) => {
            text.split_first().is_some_and(|(line, others)| line_matches(first, line) && lines_match(rest, others))
        }
    }
}

fn line_matches(said: &str, line: &str) -> bool {
    match said.split_once('…') {
        None => said == line,
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            let mut ends = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
            ends.any(|at| line_matches(after, &rest[at..]))
        }),
    }
}

/// A clean folder that looks like the repository after `cargo build --release`. The host is the one that was built for the
/// tests: `autoscorer` and `target/release/autoscorer` both stand for it.
pub struct Desk {
    /// The folder.
    pub path: PathBuf,
}

impl Desk {
    /// Lays it out. The path is the same each time, so that what cargo builds here is built once.
    pub fn new(name: &str) -> Self {
        let path = built().folder.join("autoscorer-tests/book").join(name);
        _ = fs::remove_dir_all(&path);
        for folder in ["target/release", "bin", "custom_scorers", "home"] {
            fs::create_dir_all(path.join(folder)).unwrap();
        }
        for bin in ["bin", "target/release"] {
            symlink(built().host(), path.join(bin).join("autoscorer")).unwrap();
        }
        for shared in ["Cargo.toml", "Cargo.lock", "host", "plugin-api", "plugins", "tests", "docs", "README.md"] {
            symlink(built().root.join(shared), path.join(shared)).unwrap();
        }
        copy_folder(&built().root.join("examples"), &path.join("examples"));
        for folder in ["custom_scorers/template", "custom_scorers/c", "custom_scorers/cpp"] {
            copy_folder(&built().root.join(folder), &path.join(folder));
        }
        let cargo = path.join("bin/cargo");
        fs::write(&cargo, include_str!("cargo.sh")).unwrap();
        fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
        Self { path }
    }

    /// A command line in a shell, in the folder.
    pub fn shell(&self, line: &str) -> Command {
        let mut shell = Command::new("bash");
        shell.args(["-uo", "pipefail", "-c", line]).current_dir(&self.path);
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            // Neither what cargo sets for a test nor what the user has set is a newcomer's.
            let foreign = ["AUTOSCORER_", "LLM_", "EMBEDDING_", "CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_CRATE_"];
            if foreign.iter().any(|prefix| name.starts_with(prefix)) || name == "LD_LIBRARY_PATH" {
                shell.env_remove(name);
            }
        }
        let path = format!("{}:{}", self.path.join("bin").display(), std::env::var("PATH").unwrap_or_default());
        let cargo = std::env::var("CARGO").unwrap_or("cargo".to_owned());
        shell.env("PATH", path).env("AUTOSCORER_STORE", &built().store).env("DESK", &self.path);
        shell.env("REAL_CARGO", cargo).env("DESK_TARGET", built().folder.join("autoscorer-tests/template"));
        shell.env("DESK_LOCK", built().root.join("Cargo.lock")).env("COLUMNS", "200");
        shell
    }
}

/// A copy of a folder, without what was built or scored in it.
fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        match name.to_str() {
            Some("target" | "artifacts" | "result.json") => {}
            _ if path.is_dir() => copy_folder(&path, &to.join(name)),
            _ => drop(fs::copy(path, to.join(name)).unwrap()),
        }
    }
}
