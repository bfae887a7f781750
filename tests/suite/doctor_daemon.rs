//! `doctor` on the data of a daemon: a line where there are none, and what is wrong with those there are.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use autoscorer_tests::{Sandbox, Server};
use serde_json::Value;

/// What `doctor` says about the daemon, as `health: found`, by subject.
fn said(sandbox: &Sandbox, subject: &str, flags: &[&str]) -> String {
    let examined = sandbox.run(&[&["doctor", "--json", "--data", "data"], flags].concat());
    let document = examined.json();
    let findings: Vec<&Value> = document["data"]["findings"].as_array().unwrap().iter().collect();
    let broken = findings.iter().any(|finding| finding["health"] == "broken");
    assert_eq!(examined.code, if broken { 4 } else { 0 }, "{document:#}");
    let found = findings.iter().find(|finding| finding["subject"] == subject);
    let found = found.unwrap_or_else(|| panic!("nothing about {subject}: {document:#}"));
    let text = |key: &str| found[key].as_str().unwrap_or("-").to_owned();
    format!("{}: {} -> {}", text("health"), text("found"), text("remedy"))
}

/// The data of a daemon that has scored once and ended.
fn ended() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    Server::token(&sandbox, "ci", "submit");
    let token = fs::read_to_string(sandbox.path().join("data/tokens.json")).unwrap();
    fs::remove_file(sandbox.path().join("data/tokens.json")).unwrap();
    let mut server = Server::start(&sandbox, &[]);
    let mut client = server.client();
    let id = server.submit(&mut client, "ws");
    server.wait(&mut client, &id, &["done"]);
    assert_eq!(server.terminate(), 0);
    sandbox.write("data/tokens.json", token);
    mode(&sandbox.path().join("data/tokens.json"), 0o600);
    sandbox
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn without_a_daemon_there_is_one_line_and_no_warning() {
    let sandbox = Sandbox::new();
    let about = said(&sandbox, "daemon", &["--bind", "0.0.0.0:80"]);
    assert_eq!(about, "fine: no daemon's data here (data is not there) -> -");
    let shown = sandbox.run(&["doctor", "--data", "data"]).stdout;
    assert_eq!(shown.matches("daemon").count(), 2, "{shown}");
    assert!(!sandbox.path().join("data").exists());
}

#[test]
fn the_data_of_a_daemon_are_fine_while_it_runs_and_after() {
    let sandbox = ended();
    let files = || {
        let entries = fs::read_dir(sandbox.path().join("data")).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries.collect();
        names.sort();
        names
    };
    let before = files();
    assert_eq!(said(&sandbox, "daemon's data", &[]), "fine: data, private -> -");
    assert!(said(&sandbox, "space for the daemon", &[]).contains(" MiB"));
    let queue = said(&sandbox, "daemon's queue", &[]);
    let jobs = "0 queued, 0 running, 1 done, 0 failed, 0 cancelled";
    assert_eq!(queue, format!("fine: data/queue.sqlite, whole; {jobs}; no daemon has it open -> -"));
    assert_eq!(said(&sandbox, "daemon's tokens", &[]), "fine: 1 in data/tokens.json, private -> -");
    let address = said(&sandbox, "daemon's address", &[]);
    assert_eq!(address, "fine: 127.0.0.1:8080; the scope without a token is none -> -");
    assert_eq!(files(), before, "a look leaves nothing behind");
    let mut server = Server::start(&sandbox, &[]);
    assert!(said(&sandbox, "daemon's queue", &[]).contains("whole; 0 queued, 0 running, 1 done"));
    assert!(said(&sandbox, "daemon's queue", &[]).contains("; a daemon has it open"));
    server.kill();
    assert!(said(&sandbox, "daemon's queue", &[]).contains("; no daemon has it open"));
}

