//! What is left in a workspace: a whole result or none, never an old one, and the artifacts it lists.

use std::fs;
use std::path::Path;

use autoscorer_tests::{Live, Sandbox, eventually, versioned};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn result(workspace: &Path) -> Value {
    serde_json::from_slice(&fs::read(workspace.join("output/result.json")).unwrap()).unwrap()
}

#[test]
fn the_standard_result() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    let scored = sandbox.run(&["score", "ws"]);
    assert_eq!((scored.code, scored.stderr.as_str()), (0, ""));
    let text = serde_json::to_string_pretty(&result(&workspace)).unwrap();
    insta::with_settings!({filters => vec![
        (r#""timestamp": "[^"]+""#, r#""timestamp": "[time]""#),
        (r#""plugin_sha256": "[0-9a-f]{64}""#, r#""plugin_sha256": "[sha256]""#),
        (r#"_(time|mb)": [0-9.e-]+"#, r#"_$1": "[number]""#),
        (r#"csv": "[0-9a-f]{64}""#, r#"csv": "[sha256]""#),
    ]}, {
        assert_snapshot!(text);
    });
}

#[test]
fn an_old_result_never_survives_an_error() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    assert_eq!(sandbox.run(&["score", "ws"]).code, 0);
    assert_eq!(result(&workspace)["summary"]["rank"], "D");
    assert!(workspace.join("output/artifacts/confusion_matrix.json").exists());
    sandbox.write("ws/output/pred.csv", "id,label\n1,cat\n");
    assert_eq!(sandbox.run(&["score", "ws"]).code, 3);
    let failed = result(&workspace);
    assert_eq!((&failed["summary"], &failed["metrics"], &failed["artifacts"]), (&json!({}), &json!({}), &json!({})));
    assert_eq!((&failed["error"]["code"], &failed["error"]["stage"]), (&json!("MISMATCH"), &json!("score")));
    assert!(!workspace.join("output/artifacts").exists(), "artifacts are those that the result lists");

    // The scorer is not even found, or meta.json not even read.
    for meta in [r#"{"scorer": "nobody"}"#, "{", "{}"] {
        sandbox.write("ws/output/result.json", r#"{"summary": {"score": 1.0}}"#);
        sandbox.write("ws/meta.json", meta);
        assert_eq!(sandbox.run(&["score", "ws"]).code, 3);
        assert_eq!(result(&workspace)["summary"], json!({}), "{meta}");
    }
}

#[test]
fn a_host_that_is_killed_leaves_no_older_result() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&versioned(1), "good.so");
    let workspace = sandbox.workspace("ws", "good");
    assert_eq!(sandbox.run(&["score", "ws"]).code, 0);
    let (go, begun) = (sandbox.path().join("go"), workspace.join("output/begun"));
    let waiting = json!({"wait_for": go, "announce": begun}).to_string();
    let mut host = sandbox.command(&["score", "ws", "--params", &waiting]).spawn().unwrap();
    eventually("the job begins", || begun.exists().then_some(()));
    host.kill().unwrap();
    host.wait().unwrap();
    assert!(!workspace.join("output/result.json").exists());
    // And the next one cleans up what it left.
    assert_eq!(sandbox.run(&["score", "ws"]).code, 0);
    let left: Vec<_> =
        fs::read_dir(workspace.join("output")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_str().unwrap().starts_with('.')), "{left:?}");
}

