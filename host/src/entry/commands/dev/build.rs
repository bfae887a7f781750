//! A build by cargo: the library it made, or the compiler's own words.

use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::run::Cancel;

/// How many errors are shown; the first is mostly the cause of the others.
const ERRORS: usize = 3;

/// How many lines of one error are shown.
const LINES: usize = 30;

/// How often an interrupt is looked for.
const TICK: Duration = Duration::from_millis(50);

const NO_API: &str = "no registry has autoscorer-plugin-api: set the path of the repository's folder plugin-api in Cargo.toml, \
                      or make the crate anew with 'autoscorer scorers new NAME --api DIR'";

/// How a build ended.
pub enum Built {
    /// With a library.
    Library(PathBuf),
    /// Without one.
    Failed(Failure),
    /// Somebody stopped it.
    Stopped,
}

/// Why there is no library.
pub struct Failure {
    /// What is wrong, in a few words.
    pub what: &'static str,
    /// What the compiler or cargo said.
    pub said: Vec<String>,
    /// What to do next, where they do not say it.
    pub hint: Option<&'static str>,
}

/// Builds a crate.
pub fn build(krate: &Path, arguments: &[String], cancel: &Cancel) -> Built {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(["build", "--lib", "--quiet", "--message-format=json", "--manifest-path"]).arg(krate.join("Cargo.toml"));
    cargo.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut child = match cargo.spawn() {
        Ok(child) => child,
        Err(error) => return Built::Failed(no_cargo(&error)),
    };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let messages = scope.spawn(|| stdout.map(Messages::read).unwrap_or_default());
        let narration = scope.spawn(|| {
            let mut text = String::new();
            // What is no text is of no use to anybody.
            _ = stderr.map(|mut stderr| stderr.read_to_string(&mut text));
            text
        });
        let succeeded = wait(&mut child, cancel);
        let messages = messages.join().unwrap_or_default();
        let narration = narration.join().unwrap_or_default();
        match (succeeded, messages.library) {
            (None, _) => Built::Stopped,
            (Some(true), Some(library)) => Built::Library(library),
            (Some(true), None) => Built::Failed(no_library()),
            (Some(false), _) => Built::Failed(refused(messages.errors, &narration)),
        }
    })
}

fn no_cargo(error: &io::Error) -> Failure {
    let said = vec![error.to_string()];
    Failure { what: "cargo cannot be run", said, hint: Some("install a Rust toolchain, and have cargo in PATH") }
}

fn no_library() -> Failure {
    let hint = "put crate-type = [\"cdylib\"] under [lib] in Cargo.toml";
    Failure { what: "the crate builds no library that can be loaded", said: Vec::new(), hint: Some(hint) }
}

/// Without a word of the compiler's it was cargo that refused, as for a wrong argument or a wrong manifest.
fn refused(compiler: Vec<String>, cargo: &str) -> Failure {
    if compiler.is_empty() {
        // Words of cargo's own, with the name that `scorers new` has written.
        let hint = (cargo.contains("autoscorer-plugin-api") && cargo.contains("no matching package")).then_some(NO_API);
        return Failure { what: "cargo failed", said: vec![shortened(cargo)], hint };
    }
    Failure { what: "does not compile", said: compiler, hint: None }
}

/// Whether it succeeded; `None` if it was stopped.
fn wait(child: &mut Child, cancel: &Cancel) -> Option<bool> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return if cancel.requested() { None } else { Some(status.success()) },
            Ok(None) if !cancel.requested() => thread::park_timeout(TICK),
            _ => {
                // With all that it has started: a compiler that outlived its cargo would write over what the next build makes.
                _ = kill_process_group(Pid::from_child(child), Signal::KILL);
                _ = child.wait();
                return None;
            }
        }
    }
}

/// What cargo said, as far as it matters.
#[derive(Default)]
struct Messages {
    library: Option<PathBuf>,
    errors: Vec<String>,
}

impl Messages {
    fn read(stdout: impl Read) -> Self {
        let mut messages = Self::default();
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            messages.take(&message);
        }
        messages
    }

    fn take(&mut self, message: &Value) {
        let diagnostic = &message["message"];
        if message["reason"] == "compiler-message" && diagnostic["level"] == "error" && self.errors.len() < ERRORS {
            // The closing line that counts the errors has no place in the source.
            if diagnostic["spans"].as_array().is_some_and(|spans| !spans.is_empty()) || self.errors.is_empty() {
                self.errors.extend(diagnostic["rendered"].as_str().map(shortened));
            }
        }
        let is_cdylib = message["target"]["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|k| k == "cdylib"));
        if message["reason"] == "compiler-artifact" && is_cdylib {
            let mut files = message["filenames"].as_array().into_iter().flatten().filter_map(Value::as_str);
            self.library = files.find(|file| file.ends_with(".so")).map(PathBuf::from).or(self.library.take());
        }
    }
}

fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let mut shown = lines[..lines.len().min(LINES)].join("\n");
    if lines.len() > LINES {
        shown.push_str(&format!("\n… {} more lines", lines.len() - LINES));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_error_is_cut_and_says_so() {
        let text = shortened(&"line\n".repeat(LINES + 2));
        assert_eq!((text.lines().count(), text.ends_with("… 2 more lines")), (LINES + 1, true));
    }
}
