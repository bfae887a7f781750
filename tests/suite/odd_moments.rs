//! Odd moments: things that happen at the wrong time, in the wrong order, or in circles.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use autoscorer_tests::{Live, Sandbox, built, eventually, good_version, versioned};
use serde_json::{Value, json};

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or("none")
}

#[test]
fn links_in_circles_hold_nobody_up() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    let folder = workspace.join("output/deep");
    fs::create_dir(&folder).unwrap();
    for name in ["a", "b", "c"] {
        symlink(".", folder.join(name)).unwrap();
    }
    let scored = sandbox.run(&["score", "ws", "--json"]).json();
    assert_eq!(scored["data"]["versioning"]["inputs"].as_object().unwrap().len(), 2, "{scored:#}");
}

#[test]
fn a_file_that_is_never_still_does_not_keep_the_host_from_starting() {
    let sandbox = Sandbox::new();
    let good = sandbox.drop_bytes(&versioned(1), "good.so");
    let workspace = sandbox.workspace("ws", "good");
    let restless = sandbox.custom("restless.so");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0_u64.. {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                fs::write(&restless, n.to_string()).unwrap();
                std::thread::park_timeout(std::time::Duration::from_millis(20));
            }
        });
        let mut live = Live::start(&sandbox, &[]);
        live.live(&good, 1);
        live.assert_good(&workspace, 1);
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_folder_that_cannot_be_read_changes_nothing() {
    let sandbox = Sandbox::new();
    let good = sandbox.drop_bytes(&versioned(1), "good.so");
    let workspace = sandbox.workspace("ws", "good");
    let mut live = Live::start(&sandbox, &[]);
    live.live(&good, 1);
    fs::rename(sandbox.custom(""), sandbox.path().join("away")).unwrap();
    sandbox.write("custom", "a file where a folder was");
    live.wait("trouble", |line| line["event"] == "trouble");
    live.assert_good(&workspace, 1);
    fs::remove_file(sandbox.path().join("custom")).unwrap();
    fs::rename(sandbox.path().join("away"), sandbox.custom("")).unwrap();
    sandbox.drop_bytes(&versioned(2), "good.so");
    live.live(&good, 2);
    live.assert_good(&workspace, 2);
}

#[test]
fn two_jobs_in_one_workspace_take_turns() {
    let sandbox = Sandbox::new();
    let good = sandbox.drop_bytes(&versioned(1), "good.so");
    let workspace = sandbox.workspace("ws", "good");
    let (go, begun) = (sandbox.path().join("go"), workspace.join("output/begun"));
    let mut live = Live::start(&sandbox, &["--jobs", "2"]);
    live.live(&good, 1);
    live.submit(json!({"workspace": workspace, "params": {"wait_for": go, "announce": begun}}).to_string());
    eventually("the first job begins", || begun.exists().then_some(()));
    sandbox.drop_bytes(&versioned(2), "good.so");
    live.live(&good, 2);
    live.submit(&workspace);
    fs::write(&go, "").unwrap();
    let is_result = |line: &Value| line["status"].is_string();
    let versions = [(); 2].map(|()| good_version(&live.wait("a result", is_result)));
    assert_eq!(versions, [1, 2]);
    let result: Value = serde_json::from_slice(&fs::read(workspace.join("output/result.json")).unwrap()).unwrap();
    assert_eq!((&result["metrics"]["marker"], &result["artifacts"]["rows.txt"]["size"]), (&json!(2.0), &json!(1)));
    assert!(workspace.join("output/artifacts/rows.txt").exists());
}

#[test]
fn a_line_that_is_wrong_leaves_no_older_score() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    let mut live = Live::start(&sandbox, &[]);
    assert_eq!(live.score(&workspace)["status"], "ok");
    live.submit(json!({"workspace": workspace, "scorer": "f1@"}).to_string());
    let answer = live.wait("the error", |line| line["status"] == "error");
    assert_eq!((code(&answer), &answer["data"]["workspace"]), ("INVALID_PARAMS", &json!(workspace)));
    let result: Value = serde_json::from_slice(&fs::read(workspace.join("output/result.json")).unwrap()).unwrap();
    assert_eq!((&result["summary"], &result["error"]["code"]), (&json!({}), &json!("INVALID_PARAMS")));
}

