//! Provenance: a result says exactly what made it, and can be made again by exactly that.

use std::fs;

use autoscorer_tests::{Sandbox, built, versioned};
use insta::assert_snapshot;
use serde_json::Value;

fn versioning(sandbox: &Sandbox) -> Value {
    let result = fs::read(sandbox.path().join("ws/output/result.json")).unwrap();
    serde_json::from_slice::<Value>(&result).unwrap()["versioning"].clone()
}

fn sha256sum(path: &std::path::Path) -> String {
    let sum = std::process::Command::new("sha256sum").arg(path).output().unwrap();
    String::from_utf8(sum.stdout).unwrap().split(' ').next().unwrap().to_owned()
}

#[test]
fn a_result_names_library_inputs_params_and_limits() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&versioned(1), "good.so");
    sandbox.workspace("ws", "good");
    sandbox.write("ws/input/more/notes.txt", "read by nobody");
    assert_eq!(sandbox.run(&["score", "ws", "-p", "ignore_stop=true", "--timeout", "9"]).code, 0);
    let versioning = versioning(&sandbox);
    assert_eq!(versioning["plugin_sha256"], sha256sum(&sandbox.custom("good.so")));
    assert_eq!((&versioning["version"], &versioning["api_version"]), (&"7.7.0001".into(), &"1.1.0".into()));
    assert_eq!((&versioning["isolation"], &versioning["limits"]["time_s"]), (&"process".into(), &9.0.into()));
    assert_eq!(versioning["params"], serde_json::json!({"ignore_stop": true}));
    let inputs = versioning["inputs"].as_object().unwrap();
    assert_eq!(inputs.keys().collect::<Vec<_>>(), ["input/gt.csv", "input/more/notes.txt", "output/pred.csv"]);
    for (name, hash) in inputs {
        assert_eq!(*hash, sha256sum(&sandbox.path().join("ws").join(name)));
    }
}

#[test]
fn a_result_is_replayed_by_the_library_that_made_it() {
    let sandbox = Sandbox::with_own_store();
    sandbox.drop_bytes(&versioned(1), "good.so");
    sandbox.workspace("ws", "good");
    assert_eq!(sandbox.run(&["score", "ws"]).code, 0);
    let before = fs::read(sandbox.path().join("ws/output/result.json")).unwrap();
    // By now another version has the name; after that, none.
    sandbox.drop_bytes(&versioned(2), "good.so");
    assert_eq!(sandbox.run(&["replay", "ws/output/result.json"]).code, 0);
    fs::remove_file(sandbox.custom("good.so")).unwrap();
    let replayed = sandbox.run(&["replay", "ws/output/result.json", "--json"]);
    assert_eq!((replayed.code, &replayed.json()["data"]["equal"]), (0, &true.into()), "{}", replayed.stdout);
    assert_eq!(fs::read(sandbox.path().join("ws/output/result.json")).unwrap(), before, "replay writes nothing");
    // The library itself tells: its version is a metric.
    sandbox.write(
        "ws/output/result.json",
        String::from_utf8(before).unwrap().replace("\"marker\": 1.0", "\"marker\": 2.0"),
    );
    let replayed = sandbox.run(&["replay", "ws/output/result.json"]);
    assert_eq!(replayed.code, 1);
    assert_snapshot!(replayed.stdout);
}

#[test]
fn a_replay_needs_the_same_inputs_and_a_result_of_ours() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    assert_eq!(sandbox.run(&["score", "ws"]).code, 0);
    sandbox.write("ws/output/pred.csv", "id,label\n1,cat\n2,dog\n3,cat\n");
    let changed = sandbox.run(&["replay", "ws/output/result.json"]);
    assert_eq!(changed.code, 3);
    assert_snapshot!(changed.stderr);
    let recorded = fs::read_to_string(sandbox.path().join("ws/output/result.json")).unwrap();
    let mut result: Value = serde_json::from_str(&recorded).unwrap();
    result["versioning"].as_object_mut().unwrap().remove("params");
    sandbox.write("ws/output/result.json", result.to_string());
    let incomplete = sandbox.run(&["replay", "ws/output/result.json"]);
    assert_eq!(incomplete.code, 3);
    assert!(incomplete.stderr.contains("has no versioning.params"), "{}", incomplete.stderr);
    sandbox.write("other.json", "{}");
    assert_eq!(sandbox.run(&["replay", "other.json"]).code, 3);
    assert_eq!(sandbox.run(&["replay", "nowhere.json"]).code, 3);
}

#[test]
fn a_result_is_named_by_its_workspace_and_one_alone_needs_it() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    assert_eq!(sandbox.run(&["score", "ws"]).code, 0);
    assert_eq!(sandbox.run(&["replay", "ws"]).code, 0);
    let mut inside = sandbox.command(&["replay", "result.json"]);
    assert!(inside.current_dir(workspace.join("output")).status().unwrap().success());
    fs::copy(workspace.join("output/result.json"), sandbox.path().join("alone.json")).unwrap();
    let alone = sandbox.run(&["replay", "alone.json"]);
    assert_eq!(alone.code, 3);
    assert!(alone.stderr.contains("help name the workspace with --workspace"), "{}", alone.stderr);
    assert_eq!(sandbox.run(&["replay", "alone.json", "--workspace", "ws"]).code, 0);
    let table = sandbox.run(&["replay", "ws/output/pred.csv", "--json"]);
    assert_eq!((table.code, &table.json()["error"]["code"]), (3, &"PARSE_ERROR".into()));
    let compared = sandbox.run(&["compare", "ws/output/pred.csv", "ws", "--json"]);
    assert_eq!((compared.code, &compared.json()["error"]["code"]), (3, &"PARSE_ERROR".into()));
}

#[test]
fn a_pin_is_served_from_the_store_or_refused_with_the_candidates() {
    let sandbox = Sandbox::with_own_store();
    sandbox.workspace("ws", "good");
    for number in [1, 2] {
        sandbox.drop_bytes(&versioned(number), "good.so");
        assert_eq!(sandbox.run(&["score", "ws"]).code, 0);
    }
    let scored = |name: &str| sandbox.run(&["score", "ws", "--json", "--scorer", name]);
    assert_eq!(scored("good@7.7.0001").json()["data"]["metrics"]["marker"], 1.0);
    assert_eq!(scored("good@7.7.0002").json()["data"]["metrics"]["marker"], 2.0);
    let gone = scored("good@7.7.0003").json();
    assert_eq!(gone["error"]["code"], "SCORER_NOT_FOUND");
    assert!(gone["error"]["details"]["expected"].as_str().unwrap().contains("good@7.7.0002 (custom"), "{gone:#}");
    assert_eq!(gone["error"]["details"]["kept"].as_array().unwrap().len(), 2);
}

#[test]
fn what_cannot_be_enforced_is_said() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&versioned(1), "good.so");
    sandbox.workspace("ws", "good");
    let plain = sandbox.run(&["score", "ws"]);
    assert_eq!((plain.code, plain.stderr.as_str()), (0, ""), "all is enforced here");
    let host = built().host();
    let mut command = std::process::Command::new(built().folder.join("without-landlock"));
    command.arg(&host).args(sandbox.command(&["score", "ws"]).get_args()).current_dir(sandbox.path());
    let output = command.output().unwrap();
    assert!(output.status.success());
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "warning: this kernel has no Landlock: scorers may write outside output/\n"
    );
}