#[test]
fn an_interrupt_stops_the_job_and_says_so() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&versioned(1), "good.so");
    let workspace = sandbox.workspace("ws", "good");
    let begun = workspace.join("output/begun");
    let waiting = json!({"wait_for": sandbox.path().join("never"), "announce": begun}).to_string();
    let mut host = sandbox.command(&["score", "ws", "--json", "--params", &waiting]).spawn().unwrap();
    eventually("the job begins", || begun.exists().then_some(()));
    let signalled = std::process::Command::new("kill").args(["-INT", &host.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    assert_eq!(host.wait().unwrap().code(), Some(130));
    assert_eq!(result(&workspace)["error"]["code"], "CANCELLED");
}

#[test]
fn a_job_that_is_stopped_while_it_waits_for_its_workspace_leaves_it_alone() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    sandbox.write("ws/output/result.json", "of the job that works there");
    sandbox.write("ws/output/artifacts/table.csv", "its artifact");
    let turn = fs::File::open(&workspace).unwrap();
    turn.lock().unwrap();
    let mut host = sandbox.command(&["score", "ws"]).spawn().unwrap();
    let waits = || {
        let open = fs::read_dir(format!("/proc/{}/fd", host.id())).into_iter().flatten().flatten();
        open.flat_map(|entry| fs::read_link(entry.path())).any(|path| path == workspace).then_some(())
    };
    eventually("it waits for its turn", waits);
    let signalled = std::process::Command::new("kill").args(["-INT", &host.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    assert_eq!(host.wait().unwrap().code(), Some(130));
    let left = |name: &str| fs::read_to_string(workspace.join(name)).unwrap();
    assert_eq!(left("output/result.json"), "of the job that works there");
    assert_eq!(left("output/artifacts/table.csv"), "its artifact");
}

#[test]
fn a_time_limit_binds_a_scorer_that_asks() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&versioned(1), "good.so");
    let workspace = sandbox.workspace("ws", "good");
    let never = sandbox.path().join("never");
    sandbox
        .write("ws/meta.json", json!({"scorer": "good", "time_limit": 0.1, "params": {"wait_for": never}}).to_string());
    assert_eq!(sandbox.run(&["score", "ws"]).code, 4);
    assert_eq!(result(&workspace)["error"]["code"], "TIMEOUT_ERROR");
}

#[test]
fn what_a_worker_has_used_is_told_not_what_the_host_has() {
    let sandbox = Sandbox::new();
    let used = |rows: usize| {
        let workspace = sandbox.workspace("ws", "classification_f1");
        let rows: String = (0..rows).map(|row| format!("{row:016},label\n")).collect();
        for file in ["ws/input/gt.csv", "ws/output/pred.csv"] {
            sandbox.write(file, format!("id,label\n{rows}"));
        }
        assert_eq!(sandbox.run(&["score", "ws", "--isolation", "process", "--no-artifacts"]).code, 0);
        let resources = &result(&workspace)["resources"];
        (resources["memory_peak_mb"].as_f64().unwrap(), resources["cpu_time"].as_f64().unwrap())
    };
    let (few, many) = (used(3), used(200_000));
    // Ids alone are 16 bytes of 200,000 rows in two files.
    assert!(many.0 > few.0 + 5.0 && many.1 > few.1, "{few:?} {many:?}");
}

#[test]
fn a_limit_that_is_not_enforced_is_said() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    sandbox.write("ws/meta.json", r#"{"scorer": "classification_f1", "resources": {"memory": "2Gi"}}"#);
    assert_eq!(sandbox.run(&["score", "ws"]).code, 0);
    assert_eq!(result(&workspace)["warnings"][0]["code"], "LIMIT_NOT_ENFORCED");
}

#[test]
fn artifacts_are_recorded_replaced_and_left_out() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    let matrix = workspace.join("output/artifacts/confusion_matrix.json");
    sandbox.write("ws/output/artifacts/stale.txt", "from another run");
    assert_eq!(sandbox.run(&["score", "ws"]).code, 0);
    let recorded = &result(&workspace)["artifacts"]["confusion_matrix.json"];
    assert_eq!(recorded["size"], fs::metadata(&matrix).unwrap().len());
    let sum = std::process::Command::new("sha256sum").arg(&matrix).output().unwrap();
    assert!(sum.stdout.starts_with(recorded["sha256"].as_str().unwrap().as_bytes()));
    assert!(!workspace.join("output/artifacts/stale.txt").exists());
    assert_eq!(sandbox.run(&["score", "ws", "--no-artifacts"]).code, 0);
    assert_eq!((&result(&workspace)["artifacts"], matrix.exists()), (&json!({}), false));
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    fs::create_dir(workspace.join("output/result.json")).unwrap();
    let scored = sandbox.run(&["score", "ws", "--json"]);
    assert_eq!(scored.code, 3);
    let document = scored.json();
    assert_eq!((&document["error"]["stage"], &document["data"]["metrics"]), (&json!("save"), &json!({})));
}