#[test]
fn a_built_in_plugin_that_changed_since_the_start_is_not_used() {
    let sandbox = Sandbox::new();
    let plugin = sandbox.write("plugins/libgood.so", versioned(1));
    let workspace = sandbox.workspace("ws", "good");
    let mut command = std::process::Command::new(built().host());
    command.args(["score", "-", "--jsonl", "--events", "--plugins", "plugins", "--store", "store"]);
    let mut live = Live::spawn(command.current_dir(sandbox.path()));
    // An answer shows that the host has started and looked at its plugins.
    live.submit("nowhere");
    live.wait("an answer", |line| code(line) == "WORKSPACE_NOT_FOUND");
    fs::remove_file(&plugin).unwrap();
    fs::write(&plugin, versioned(2)).unwrap();
    let answer = live.score(&workspace);
    assert_eq!(code(&answer), "LOAD_ERROR", "{answer:#}");
    assert_eq!(answer["error"]["details"]["found"], "a plugin that changed since the host started");
}

#[test]
fn a_store_that_is_mended_is_used_again() {
    let sandbox = Sandbox::with_own_store();
    let workspace = sandbox.workspace("ws", "classification_f1");
    sandbox.write("store", "a file where a folder should be");
    let mut live = Live::start(&sandbox, &[]);
    assert_eq!(code(&live.score(&workspace)), "LOAD_ERROR");
    fs::remove_file(sandbox.path().join("store")).unwrap();
    assert_eq!(live.score(&workspace)["status"], "ok");
}

#[test]
fn the_same_file_dropped_again_is_the_newer_one() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "good");
    let mut live = Live::start(&sandbox, &[]);
    let first = sandbox.drop_bytes(&versioned(1), "a.so");
    live.live(&first, 1);
    let second = sandbox.drop_bytes(&versioned(2), "b.so");
    live.live(&second, 2);
    live.assert_good(&workspace, 2);
    sandbox.drop_bytes(&versioned(1), "a.so");
    live.wait("the names change hands", |line| {
        line["event"] == "shadowed" && line["winner"] == first.to_str().unwrap()
    });
    live.assert_good(&workspace, 1);
    let fresh = sandbox.run(&["score", "ws", "--json"]).json();
    assert_eq!(good_version(&fresh), 1, "a host that starts now sees it the same way");
}

#[test]
fn a_pin_never_runs_what_was_refused() {
    let sandbox = Sandbox::with_own_store();
    sandbox.workspace("ws", "good");
    sandbox.drop_library("misbehaving_usurper", "usurper.so");
    sandbox.drop_library("misbehaving_ctor_abort", "abort.so");
    assert_eq!(sandbox.run(&["scorers", "list"]).code, 0);
    for name in ["classification_f1@66.6.0", "good@9.0.0"] {
        for isolation in ["auto", "in-process"] {
            let scored = sandbox.run(&["score", "ws", "--json", "--scorer", name, "--isolation", isolation]);
            assert_eq!(scored.json()["error"]["code"], "SCORER_NOT_FOUND", "{name}: {}", scored.stdout);
        }
    }
}

#[test]
fn a_job_s_own_limits_do_not_break_a_scorer() {
    let sandbox = Sandbox::new();
    let file = sandbox.drop_bytes(&versioned(1), "good.so");
    let workspace = sandbox.workspace("ws", "good");
    let meta = json!({"scorer": "good", "time_limit": 0.05, "params": {"wait_for": sandbox.path().join("never")}});
    let hasty = sandbox.workspace("hasty", "good");
    sandbox.write("hasty/meta.json", meta.to_string());
    let mut live = Live::start(&sandbox, &["--breaker", "2"]);
    live.live(&file, 1);
    for _ in 0..4 {
        assert_eq!(code(&live.score(&hasty)), "TIMEOUT_ERROR");
    }
    live.assert_good(&workspace, 1);
}

#[test]
fn paths_that_are_not_utf_8_are_shown_and_not_panicked_about() {
    let sandbox = Sandbox::new();
    let folder = sandbox.path().join(OsStr::from_bytes(b"bad\xff"));
    fs::create_dir(&folder).unwrap();
    let library = folder.join("good.so");
    fs::write(&library, versioned(1)).unwrap();
    let host = built().host();
    for arguments in [vec!["scorers", "inspect"], vec!["scorers", "list", "--store", "store", "--custom-scorers"]] {
        let path = if arguments.len() == 2 { &library } else { &folder };
        let output = std::process::Command::new(&host)
            .args(arguments)
            .arg(path)
            .arg("--json")
            .current_dir(sandbox.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
