//! Scorers that cannot hurt: whatever one does costs one job, the result says what happened, and nothing is left behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use autoscorer_tests::{Live, Sandbox, eventually, versioned};
use serde_json::{Value, json};

/// The worker processes whose library is in this sandbox's own store.
fn workers(sandbox: &Sandbox) -> usize {
    let commands = fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|process| fs::read_to_string(process.path().join("cmdline")).ok());
    commands.filter(|line| line.contains("__worker") && line.contains(sandbox.path().to_str().unwrap())).count()
}

/// Lets a scorer sin while others score, and gives the sinner's error.
fn sin(scorer: &str, meta: Value) -> Value {
    let sandbox = Sandbox::with_own_store();
    sandbox.drop_library("misbehaving_sinner", "sinner.so");
    sandbox.drop_bytes(&versioned(1), "good.so");
    let sinner = sandbox.workspace("sinner", scorer);
    let mut fields = json!({"scorer": scorer, "time_limit": 1});
    fields.as_object_mut().unwrap().extend(meta.as_object().unwrap().clone());
    sandbox.write("sinner/meta.json", fields.to_string());
    let good = sandbox.workspace("good", "good");
    let mut live = Live::start(&sandbox, &["--jobs", "2"]);
    live.submit(&sinner);
    let is_sinner = |line: &Value| line["data"]["workspace"] == sinner.to_str().unwrap();
    let mut others = 0;
    while others < 20 || !live.seen.iter().any(is_sinner) {
        live.assert_good(&good, 1);
        others += 1;
    }
    let answer = live.seen.iter().find(|line| is_sinner(line)).unwrap().clone();
    live.assert_running();
    assert_eq!(answer["data"]["versioning"]["isolation"], "process");
    assert_eq!(live.finish(), if answer["status"] == "ok" { 0 } else { 4 });
    eventually("no worker is left", || (workers(&sandbox) == 0).then_some(()));
    assert_eq!(
        fs::read_to_string(sandbox.path().join("sinner/input/gt.csv")).unwrap(),
        "id,label\n1,cat\n2,dog\n3,cat\n"
    );
    answer
}

fn code(answer: &Value) -> &str {
    answer["error"]["code"].as_str().unwrap_or("none")
}

fn assert_crashed(scorer: &str, signal: &str) {
    let answer = sin(scorer, json!({}));
    assert_eq!(code(&answer), "SCORER_CRASHED", "{answer:#}");
    assert_eq!(answer["error"]["details"]["signal"], signal, "{answer:#}");
}

#[test]
fn segfault() {
    let answer = sin("sin_segfault", json!({}));
    assert_eq!((code(&answer), &answer["error"]["details"]["signal"]), ("SCORER_CRASHED", &json!("SIGSEGV")));
    assert_eq!(answer["error"]["details"]["log"], json!(["about to write to nowhere"]));
}

#[test]
fn abort() {
    let answer = sin("sin_abort", json!({}));
    assert_eq!((code(&answer), &answer["error"]["details"]["signal"]), ("SCORER_CRASHED", &json!("SIGABRT")));
    assert_eq!(answer["error"]["details"]["log"], json!(["printed before the abort"]));
}

#[test]
fn exit_with_success_is_a_crash() {
    let answer = sin("sin_exit", json!({}));
    assert_eq!(code(&answer), "SCORER_CRASHED");
    assert_eq!(answer["error"]["message"], "the scorer ended its process with exit code 0");
}

#[test]
fn stack_overflow() {
    // Rust's own handler turns the fault into an abort, with a word about it.
    assert_crashed("sin_stack_overflow", "SIGABRT");
}

#[test]
fn spin() {
    assert_eq!(code(&sin("sin_spin", json!({}))), "TIMEOUT_ERROR");
}

#[test]
fn sleep_in_a_system_call() {
    assert_eq!(code(&sin("sin_sleep", json!({}))), "TIMEOUT_ERROR");
}

#[test]
fn allocate_without_end() {
    let answer = sin("sin_allocate", json!({"time_limit": 30, "resources": {"memory": "256Mi"}}));
    assert_eq!(code(&answer), "MEMORY_LIMIT", "{answer:#}");
    assert_eq!(answer["error"]["message"], "the scorer used more than its 256 MiB of memory");
    assert_eq!(answer["data"]["versioning"]["limits"]["memory_bytes"], 256 << 20);
}

#[test]
fn write_without_end() {
    let answer = sin("sin_write_many", json!({"time_limit": 30}));
    assert_eq!(
        (code(&answer), &answer["error"]["details"]["limit"]),
        ("SCORE_ERROR", &json!("artifacts")),
        "{answer:#}"
    );
    let answer = sin("sin_write_one", json!({"time_limit": 30}));
    assert_eq!(answer["error"]["details"]["limit"], "file size", "{answer:#}");
}

#[test]
fn fork() {
    let answer = sin("sin_fork", json!({}));
    assert_eq!(code(&answer), "SCORE_ERROR");
    assert!(answer["error"]["message"].as_str().unwrap().contains("not permitted"), "{answer:#}");
}