#[test]
fn a_failing_workspace_does_not_stop_the_others() {
    let sandbox = Sandbox::new();
    sandbox.drop_library("misbehaving_panic_score", "panic.so");
    for number in 0..5 {
        sandbox.workspace(&format!("ws{number}"), "classification_f1");
    }
    sandbox.write("ws1/output/pred.csv", "id,label\n1,cat\n");
    sandbox.workspace("ws3", "panic_score");
    let names = ["ws0", "ws1", "ws2", "ws3", "ws4", "nowhere", "./ws0"];
    let scored = sandbox.run(&[&["score"], &names[..]].concat());
    assert_eq!(scored.code, 4, "the worst of them");
    insta::with_settings!({filters => vec![(r"\d+\.\d+ m?s", "[time]"), (r" +\n", "\n")]}, {
        assert_snapshot!(format!("{}\n{}", scored.stdout, scored.stderr));
    });
    let document = sandbox.run(&[&["score", "--json"], &names[..]].concat()).json();
    assert_eq!(
        (&document["status"], &document["data"]["succeeded"], &document["data"]["failed"]),
        (&json!("error"), &json!(3), &json!(3))
    );
    let order: Vec<_> =
        document["data"]["results"].as_array().unwrap().iter().map(|one| one["workspace"].clone()).collect();
    assert_eq!(order, names[..6]);
    assert_eq!(sandbox.run(&["score", "ws0", "ws1"]).code, 3);
    assert_eq!(sandbox.run(&["score", "ws0", "ws2"]).code, 0);
}

#[test]
fn params_are_merged_key_by_key() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    let meta = r#"{"scorer": "classification_f1", "params": {"average": "micro", "pass_threshold": 0.1}}"#;
    sandbox.write("ws/meta.json", meta);
    sandbox.write("params.json", r#"{"pass_threshold": 0.99, "labels": "gt"}"#);
    let scored = |arguments: &[&str]| {
        assert_eq!(sandbox.run(&[&["score", "ws"], arguments].concat()).code, 0);
        let summary = result(&workspace)["summary"].clone();
        (summary["primary_metric"].as_str().unwrap().to_owned(), summary["pass"].as_bool().unwrap())
    };
    assert_eq!(scored(&[]), ("f1_micro".to_owned(), true));
    assert_eq!(scored(&["--params", "@params.json"]), ("f1_micro".to_owned(), false));
    assert_eq!(scored(&["--params", "@params.json", "-p", "pass_threshold=0.2"]), ("f1_micro".to_owned(), true));
    assert_eq!(scored(&["-p", "average=weighted", "-p", r#"labels=["cat"]"#]), ("f1_weighted".to_owned(), true));
}

#[test]
fn a_scorer_on_the_command_line_needs_no_meta_json() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    fs::remove_file(workspace.join("meta.json")).unwrap();
    assert_eq!(sandbox.run(&["score", "ws"]).code, 3);
    assert_eq!(sandbox.run(&["score", "ws", "--scorer", "classification_accuracy"]).code, 0);
    assert_eq!(result(&workspace)["metrics"]["correct"], 2.0);
}

#[test]
fn lines_of_a_stream_are_paths_or_requests() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    let mut live = Live::start(&sandbox, &[]);
    let path = workspace.to_str().unwrap();
    assert_eq!(live.score(&workspace)["data"]["summary"]["primary_metric"], "f1_macro");
    live.submit(
        json!({"workspace": path, "scorer": "classification_accuracy", "params": {"pass_threshold": 0.5}}).to_string(),
    );
    let answer = live.wait("the answer", |line| line["data"]["workspace"] == path);
    assert_eq!((&answer["data"]["metrics"]["total"], &answer["data"]["summary"]["pass"]), (&json!(3.0), &json!(true)));
    live.submit(r#"{"workspace": "ws", "scorer": "@"}"#);
    live.wait("the error", |line| line["error"]["code"] == "INVALID_PARAMS");
    live.submit("");
    live.submit("not/there");
    live.wait("the error", |line| line["error"]["code"] == "WORKSPACE_NOT_FOUND");
    live.assert_running();
    assert_eq!(live.finish(), 3);
}
