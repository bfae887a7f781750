//! `demo`: what it writes works, and what is somebody else's stays.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use autoscorer_tests::{Sandbox, built};
use serde_json::Value;

#[test]
fn every_built_in_scorer_has_a_workspace_that_scores() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["demo", "demo"]).code, 0);
    let listed = sandbox.run(&["scorers", "list", "--json"]).json();
    for scorer in listed["data"]["scorers"].as_array().unwrap() {
        let workspace = format!("demo/workspaces/{}", scorer["id"].as_str().unwrap());
        let scored = sandbox.run(&["score", &workspace, "--json"]);
        assert_eq!((scored.code, &scored.json()["data"]["versioning"]["scorer"]), (0, &scorer["id"]));
    }
    let broken = sandbox.run(&["validate", "demo/broken"]);
    assert_eq!(broken.code, 3);
    assert!(broken.stderr.contains("BAD_FORMAT") && broken.stderr.contains("MISMATCH"), "{}", broken.stderr);
}

#[test]
fn the_careful_reviewer_is_better_than_the_noisy_one() {
    let sandbox = Sandbox::new();
    sandbox.run(&["demo", "demo"]);
    let f1 = |bot: &str| {
        let comments = format!("demo/review/{bot}");
        let arguments =
            ["review", "--comments", &comments, "--references", "demo/review/references.json", "-o", bot, "--json"];
        let judged = sandbox.run(&arguments).json();
        assert!(judged["data"]["metrics"]["references"].as_f64().is_some_and(|all| (8.0..=12.0).contains(&all)));
        judged["data"]["metrics"]["f1"].as_f64().unwrap()
    };
    assert!(f1("careful") > 0.6 && f1("noisy") < 0.3);
}

#[test]
fn what_is_suggested_works_when_it_is_pasted() {
    let sandbox = Sandbox::new();
    let made = sandbox.run(&["demo", "my demo's", "--json"]).json();
    for next in made["data"]["next"].as_array().unwrap() {
        let command = next["command"].as_str().unwrap();
        let mut shell = std::process::Command::new("bash");
        shell.args(["-c", command]).current_dir(sandbox.path());
        shell.env("AUTOSCORER_STORE", &built().store).env("AUTOSCORER_PLUGINS", &built().plugins);
        let ended = shell.output().unwrap();
        let wanted = if command.contains("broken") { 3 } else { 0 };
        assert_eq!(ended.status.code(), Some(wanted), "{command}: {}", String::from_utf8_lossy(&ended.stderr));
    }
}

#[test]
fn a_folder_with_something_else_is_left_alone() {
    let sandbox = Sandbox::new();
    sandbox.write("mine/thesis.txt", "x");
    let refused = sandbox.run(&["demo", "mine"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (2, ""));
    assert!(refused.stderr.contains("name another folder"), "{}", refused.stderr);
    assert_eq!(fs::read_dir(sandbox.path().join("mine")).unwrap().count(), 1);
    assert_eq!(sandbox.run(&["demo", "mine/thesis.txt"]).code, 2);
}

#[test]
fn a_folder_of_its_own_is_put_right_and_what_was_changed_or_added_stays() {
    let sandbox = Sandbox::new();
    sandbox.run(&["demo", "demo"]);
    let meta = sandbox.path().join("demo/broken/meta.json");
    let was = fs::read(&meta).unwrap();
    sandbox.write("demo/broken/meta.json", "{");
    sandbox.write("demo/notes.txt", "mine");
    let table = sandbox.path().join("demo/broken/output/pred.csv");
    fs::remove_file(&table).unwrap();
    let again = sandbox.run(&["demo", "demo"]);
    assert_eq!((again.code, again.stderr.matches("warning").count()), (0, 1));
    assert!(again.stderr.contains("left as it is: broken/meta.json; --force puts it back"), "{}", again.stderr);
    assert_eq!((fs::read(&meta).unwrap(), table.exists()), (b"{".to_vec(), true));
    assert_eq!(sandbox.run(&["demo", "demo", "--json"]).json()["data"]["kept"][0], "broken/meta.json");
    let forced = sandbox.run(&["demo", "demo", "--force"]);
    assert_eq!((forced.code, forced.stderr.as_str()), (0, ""));
    assert_eq!(fs::read(meta).unwrap(), was);
    assert!(sandbox.path().join("demo/notes.txt").exists());
}

#[test]
fn a_failure_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    // Files of at most one block: the demo does not fit, whoever runs this, root included.
    let script = format!("trap '' XFSZ; ulimit -f 1; '{}' demo demo --json", built().host().display());
    let mut shell = std::process::Command::new("bash");
    let ended = shell.args(["-c", &script]).current_dir(sandbox.path()).output().unwrap();
    assert_eq!(ended.status.code(), Some(3), "{ended:?}");
    let error: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert!(error["error"]["message"].as_str().unwrap().contains("cannot be written"), "{error:#}");
    assert!(!sandbox.path().join("demo").exists());
}

#[test]
fn the_program_has_every_file_of_the_folders_it_is_made_of() {
    let sandbox = Sandbox::new();
    sandbox.run(&["demo", "demo"]);
    let demo = sandbox.path().join("demo");
    let mut folders =
        vec![(built().root.join("host/demo"), demo.clone()), (built().root.join("examples"), demo.join("workspaces"))];
    while let Some((from, to)) = folders.pop() {
        for entry in fs::read_dir(from).unwrap() {
            let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
            let skipped = ["artifacts", "result.json", "expected.json", "README.md"];
            if skipped.iter().any(|skipped| name == *skipped) {
                continue;
            }
            if path.is_dir() {
                folders.push((path, to.join(name)));
            } else {
                assert_eq!(fs::read(&path).unwrap(), fs::read(to.join(name)).unwrap(), "{}", path.display());
            }
        }
    }
    assert_eq!(fs::metadata(demo).unwrap().permissions().mode() & 0o700, 0o700);
}