#[test]
fn print_a_lot() {
    let answer = sin("sin_print", json!({}));
    assert_eq!(code(&answer), "TIMEOUT_ERROR");
    let log = answer["error"]["details"]["log"].as_array().unwrap();
    assert!(log.iter().all(|line| line.as_str().unwrap().contains("line")), "{answer:#}");
}

#[test]
fn leak_threads() {
    let answer = sin("sin_threads", json!({"resources": {"memory": "256Mi"}}));
    // Each thread has a stack: when no more fit, the C library says no, or gives up for want of memory.
    assert!(["TIMEOUT_ERROR", "MEMORY_LIMIT"].contains(&code(&answer)), "{answer:#}");
}

#[test]
fn too_many_open_files() {
    let answer = sin("sin_open_files", json!({}));
    assert!(answer["error"]["message"].as_str().unwrap().contains("Too many open files"), "{answer:#}");
}

#[test]
fn write_and_remove_outside_output() {
    for scorer in ["sin_write_outside", "sin_remove"] {
        let answer = sin(scorer, json!({}));
        assert!(answer["error"]["message"].as_str().unwrap().contains("Permission denied"), "{answer:#}");
    }
}

#[test]
fn use_the_network() {
    let answer = sin("sin_network", json!({}));
    assert_eq!(answer["data"]["metrics"]["deed"], 0.0, "{answer:#}");
}

#[test]
fn kill_the_host() {
    let answer = sin("sin_kill_host", json!({}));
    assert!(answer["error"]["message"].as_str().unwrap().contains("not permitted"), "{answer:#}");
}

#[test]
fn panic_abort_runs_apart_whatever_is_asked_for() {
    let sandbox = Sandbox::new();
    sandbox.drop_library("misbehaving_panic_abort", "abort.so");
    sandbox.workspace("ws", "panic_abort");
    for isolation in ["auto", "process", "in-process"] {
        let scored = sandbox.run(&["score", "ws", "--json", "--isolation", isolation]);
        let error = &scored.json()["error"];
        assert_eq!((scored.code, error["code"].as_str()), (4, Some("SCORER_CRASHED")), "{isolation}");
        let log = error["details"]["log"].to_string();
        assert!(log.contains("nobody can catch this"), "{log}");
    }
}

/// A result without what differs from run to run.
fn lasting(mut result: Value) -> Value {
    for member in ["timing", "resources", "versioning"] {
        result.as_object_mut().unwrap().remove(member);
    }
    result
}

#[test]
fn the_outcome_is_the_same_in_both_modes() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&versioned(1), "good.so");
    let read = |name: &str| -> Value {
        serde_json::from_slice(&fs::read(sandbox.path().join(name).join("output/result.json")).unwrap()).unwrap()
    };
    for (workspace, scorer) in [("f1", "classification_f1"), ("good", "good")] {
        sandbox.workspace(workspace, scorer);
        let results = ["in-process", "process"].map(|isolation| {
            assert_eq!(sandbox.run(&["score", workspace, "--isolation", isolation]).code, 0);
            let result = read(workspace);
            assert_eq!(result["versioning"]["isolation"], isolation);
            lasting(result).to_string()
        });
        assert_eq!(results[0], results[1]);
    }
}

#[test]
fn limits_come_from_flags_then_meta_then_settings() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&versioned(1), "good.so");
    sandbox.workspace("ws", "good");
    sandbox.write("host.toml", "timeout = 50\nmemory = '1Gi'\n");
    let limits = |arguments: &[&str]| {
        let scored = sandbox.run(&[&["score", "ws", "--json"], arguments].concat()).json();
        let limits = scored["data"]["versioning"]["limits"].clone();
        (limits["time_s"].as_f64().unwrap(), limits["memory_bytes"].as_u64().unwrap())
    };
    assert_eq!(limits(&[]), (3600.0, 4 << 30));
    assert_eq!(limits(&["--config", "host.toml"]), (50.0, 1 << 30));
    sandbox.write("ws/meta.json", r#"{"scorer": "good", "time_limit": 7, "resources": {"memory": "512Mi"}}"#);
    assert_eq!(limits(&["--config", "host.toml"]), (7.0, 512 << 20));
    assert_eq!(limits(&["--timeout", "2.5", "--memory", "300Mi"]), (2.5, 300 << 20));
}

#[test]
fn workers_are_reused_and_end_with_their_generation() {
    let sandbox = Sandbox::with_own_store();
    let file = sandbox.drop_bytes(&versioned(1), "good.so");
    let workspace = sandbox.workspace("ws", "good");
    let mut live = Live::start(&sandbox, &["--jobs", "1"]);
    for _ in 0..10 {
        live.assert_good(&workspace, 1);
        assert_eq!(workers(&sandbox), 1);
    }
    fs::remove_file(&file).unwrap();
    live.event("retired", &file);
    eventually("its worker ends", || (workers(&sandbox) == 0).then_some(()));
    assert_eq!(live.finish(), 0);
}

