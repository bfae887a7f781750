//! What is shipped works as it is: the README's commands, the examples, the template.

use std::fs;
use std::path::Path;
use std::process::Command;

use autoscorer_tests::{Finished, Live, PLUGINS, Sandbox, built};
use serde_json::{Value, json};

/// The lines of all shell blocks of a document.
fn shell_lines(document: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        match line.trim() {
            "```sh" => inside = true,
            "```" => inside = false,
            command if inside && !command.is_empty() => lines.push(command.to_owned()),
            _ => {}
        }
    }
    lines
}

#[test]
fn every_command_of_the_readme_runs() {
    let readme = fs::read_to_string(built().root.join("README.md")).unwrap();
    let lines = shell_lines(&readme);
    assert_eq!(lines[0], "cargo build --release && target/release/autoscorer score examples/*/");
    assert_eq!(lines[1], "cargo test --workspace");
    let sandbox = copy_of_repository();
    for line in &lines {
        // Building and testing is what runs this test; the rest is run on what was built for it. Watching does not end.
        let command = line.replace("cargo build --release && ", "");
        if command.starts_with("cargo") || command.contains("scorers watch") {
            continue;
        }
        let shell = Command::new("bash").args(["-euc", &command]).current_dir(sandbox.path()).output().unwrap();
        let finished = Finished::from(shell);
        assert_eq!(finished.code, 0, "{line}: {}{}", finished.stdout, finished.stderr);
    }
}

/// What the README's commands need, under the names they use.
fn copy_of_repository() -> Sandbox {
    let sandbox = Sandbox::new();
    let bin = sandbox.path().join("target/release");
    fs::create_dir_all(&bin).unwrap();
    fs::create_dir(sandbox.path().join("custom_scorers")).unwrap();
    for name in PLUGINS.into_iter().chain(["autoscorer"]) {
        fs::copy(built().folder.join(name), bin.join(name)).unwrap();
    }
    copy_folder(&built().root.join("examples"), &sandbox.path().join("examples"));
    copy_folder(&built().root.join("custom_scorers/template/src"), &sandbox.path().join("custom_scorers/template/src"));
    let template = template();
    let target = sandbox.path().join("custom_scorers/template/target/release");
    fs::create_dir_all(&target).unwrap();
    fs::copy(template, target.join("libmy_scorer.so")).unwrap();
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
    let sandbox = copy_of_repository();
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
