//! A good library is live however it arrives, and the one before stays live until then.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use autoscorer_tests::{Live, Sandbox, built, compiled, versioned};
use sha2::{Digest, Sha256};

#[test]
fn what_is_there_at_start_is_live_before_the_first_job() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&versioned(5), "good.so");
    let workspace = sandbox.workspace("ws", "good");
    let mut live = Live::start(&sandbox, &[]);
    live.assert_good(&workspace, 5);
    assert_eq!(live.finish(), 0);
}

#[test]
fn copied_in_place_over_the_old_one() {
    let sandbox = Sandbox::new();
    let (mut live, file, workspace) = Live::with_version_one(&sandbox);
    fs::write(&file, versioned(2)).unwrap();
    live.live(&file, 2);
    live.assert_good(&workspace, 2);
    assert_eq!(live.finish(), 0);
}

#[test]
fn moved_over_the_old_one() {
    let sandbox = Sandbox::new();
    let (mut live, file, workspace) = Live::with_version_one(&sandbox);
    sandbox.drop_bytes(&versioned(2), "good.so");
    live.live(&file, 2);
    live.assert_good(&workspace, 2);
}

#[test]
fn removed_and_put_back_without_a_gap_for_jobs() {
    let sandbox = Sandbox::new();
    let (mut live, file, workspace) = Live::with_version_one(&sandbox);
    let bytes = versioned(2);
    fs::remove_file(&file).unwrap();
    fs::write(&file, bytes).unwrap();
    live.assert_good_either(&workspace, &[1, 2]);
    live.live(&file, 2);
    live.assert_good(&workspace, 2);
}

#[test]
fn copied_slowly_byte_by_byte_and_with_pauses() {
    let sandbox = Sandbox::new();
    let (mut live, file, workspace) = Live::with_version_one(&sandbox);
    let bytes = versioned(2);
    let (slow, rest) = bytes.split_at(3000);
    let (middle, end) = rest.split_at(rest.len() / 2);
    let mut writer = File::create(&file).unwrap();
    for byte in slow {
        writer.write_all(&[*byte]).unwrap();
    }
    // The pause lasts until the host has looked at the half file and refused it.
    let refused = live.event("refused", &file);
    assert_eq!(refused["step"], "check", "{refused:#}");
    live.assert_good(&workspace, 1);
    writer.write_all(middle).unwrap();
    live.event("refused", &file);
    live.assert_good(&workspace, 1);
    writer.write_all(end).unwrap();
    live.live(&file, 2);
    live.assert_good(&workspace, 2);
}

#[test]
fn truncated_and_written_again() {
    let sandbox = Sandbox::new();
    let (mut live, file, workspace) = Live::with_version_one(&sandbox);
    let mut writer = OpenOptions::new().write(true).truncate(true).open(&file).unwrap();
    live.event("refused", &file);
    live.assert_good(&workspace, 1);
    writer.write_all(&versioned(2)).unwrap();
    live.live(&file, 2);
    live.assert_good(&workspace, 2);
}

#[test]
fn hard_linked_and_then_written_from_elsewhere() {
    let sandbox = Sandbox::new();
    let (mut live, file, workspace) = Live::with_version_one(&sandbox);
    let elsewhere = sandbox.write("elsewhere.so", versioned(2));
    fs::remove_file(&file).unwrap();
    fs::hard_link(&elsewhere, &file).unwrap();
    live.live(&file, 2);
    live.assert_good(&workspace, 2);
    // No event tells of this one.
    fs::write(&elsewhere, versioned(3)).unwrap();
    live.live(&file, 3);
    live.assert_good(&workspace, 3);
}

#[test]
fn linked_symbolically_and_then_written_from_elsewhere() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.write("builds/good.so", versioned(1));
    let file = sandbox.custom("good.so");
    symlink(&elsewhere, &file).unwrap();
    let workspace = sandbox.workspace("ws", "good");
    let mut live = Live::start(&sandbox, &[]);
    live.assert_good(&workspace, 1);
    fs::write(&elsewhere, versioned(2)).unwrap();
    live.live(&file, 2);
    live.assert_good(&workspace, 2);
}

#[test]
fn in_a_folder_that_is_made_after_start_and_made_again() {
    let sandbox = Sandbox::new();
    fs::remove_dir(sandbox.custom("")).unwrap();
    let workspace = sandbox.workspace("ws", "good");
    let mut live = Live::start(&sandbox, &[]);
    for number in [1, 2] {
        fs::create_dir(sandbox.custom("")).unwrap();
        let file = sandbox.drop_bytes(&versioned(number), "good.so");
        live.live(&file, number);
        live.assert_good(&workspace, number);
        fs::remove_dir_all(sandbox.custom("")).unwrap();
        live.event("retired", &file);
    }
}