#[test]
fn idle_workers_end_and_are_started_again() {
    let sandbox = Sandbox::with_own_store();
    sandbox.drop_bytes(&versioned(1), "good.so");
    let workspace = sandbox.workspace("ws", "good");
    let mut live = Live::start(&sandbox, &["--jobs", "1"]);
    live.assert_good(&workspace, 1);
    eventually("the idle worker ends", || (workers(&sandbox) == 0).then_some(()));
    live.assert_good(&workspace, 1);
}

#[test]
fn there_are_no_more_workers_than_allowed() {
    let sandbox = Sandbox::with_own_store();
    sandbox.drop_bytes(&versioned(1), "good.so");
    let go = sandbox.path().join("go");
    let mut live = Live::start(&sandbox, &["--jobs", "4", "--max-workers", "2"]);
    let begun: Vec<_> = (0..4)
        .map(|n| {
            let name = format!("ws{n}");
            let begun = sandbox.workspace(&name, "good").join("output/begun");
            let meta = json!({"scorer": "good", "params": {"wait_for": go, "announce": begun}});
            live.submit(sandbox.write(&format!("{name}/meta.json"), meta.to_string()).parent().unwrap());
            begun
        })
        .collect();
    let running = || begun.iter().filter(|file| file.exists()).count();
    eventually("two run", || (running() == 2).then_some(()));
    assert_eq!(workers(&sandbox), 2);
    fs::write(&go, "").unwrap();
    for _ in 0..4 {
        live.wait("a result", |line| line["status"] == "ok");
    }
    assert_eq!(running(), 4);
}

#[test]
fn log_and_progress_cross_the_boundary() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&versioned(1), "good.so");
    sandbox.drop_library("misbehaving_sinner", "sinner.so");
    sandbox.workspace("ws", "good");
    let told = ["in-process", "process"].map(|isolation| {
        let scored = sandbox.run(&["score", "ws", "--verbose", "--isolation", isolation]);
        assert_eq!(scored.code, 0);
        scored.stderr
    });
    assert_eq!(told[0], "ws: 1 of 2\nws: counted\n");
    assert_eq!(told[0], told[1]);
    let printed = sandbox.run(&["score", "ws", "--verbose", "--scorer", "sin_validate"]);
    assert_eq!((printed.code, printed.stderr.as_str()), (0, "ws: printed by a scorer that succeeds\n"));
    assert!(!printed.stdout.contains("printed"), "stdout is data");
}

#[test]
fn limits_bind_when_validating() {
    let sandbox = Sandbox::new();
    sandbox.drop_library("misbehaving_sinner", "sinner.so");
    sandbox.workspace("ws", "sin_validate");
    let validated = sandbox.run(&["validate", "ws", "--timeout", "0.3", "--json"]);
    assert_eq!((validated.code, &validated.json()["error"]["code"]), (4, &json!("TIMEOUT_ERROR")));
}

#[test]
fn the_network_is_there_for_who_asked() {
    let sandbox = Sandbox::new();
    sandbox.drop_library("fixture_networker", "networker.so");
    sandbox.workspace("ws", "networker");
    let scored = sandbox.run(&["score", "ws", "--json"]).json();
    assert_eq!(scored["data"]["metrics"]["opened"], 1.0, "{scored:#}");
    let shown = sandbox.run(&["scorers", "show", "networker", "--json"]).json();
    assert_eq!(shown["data"]["scorer"]["network"], true);
}

#[test]
fn killing_the_host_leaves_no_worker() {
    let sandbox = Sandbox::with_own_store();
    sandbox.drop_library("misbehaving_sinner", "sinner.so");
    let workspace = sandbox.workspace("ws", "sin_sleep");
    let mut command = sandbox.command(&["score", workspace.to_str().unwrap()]);
    let mut host = command.stdout(Stdio::null()).spawn().unwrap();
    eventually("a worker runs", || (workers(&sandbox) > 0).then_some(()));
    host.kill().unwrap();
    host.wait().unwrap();
    eventually("no worker is left", || (workers(&sandbox) == 0).then_some(()));
}

#[test]
fn an_interrupt_ends_work_in_flight_in_order() {
    let sandbox = Sandbox::with_own_store();
    sandbox.drop_library("misbehaving_sinner", "sinner.so");
    let workspace = sandbox.workspace("ws", "sin_sleep");
    for signal in ["-TERM", "-INT"] {
        let mut host = sandbox.command(&["score", workspace.to_str().unwrap()]).stdout(Stdio::null()).spawn().unwrap();
        eventually("a worker runs", || (workers(&sandbox) > 0).then_some(()));
        assert!(Command::new("kill").args([signal, &host.id().to_string()]).status().unwrap().success());
        assert_eq!(host.wait().unwrap().code(), Some(130));
        assert_eq!(error_of(&workspace)["code"], "CANCELLED");
        eventually("no worker is left", || (workers(&sandbox) == 0).then_some(()));
    }
}

fn error_of(workspace: &Path) -> Value {
    let result = fs::read(workspace.join("output/result.json")).unwrap();
    serde_json::from_slice::<Value>(&result).unwrap()["error"].clone()
}
