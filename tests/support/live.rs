//! A live host: it follows its folder, takes workspaces and tells what happens, until it is ended.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::built::versioned;
use crate::sandbox::Sandbox;

/// A test that waits longer than this waits in vain.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Waits until something is so. There is nothing better to wait for than time where no event tells.
pub fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "{what}: not so after {PATIENCE:?}");
        std::thread::park_timeout(Duration::from_millis(5));
    }
}

/// `autoscorer score - --jsonl --events`, running.
pub struct Live {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    /// Every line so far.
    pub seen: Vec<Value>,
}

impl Live {
    /// Starts it in a sandbox, with more flags.
    pub fn start(sandbox: &Sandbox, flags: &[&str]) -> Self {
        let mut command = sandbox.command(&["score", "-", "--jsonl", "--events"]);
        Self::spawn(command.args(flags))
    }

    /// Starts it with version 1 of the good library live; gives the library's file, and a workspace that it has scored.
    pub fn with_version_one(sandbox: &Sandbox) -> (Self, PathBuf, PathBuf) {
        let file = sandbox.drop_bytes(&versioned(1), "good.so");
        let workspace = sandbox.workspace("ws", "good");
        let mut live = Self::start(sandbox, &[]);
        live.live(&file, 1);
        live.assert_good(&workspace, 1);
        (live, file, workspace)
    }

    /// Starts a command that prints JSON lines.
    pub fn spawn(command: &mut std::process::Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in stdout.lines() {
                let value = serde_json::from_str(&line.unwrap()).unwrap();
                if sender.send(value).is_err() {
                    return;
                }
            }
        });
        Self { stdin: child.stdin.take(), child, lines, seen: Vec::new() }
    }

    /// Hands it a workspace, or any other line.
    pub fn submit(&mut self, line: impl AsRef<Path>) {
        writeln!(self.stdin.as_mut().unwrap(), "{}", line.as_ref().display()).unwrap();
    }

    /// The next line that is wanted. Lines before it are kept in `seen`.
    pub fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(value) => {
                    self.seen.push(value.clone());
                    if wanted(&value) {
                        return value;
                    }
                }
                Err(RecvTimeoutError::Timeout) => panic!("{what}: not after {PATIENCE:?}; so far: {:#?}", self.seen),
                Err(RecvTimeoutError::Disconnected) => panic!("{what}: the host has ended; so far: {:#?}", self.seen),
            }
        }
    }

    /// The next event of a kind about a file.
    pub fn event(&mut self, kind: &str, file: &Path) -> Value {
        self.wait(&format!("{kind} {}", file.display()), |line| is_event(line, kind, file))
    }

    /// The event that a file is live as version `7.7.NUMBER`.
    pub fn live(&mut self, file: &Path, number: u32) -> Value {
        let scorer = format!("good@7.7.{number:04}");
        self.wait(&format!("{scorer} live"), |line| {
            is_event(line, "live", file) && line["scorers"].as_array().unwrap().iter().any(|s| *s == scorer.as_str())
        })
    }

    /// Scores a workspace and gives its answer.
    pub fn score(&mut self, workspace: &Path) -> Value {
        self.submit(workspace);
        let name = workspace.to_str().unwrap().to_owned();
        self.wait(&format!("the result of {name}"), |line| line["data"]["workspace"] == name.as_str())
    }

    /// Asserts that the workspace is scored by version `7.7.NUMBER` of the good scorer, and rightly.
    pub fn assert_good(&mut self, workspace: &Path, number: u32) {
        self.assert_good_either(workspace, &[number]);
    }

    /// Asserts that the workspace is scored by one of these versions of the good scorer, and rightly.
    pub fn assert_good_either(&mut self, workspace: &Path, numbers: &[u32]) {
        let answer = self.score(workspace);
        assert!(numbers.contains(&good_version(&answer)), "{answer:#}");
    }

    /// The memory the host has resident, in KiB.
    pub fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Asserts that the host has not ended.
    pub fn assert_running(&mut self) {
        assert_eq!(self.child.try_wait().unwrap(), None);
    }

    /// No more workspaces: waits for the end and gives the exit code.
    pub fn finish(mut self) -> i32 {
        drop(self.stdin.take());
        self.end()
    }

    /// Waits for the end and gives the exit code.
    pub fn end(&mut self) -> i32 {
        let status = eventually("the host ends", || {
            self.seen.extend(self.lines.try_iter());
            self.child.try_wait().unwrap()
        });
        status.code().unwrap_or(-1)
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        // A test that failed half-way leaves no host behind; one that ended well has none to kill.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// The one version of the good scorer that made an answer, which must be right.
pub fn good_version(answer: &Value) -> u32 {
    assert_eq!(answer["status"], "ok", "{answer:#}");
    assert_eq!(answer["data"]["metrics"]["rows"], 3.0, "{answer:#}");
    let marker = answer["data"]["metrics"]["marker"].as_f64().unwrap() as u32;
    assert_eq!(
        answer["data"]["versioning"]["version"],
        format!("7.7.{marker:04}"),
        "two versions in one job: {answer:#}"
    );
    marker
}

fn is_event(line: &Value, kind: &str, file: &Path) -> bool {
    line["event"] == kind && line["file"] == file.to_str().unwrap()
}
