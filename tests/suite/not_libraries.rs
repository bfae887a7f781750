//! Files that are no libraries: never a crash, never opened, a clear refusal.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::process::Command;

use autoscorer_tests::{Finished, Live, Sandbox, built, versioned};
use insta::assert_snapshot;
use serde_json::Value;

/// Waits until every one of these files has been refused, and gives the refusals by name.
fn refusals(live: &mut Live, names: &[String]) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    while found.len() < names.len() {
        let event = live.wait("all are refused", |line| line["event"] == "refused");
        let name = event["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        found.insert(name, event);
    }
    found
}

#[test]
fn every_kind_of_file_that_is_no_library() {
    let sandbox = Sandbox::new();
    let (mut live, _, workspace) = Live::with_version_one(&sandbox);

    let library = versioned(2);
    let patched = |at: usize, byte: u8| {
        let mut bytes = library.clone();
        bytes[at] = byte;
        bytes
    };
    let mut hollow = library.clone();
    hollow[library.len() / 2..].fill(0);
    let files: [(&str, Vec<u8>); 8] = [
        ("empty.so", Vec::new()),
        ("text.so", b"#!/bin/sh\necho hello\n".to_vec()),
        ("one_byte.so", vec![0x7f]),
        ("other_machine.so", patched(18, 183)),
        ("32_bit.so", patched(4, 1)),
        ("executable.so", patched(16, 2)),
        ("zeros.so", vec![0; library.len()]),
        ("hollow.so", hollow),
    ];
    for (name, bytes) in &files {
        sandbox.drop_bytes(bytes, name);
    }
    fs::create_dir(sandbox.custom("directory.so")).unwrap();
    symlink("/nowhere/at/all.so", sandbox.custom("dangling.so")).unwrap();
    symlink(sandbox.custom("loop.so"), sandbox.custom("loop.so")).unwrap();
    let _socket = UnixListener::bind(sandbox.custom("socket.so")).unwrap();
    assert!(Command::new("mkfifo").arg(sandbox.custom("fifo.so")).status().unwrap().success());
    File::create(sandbox.custom("huge.so")).unwrap().set_len(3 << 30).unwrap();

    let special = ["directory.so", "dangling.so", "loop.so", "socket.so", "fifo.so", "huge.so"];
    let names: Vec<String> = files.iter().map(|(name, _)| *name).chain(special).map(str::to_owned).collect();
    let refused = refusals(&mut live, &names);
    let text: Vec<String> = refused.values().map(|event| sandbox.anonymous(&crate::misbehaving::text(event))).collect();
    let text = text.join("\n\n").replace(&library.len().to_string(), "[length]");
    insta::with_settings!({filters => vec![(r"at least \d{5,} bytes", "at least [some] bytes")]}, {
        assert_snapshot!(text);
    });
    for event in refused.values() {
        assert_eq!(event["step"], "check", "{event:#}");
    }
    live.assert_good(&workspace, 1);
    assert_eq!(live.finish(), 0);
}

#[test]
fn a_library_that_is_cut_anywhere() {
    let sandbox = Sandbox::new();
    let (mut live, _, workspace) = Live::with_version_one(&sandbox);
    let library = versioned(2);
    let small = [4, 5, 16, 19, 20, 52, 63, 64, 65, 120, 1000, 4096];
    let shares = (1..48).map(|n| library.len() * n / 48);
    let sizes: Vec<usize> = small.into_iter().chain(shares).chain([library.len() - 64, library.len() - 1]).collect();
    let names: Vec<String> = sizes.iter().map(|size| format!("cut_{size}.so")).collect();
    for (name, size) in names.iter().zip(&sizes) {
        sandbox.drop_bytes(&library[..*size], name);
    }
    for (name, event) in refusals(&mut live, &names) {
        assert_eq!(event["step"], "check", "{name}: {event:#}");
        assert!(event["found"].as_str().unwrap().ends_with("bytes of a library"), "{name}: {event:#}");
    }
    live.assert_good(&workspace, 1);
    assert_eq!(live.finish(), 0);
}

#[test]
fn a_file_that_may_not_be_read() {
    let sandbox = Sandbox::new();
    let file = sandbox.drop_library("fixture_good", "secret.so");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    let root = fs::read(&file).is_ok();
    let listed = if root { list_as_nobody(&sandbox) } else { sandbox.run(&["scorers", "list"]) };
    assert_eq!(listed.code, 0);
    assert!(listed.stdout.contains("classification_f1"), "{}", listed.stderr);
    assert_snapshot!(sandbox.anonymous(&listed.stderr));
}

/// For the superuser there are no files that may not be read, so somebody else has to try.
fn list_as_nobody(sandbox: &Sandbox) -> Finished {
    const NOBODY: u32 = 65_534;
    fs::set_permissions(sandbox.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let copy = |from: std::path::PathBuf, to: &str| {
        let to = sandbox.path().join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, &to).unwrap();
        to
    };
    let host = copy(built().host(), "bin/autoscorer");
    copy(built().library("autoscorer_classification"), "plugins/libautoscorer_classification.so");
    let store = sandbox.path().join("nobodys");
    fs::create_dir(&store).unwrap();
    std::os::unix::fs::chown(&store, Some(NOBODY), Some(NOBODY)).unwrap();
    let mut command = Command::new(host);
    command.args(["scorers", "list", "--plugins", "plugins", "--custom-scorers"]).arg(sandbox.custom(""));
    command.args(["--store", "nobodys/store"]).current_dir(sandbox.path()).uid(NOBODY).gid(NOBODY);
    Finished::from(command.output().unwrap())
}
