//! `doctor`: fine where all is well, and clear where it is not.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use autoscorer_tests::{Finished, Sandbox, built};
use serde_json::Value;

fn findings(finished: &Finished, health: &str) -> Vec<Value> {
    let document = finished.json();
    let all = document["data"]["findings"].as_array().unwrap().clone();
    all.into_iter().filter(|finding| finding["health"] == health).collect()
}

#[test]
fn a_good_installation_is_fine() {
    let sandbox = Sandbox::new();
    let examined = sandbox.run(&["doctor", "--json"]);
    assert_eq!(examined.code, 0, "{}", examined.stdout);
    let fine = findings(&examined, "fine");
    let right = |finding: &&Value| finding["found"].as_str().unwrap().contains("metrics right, in a worker");
    let listed = sandbox.run(&["scorers", "list", "--json"]).json();
    assert_eq!(fine.iter().filter(right).count(), listed["data"]["scorers"].as_array().unwrap().len());
    assert!(sandbox.run(&["doctor"]).stdout.ends_with("warnings\n"));
}

#[test]
fn missing_plugins_are_broken_with_a_remedy() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.path().join("none")).unwrap();
    let mut command = Command::new(built().host());
    command.args(["doctor", "--json", "--plugins", "none", "--store", "store"]).current_dir(sandbox.path());
    let examined = Finished::from(command.output().unwrap());
    assert_eq!(examined.code, 4);
    let broken = findings(&examined, "broken");
    assert!(broken.iter().all(|finding| finding["remedy"].as_str().unwrap().contains("--plugins")), "{broken:#?}");
    assert!(broken.iter().any(|finding| finding["subject"] == "scorer classification_f1"));
}

#[test]
fn a_store_that_others_may_write_to_is_broken() {
    let sandbox = Sandbox::with_own_store();
    let store = sandbox.path().join("store");
    fs::create_dir(&store).unwrap();
    fs::set_permissions(&store, fs::Permissions::from_mode(0o777)).unwrap();
    let examined = sandbox.run(&["doctor", "--json"]);
    assert_eq!(examined.code, 4);
    let broken = findings(&examined, "broken");
    assert!(broken[0]["subject"] == "store" && broken[0]["found"].as_str().unwrap().contains("others may write to it"));
    assert_eq!(broken.len(), 1, "only the store is wrong: {broken:#?}");
    assert!(findings(&examined, "warning").iter().any(|finding| finding["subject"] == "built-in scorers"));
}

#[test]
fn a_store_that_cannot_be_made_is_broken() {
    let sandbox = Sandbox::new();
    let mut command = Command::new(built().host());
    command.args(["doctor", "--json", "--store", "/proc/x", "--plugins"]).arg(&built().plugins);
    let broken = findings(&Finished::from(command.current_dir(sandbox.path()).output().unwrap()), "broken");
    assert_eq!((broken.len(), &broken[0]["subject"]), (1, &Value::from("store")), "{broken:#?}");
}

#[test]
fn a_refused_file_is_a_warning() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(b"text", "text.so");
    sandbox.drop_library("fixture_good", "good.so");
    let examined = sandbox.run(&["doctor", "--json"]);
    assert_eq!(examined.code, 0);
    let warnings = findings(&examined, "warning");
    assert!(warnings.iter().any(|finding| finding["found"].as_str().unwrap().contains("text.so refused at check")));
    assert!(findings(&examined, "fine").iter().any(|finding| finding["subject"] == "custom scorer good"));
}

#[test]
fn wrong_settings_are_a_finding() {
    let sandbox = Sandbox::new();
    sandbox.write("autoscorer.toml", "no-such-key = 1");
    let examined = sandbox.run(&["doctor", "--json"]);
    assert_eq!(examined.code, 4);
    let broken = findings(&examined, "broken");
    assert_eq!(broken[0]["subject"], "settings");
    assert_eq!(broken[0]["remedy"], "mend autoscorer.toml:1");
    let elsewhere = Command::new(built().host()).args(["doctor", "--json", "--plugins", "/nonexist"]).output().unwrap();
    let broken = findings(&Finished::from(elsewhere), "broken");
    assert!(broken[0]["remedy"].as_str().unwrap().contains("--plugins or AUTOSCORER_PLUGINS"), "{broken:#?}");
}

#[test]
fn a_kernel_without_landlock_is_a_warning() {
    let sandbox = Sandbox::new();
    let mut command = Command::new(built().folder.join("without-landlock"));
    command.arg(built().host()).args(["doctor", "--json", "--plugins"]).arg(&built().plugins);
    let examined =
        Finished::from(command.arg("--store").arg(&built().store).current_dir(sandbox.path()).output().unwrap());
    assert_eq!(examined.code, 0, "{}", examined.stdout);
    assert!(findings(&examined, "warning")[0]["found"].as_str().unwrap().contains("no Landlock"));
}

#[test]
fn keys_are_never_shown() {
    let sandbox = Sandbox::new();
    sandbox.write(".env", "export LLM_MODEL_URL=http://private.example\nLLM_API_KEY=s3cret\n");
    let mut command = sandbox.command(&["doctor"]);
    let examined = Finished::from(command.env("EMBEDDING_API_KEY", "other-s3cret").output().unwrap());
    assert_eq!(examined.code, 0);
    assert!(examined.stdout.contains("LLM_MODEL_URL, LLM_API_KEY is set, but not LLM_MODEL"), "{}", examined.stdout);
    assert!(!examined.stdout.contains("s3cret") && !examined.stdout.contains("private.example"));
}