#[test]
fn many_at_once() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "good");
    let mut live = Live::start(&sandbox, &[]);
    let files: Vec<_> = (0..12).map(|n| sandbox.drop_bytes(&versioned(n), &format!("good_{n:02}.so"))).collect();
    let mut missing: Vec<_> = files.iter().map(|file| file.to_str().unwrap().to_owned()).collect();
    while !missing.is_empty() {
        let event = live.wait("all are live", |line| line["event"] == "live");
        missing.retain(|file| event["file"] != file.as_str());
    }
    // All have the same scorer: the one that came last has the name.
    live.assert_good(&workspace, 11);
}

#[test]
fn a_slow_library_keeps_nobody_waiting_but_itself() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "good");
    let mut live = Live::start(&sandbox, &["--probe-timeout", "60"]);
    let slow = sandbox.drop_library("misbehaving_ctor_hang", "slow.so");
    live.event("found", &slow);
    let file = sandbox.drop_bytes(&versioned(1), "good.so");
    live.live(&file, 1);
    live.assert_good(&workspace, 1);
    let refused = live.seen.iter().find(|line| line["event"] == "refused");
    assert_eq!(refused, None, "the slow one is still being tried");
}

#[test]
fn of_a_library_that_is_replaced_before_it_is_open_builds_go_live_in_their_order() {
    let sandbox = Sandbox::new();
    let library = compiled("tests/misbehaving_c/table.c", &["-DSLOW"]);
    let mut live = Live::start(&sandbox, &[]);
    let file = sandbox.custom("slow.so");
    let over = AtomicBool::new(false);
    let drop_builds = || {
        let mut dropped = Vec::new();
        while !over.load(Ordering::Relaxed) {
            // What stands behind a library is no part of it, but makes it another one.
            let build = [library.as_slice(), &dropped.len().to_le_bytes()].concat();
            sandbox.drop_bytes(&build, "slow.so");
            dropped.push(format!("{:x}", Sha256::digest(&build)));
            thread::park_timeout(Duration::from_millis(300));
        }
        dropped
    };
    let (mut seen, dropped) = thread::scope(|scope| {
        let dropping = scope.spawn(drop_builds);
        let seen: Vec<_> = (0..3).map(|_| live.event("live", &file)["sha256"].clone()).collect();
        over.store(true, Ordering::Relaxed);
        (seen, dropping.join().unwrap())
    });
    while seen.last().unwrap() != dropped.last().unwrap().as_str() {
        seen.push(live.event("live", &file)["sha256"].clone());
    }
    let order: Vec<_> = seen.iter().map(|sha| dropped.iter().position(|build| *sha == build.as_str())).collect();
    assert!(order.iter().all(Option::is_some) && order.is_sorted(), "{order:?}");
}

#[test]
fn hidden_and_temporary_names_are_ignored() {
    let sandbox = Sandbox::new();
    let mut live = Live::start(&sandbox, &[]);
    for name in [".good.so", "good.so.part", "good.so~", "good.so.tmp", "notes.txt"] {
        fs::write(sandbox.custom(name), versioned(1)).unwrap();
    }
    let file = sandbox.drop_bytes(&versioned(2), "good.so");
    live.live(&file, 2);
    let others = live.seen.iter().filter(|line| line["file"].is_string() && line["file"] != file.to_str().unwrap());
    assert_eq!(others.count(), 0);
}

#[test]
fn removing_the_file_retires_its_scorers() {
    let sandbox = Sandbox::new();
    let (mut live, file, workspace) = Live::with_version_one(&sandbox);
    fs::remove_file(&file).unwrap();
    live.event("retired", &file);
    let answer = live.score(&workspace);
    assert_eq!(answer["error"]["code"], "SCORER_NOT_FOUND");
    assert_eq!(live.finish(), 3);
}

#[test]
fn many_watchers_of_one_folder_all_see_it() {
    let sandbox = Sandbox::new();
    let mut watchers: Vec<Live> =
        (0..3).map(|_| Live::spawn(&mut sandbox.command(&["scorers", "watch", "--jsonl"]))).collect();
    let file = sandbox.drop_library("fixture_good", "good.so");
    for watcher in &mut watchers {
        watcher.live(&file, 7777);
    }
    assert!(built().store.exists());
}