#[test]
fn a_data_folder_that_is_not_private_is_told() {
    let sandbox = Sandbox::new();
    let data = sandbox.path().join("data");
    fs::write(&data, "").unwrap();
    assert!(said(&sandbox, "daemon's data", &[]).starts_with("broken: data is no folder"));
    fs::remove_file(&data).unwrap();
    fs::create_dir(&data).unwrap();
    mode(&data, 0o755);
    assert!(said(&sandbox, "daemon's data", &[]).starts_with("warning: data: others may look into it"));
    mode(&data, 0o777);
    assert!(said(&sandbox, "daemon's data", &[]).starts_with("broken: data: others may write to it"));
    mode(&data, 0o700);
    assert!(said(&sandbox, "daemon's queue", &[]).starts_with("fine: none yet"));
    assert!(said(&sandbox, "daemon's tokens", &[]).starts_with("fine: none"));
}

#[test]
fn a_queue_that_is_no_queue_is_broken_and_left_alone() {
    let sandbox = ended();
    let file = sandbox.path().join("data/queue.sqlite");
    // What a daemon has not put into the file itself yet stands beside it.
    for end in ["-wal", "-shm"] {
        _ = fs::remove_file(sandbox.path().join(format!("data/queue.sqlite{end}")));
    }
    let file_with = |changes: &[(usize, &[u8])]| {
        let mut bytes = fs::read(&file).unwrap();
        changes.iter().for_each(|(at, new)| bytes[*at..at + new.len()].copy_from_slice(new));
        bytes
    };
    // Where SQLite's header has the version of the tables, the program, and where its first page begins.
    let newer = file_with(&[(60, &99_u32.to_be_bytes()), (68, b"asqu")]);
    let strange = file_with(&[(68, &7_u32.to_be_bytes())]);
    let damaged = file_with(&[(68, b"asqu"), (100, &[0xff; 8])]);
    for (bytes, words) in [
        (newer, "a newer autoscorer wrote it (version 99"),
        (strange, "a database of another program"),
        (damaged, "malformed"),
        (b"not a database, but long enough to look like one".repeat(100), "not a database"),
    ] {
        fs::write(&file, &bytes).unwrap();
        let queue = said(&sandbox, "daemon's queue", &[]);
        assert!(queue.starts_with("broken: data/queue.sqlite: ") && queue.contains(words), "{words}: {queue}");
        assert!(queue.contains("restore it from a backup") && fs::read(&file).unwrap() == bytes, "{queue}");
    }
}

#[test]
fn tokens_that_others_can_change_or_nobody_can_read_are_told() {
    let sandbox = ended();
    let file = sandbox.path().join("data/tokens.json");
    mode(&file, 0o644);
    let tokens = said(&sandbox, "daemon's tokens", &[]);
    assert!(
        tokens.starts_with("warning: data/tokens.json: others may read") && tokens.contains("chmod 600"),
        "{tokens}"
    );
    mode(&file, 0o666);
    assert!(said(&sandbox, "daemon's tokens", &[]).starts_with("broken: data/tokens.json: others may write to it"));
    fs::write(&file, "[{").unwrap();
    assert!(said(&sandbox, "daemon's tokens", &[]).starts_with("broken: data/tokens.json cannot be read"));
}

#[test]
fn an_address_for_everybody_needs_tokens() {
    let sandbox = ended();
    let everywhere = ["--bind", "0.0.0.0:8080"];
    assert!(said(&sandbox, "daemon's address", &everywhere).starts_with("fine: 0.0.0.0:8080; the scope without"));
    fs::remove_file(sandbox.path().join("data/tokens.json")).unwrap();
    let address = said(&sandbox, "daemon's address", &everywhere);
    assert!(address.starts_with("broken: 0.0.0.0:8080 is no loopback address, and there are no tokens"), "{address}");
    assert!(address.contains("autoscorer tokens add"), "{address}");
    let open = said(&sandbox, "daemon's address", &[&everywhere[..], &["--allow-unauthenticated"]].concat());
    assert!(open.starts_with("warning: 0.0.0.0:8080 can be reached from elsewhere, with the scope submit"), "{open}");
}
