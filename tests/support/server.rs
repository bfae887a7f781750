//! A daemon: `autoscorer serve` on a free port, until it is ended.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::http::Client;
use crate::live::{PATIENCE, eventually};
use crate::sandbox::Sandbox;

/// A daemon in a sandbox. Its root is the sandbox's folder, its data are in `data`.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    child: Child,
    /// Whoever closes the other end of its stdout would be noticed.
    _stdout: BufReader<ChildStdout>,
    folder: PathBuf,
    flags: Vec<String>,
}

impl Server {
    /// Starts it, with more flags, and waits until it listens.
    pub fn start(sandbox: &Sandbox, flags: &[&str]) -> Self {
        Self::start_with(sandbox, flags, |command| command)
    }

    /// The same, after a last change to the command.
    pub fn start_with(sandbox: &Sandbox, flags: &[&str], change: impl Fn(&mut Command) -> &mut Command) -> Self {
        let mut command = sandbox.command(&["serve", "--bind", "127.0.0.1:0", "--data", "data"]);
        let log = OpenOptions::new().create(true).append(true).open(sandbox.path().join("daemon.log")).unwrap();
        command.args(flags).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = change(&mut command).spawn().unwrap();
        let (mut stdout, mut line) = (BufReader::new(child.stdout.take().unwrap()), String::new());
        stdout.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").and_then(|address| address.parse().ok());
        let folder = sandbox.path().to_owned();
        let address = address.unwrap_or_else(|| panic!("the daemon does not listen: {line:?}\n{}", log_in(&folder)));
        let flags = flags.iter().map(|&flag| flag.to_owned()).collect();
        Self { address, child, _stdout: stdout, folder, flags }
    }

    /// A client of it.
    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// What it has written to stderr, since its first start.
    pub fn log(&self) -> String {
        log_in(&self.folder)
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The memory it has resident, in KiB.
    pub fn resident_kib(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Sends it a signal, such as `TERM` or `HUP`.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").arg(format!("-{name}")).arg(self.id().to_string()).status();
        assert!(sent.unwrap().success(), "SIG{name} cannot be sent");
    }

    /// Ends it as a power cut would.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end and gives the exit code.
    pub fn end(&mut self) -> i32 {
        let status = eventually("the daemon ends", || self.child.try_wait().unwrap());
        status.code().unwrap_or(-1)
    }

    /// Asks it to end, waits, and gives the exit code.
    pub fn terminate(&mut self) -> i32 {
        self.signal("TERM");
        self.end()
    }

    /// Starts it anew on the same data, after it has ended; at another port.
    pub fn restart(&mut self, sandbox: &Sandbox) {
        assert!(self.child.try_wait().unwrap().is_some(), "it runs");
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        *self = Self::start(sandbox, &flags);
    }

    /// Makes a token for it, which it knows from its next start or SIGHUP on.
    pub fn token(sandbox: &Sandbox, name: &str, scope: &str) -> String {
        let added = sandbox.run(&["tokens", "add", name, "--scope", scope, "--data", "data"]);
        assert_eq!(added.code, 0, "{}", added.stderr);
        added.stdout.trim().to_owned()
    }

    /// Submits a workspace and gives the job's id.
    pub fn submit(&self, client: &mut Client, workspace: &str) -> String {
        self.submit_with(client, json!({"workspace": workspace}))
    }

    /// Submits a job and gives its id.
    pub fn submit_with(&self, client: &mut Client, job: Value) -> String {
        let data = client.post("/api/v1/jobs", &job).data(202);
        data["id"].as_str().unwrap().to_owned()
    }

    /// Waits until a job is in one of some states, and gives it.
    pub fn wait(&self, client: &mut Client, id: &str, states: &[&str]) -> Value {
        eventually(&format!("{id} is {states:?}"), || {
            let job = client.get(&format!("/api/v1/jobs/{id}")).data(200);
            states.contains(&job["state"].as_str().unwrap()).then_some(job)
        })
    }
}

impl Drop for Server {
    #[expect(clippy::print_stderr, reason = "the runner shows it with the failure")]
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
        if std::thread::panicking() {
            let log = self.log();
            let lines: Vec<&str> = log.lines().collect();
            eprintln!("the end of the daemon's log:\n{}", lines[lines.len().saturating_sub(60)..].join("\n"));
        }
    }
}

/// Removes all events that were kept so far, as time does.
pub fn forget_events(sandbox: &Sandbox) {
    queue_of(sandbox).execute("DELETE FROM event", []).unwrap();
}

/// Keeps a daemon from writing to its queue.
pub struct Held(Connection);

/// Holds the lock on the queue's file until dropped: whatever is to be accepted waits, for seconds.
pub fn hold_queue(sandbox: &Sandbox) -> Held {
    let queue = queue_of(sandbox);
    queue.execute_batch("BEGIN IMMEDIATE").unwrap();
    Held(queue)
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.execute_batch("ROLLBACK").unwrap();
    }
}

fn queue_of(sandbox: &Sandbox) -> Connection {
    let queue = Connection::open(sandbox.path().join("data/queue.sqlite")).unwrap();
    // The daemon may be about to write.
    queue.busy_timeout(PATIENCE).unwrap();
    queue
}

fn log_in(folder: &Path) -> String {
    fs::read_to_string(folder.join("daemon.log")).unwrap_or_default()
}
