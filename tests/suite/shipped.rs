//! What is shipped works as it is: the examples, the template. `book.rs` has the commands of the documents.

use std::fs;
use std::path::Path;
use std::process::Command;

use autoscorer_tests::{Finished, Live, Sandbox, built};
use serde_json::{Value, json};

/// A sandbox with the examples.
fn with_examples() -> Sandbox {
    let sandbox = Sandbox::new();
    copy_folder(&built().root.join("examples"), &sandbox.path().join("examples"));
    sandbox
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if path.is_dir() {
            copy_folder(&path, &to.join(name));
        } else {
            fs::copy(path, to.join(name)).unwrap();
        }
    }
}

#[test]
fn every_scorer_has_an_example_with_the_right_numbers() {
    let sandbox = with_examples();
    let listed = sandbox.run(&["scorers", "list", "--json"]).json();
    for scorer in listed["data"]["scorers"].as_array().unwrap() {
        let workspace = format!("examples/{}", scorer["id"].as_str().unwrap());
        let scored = sandbox.run(&["score", &workspace, "--json"]).json();
        assert_eq!(scored["data"]["versioning"]["scorer"], scorer["id"]);
        let expected = fs::read(sandbox.path().join(&workspace).join("expected.json")).unwrap();
        let expected: Value = serde_json::from_slice(&expected).unwrap();
        for (metric, value) in expected.as_object().unwrap() {
            assert_eq!(scored["data"]["metrics"][metric].as_f64(), value.as_f64(), "{workspace}: {metric}");
        }
    }
}

/// The template, tested by its own tests and built, unedited.
fn template() -> std::path::PathBuf {
    static BUILT: std::sync::OnceLock<std::path::PathBuf> = std::sync::OnceLock::new();
    BUILT.get_or_init(build_template).clone()
}

fn build_template() -> std::path::PathBuf {
    let folder = built().root.join("custom_scorers/template");
    // The versions that are here already, so that nothing has to be fetched.
    fs::copy(built().root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let target = built().folder.join("autoscorer-tests/template");
    for command in ["test", "build"] {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
        cargo.args([command, "--quiet", "--target-dir"]).arg(&target).current_dir(&folder);
        let finished = Finished::from(cargo.output().unwrap());
        assert_eq!(finished.code, 0, "cargo {command}: {}", finished.stderr);
    }
    target.join("debug/libmy_scorer.so")
}

#[test]
fn the_template_builds_and_loads_unedited() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "my_scorer");
    sandbox.write("ws/input/gt.csv", "id,value\n1,2.5\n2,3.8\n3,1.2\n");
    let mut live = Live::start(&sandbox, &[]);
    let file = sandbox.drop_bytes(&fs::read(template()).unwrap(), "libmy_scorer.so");
    live.event("live", &file);
    let mut scored = |pred: &str| {
        sandbox.write("ws/output/pred.csv", pred);
        live.score(&workspace)
    };
    let good = scored("id,value\n3,1.0\n1,2.3\n2,4.1\n");
    let error = good["data"]["metrics"]["mae"].as_f64().unwrap();
    assert!((error - 0.7 / 3.0).abs() < 1e-12, "{good:#}");
    assert_eq!(
        (&good["data"]["summary"]["rank"], &good["data"]["summary"]["direction"]),
        (&json!("B"), &json!("lower"))
    );
    // The codes that only columns of numbers have.
    assert_eq!(scored("id,value\n1,two\n2,1\n3,1\n")["error"]["code"], "TYPE_ERROR");
    assert_eq!(scored("id,value\n1,nan\n2,1\n3,1\n")["error"]["code"], "BAD_FORMAT");
    assert_eq!(scored("id,value\n1,1e999\n2,1\n3,1\n")["error"]["code"], "BAD_FORMAT");
    assert_eq!(scored("id,value\n1,1e308\n2,1e308\n3,1e308\n")["error"]["code"], "SCORE_ERROR");
    assert_eq!(scored("id,value\n1,1\n2,1\n")["error"]["code"], "MISMATCH");
}
