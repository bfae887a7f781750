//! From nothing to a live scorer: `scorers new`, and `scorers dev` while it is written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Once;

use autoscorer_tests::{Finished, Live, Sandbox, built, eventually};

/// A scorer without any optimisation stops so late on a busy machine that `scorers check` finds fault with it. All tests
/// that share the folder of [`target`] say the same.
const OPTIMISED: (&str, &str) = ("CARGO_PROFILE_DEV_OPT_LEVEL", "1");

/// Nobody looks at these libraries with a debugger, and without what that needs they are built sooner.
const STRIPPED: (&str, &str) = ("CARGO_PROFILE_DEV_DEBUG", "false");

/// Cargo as an author runs it, on the packages that are built already and without a network.
fn cargo(folder: &Path, arguments: &[&str]) -> Finished {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()));
    cargo.args(arguments).args(["--quiet", "--offline", "--target-dir"]).arg(target()).current_dir(folder);
    cargo.envs([OPTIMISED, STRIPPED]).output().unwrap().into()
}

/// One folder for all crates of these tests, so that what they share is compiled once.
fn target() -> PathBuf {
    built().folder.join("autoscorer-tests/template")
}

/// A new crate in the sandbox.
fn new(sandbox: &Sandbox, name: &str, kind: &str) -> PathBuf {
    let api = built().root.join("plugin-api");
    let made = sandbox.run(&["scorers", "new", name, "--kind", kind, "--api", api.to_str().unwrap()]);
    assert_eq!(made.code, 0, "{}", made.stderr);
    sandbox.path().join(name)
}

/// Tests and builds a crate and gives its library.
fn build(folder: &Path) -> PathBuf {
    for command in ["test", "build"] {
        let finished = cargo(folder, &[command]);
        assert_eq!(finished.code, 0, "cargo {command}: {}{}", finished.stdout, finished.stderr);
    }
    let name = folder.file_name().unwrap().to_str().unwrap().replace('-', "_");
    target().join(format!("debug/lib{name}.so"))
}

#[test]
fn every_kind_of_crate_goes_from_nothing_to_a_score_unedited() {
    let sandbox = Sandbox::new();
    let mut live = Live::start(&sandbox, &[]);
    for (kind, name, metric, value) in [
        ("csv", "table-scorer", "mae", 0.25),
        ("json", "answers", "exact_match", 2.0 / 3.0),
        ("blank", "scorer", "equal", 1.0),
    ] {
        let folder = new(&sandbox, name, kind);
        let library = build(&folder);
        let file = sandbox.drop_bytes(&fs::read(library).unwrap(), &format!("{name}.so"));
        live.event("live", &file);
        let scored = live.score(&folder.join("cases/good"));
        let found = scored["data"]["metrics"][metric].as_f64().unwrap_or(f64::NAN);
        assert!((found - value).abs() < 1e-9, "{kind}: {scored:#}");
        assert_eq!(live.score(&folder.join("cases/bad"))["status"], "error", "{kind}");
        let case = folder.join("cases/good");
        let checked =
            sandbox.run(&["scorers", "check", file.to_str().unwrap(), "--workspace", case.to_str().unwrap(), "--json"]);
        let data = &checked.json()["data"];
        // A quick machine, or a quick scorer such as that of two texts, leaves nothing that is long enough to be stopped.
        let mut checks = data["checks"].as_array().unwrap().iter();
        let as_it_should =
            checks.all(|check| check["status"] == "pass" || check["check"] == "cancel" && check["status"] == "skip");
        assert_eq!((checked.code, as_it_should), (0, true), "{kind}: {data:#}");
    }
}

#[test]
fn the_template_in_the_repository_is_what_new_writes() {
    let sandbox = Sandbox::new();
    let made = new(&sandbox, "my-scorer", "csv");
    let template = built().root.join("custom_scorers/template");
    for file in files(&made, &made) {
        let text = |root: &Path| fs::read_to_string(root.join(&file)).unwrap_or_default();
        let line = |text: String| {
            text.lines().filter(|line| !line.starts_with("autoscorer-plugin-api")).collect::<Vec<_>>().join("\n")
        };
        if !["Cargo.lock", ".gitignore"].contains(&file.to_str().unwrap()) {
            assert_eq!(line(text(&made)), line(text(&template)), "{}", file.display());
        }
    }
    for case in files(&template.join("cases"), &template) {
        let written = made.join(&case).exists() || case.ends_with("output/result.json");
        assert!(written, "{} is not written", case.display());
    }
}

fn files(folder: &Path, root: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let inside = entries.flat_map(|path| if path.is_dir() { files(&path, root) } else { vec![path] });
    inside.map(|path| path.strip_prefix(root).map_or(path.clone(), Path::to_owned)).collect()
}

#[test]
fn a_name_that_cannot_be_used_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    sandbox.write("taken/notes.txt", "mine");
    let before = fs::read_dir(sandbox.path()).unwrap().count();
    for (name, reason) in [
        ("match", "is a word of the Rust language"),
        ("Big Name", "is no name of a crate"),
        ("../up", "is no name of a crate"),
        ("test", "is a name of Rust's own tools"),
        ("classification-f1", "is a built-in scorer"),
        ("taken", "is already there"),
    ] {
        let refused = sandbox.run(&["scorers", "new", name]);
        assert_eq!(refused.code, 2, "{name}");
        assert!(refused.stderr.contains(reason) && refused.stderr.contains("help"), "{name}: {}", refused.stderr);
    }
    assert_eq!(sandbox.run(&["scorers", "new", "fine", "--api", "taken"]).code, 2);
    assert_eq!(sandbox.run(&["scorers", "new", "fine", "--dir", "taken/notes.txt", "--json"]).code, 3);
    assert_eq!(fs::read_dir(sandbox.path()).unwrap().count(), before);
}

/// `scorers dev` on a crate, with cargo's settings of these tests. The shell writes its pid down, for the signal, and
/// becomes the program.
fn dev(sandbox: &Sandbox, name: &str) -> Live {
    dev_with(sandbox, name, &["--jsonl"])
}

/// The same with more flags; stderr goes to the file `told`.
fn dev_with(sandbox: &Sandbox, name: &str, flags: &[&str]) -> Live {
    Live::spawn(&mut dev_command(sandbox, name, flags))
}

fn dev_command(sandbox: &Sandbox, name: &str, flags: &[&str]) -> Command {
    build_what_all_need();
    let workspace = format!("{name}/cases/good");
    let command = sandbox.command(&[&["scorers", "dev", name, "--workspace", &workspace], flags].concat());
    let mut shell = Command::new("bash");
    let script = "echo $$ > pid; exec \"$0\" \"$@\" 2> told";
    shell.args(["-c", script]).arg(command.get_program()).args(command.get_args());
    shell.current_dir(sandbox.path()).env_remove("LD_LIBRARY_PATH");
    shell
        .envs([OPTIMISED, STRIPPED])
        .env("CARGO_TARGET_DIR", target())
        .env("CARGO_NET_OFFLINE", "true")
        .env("CARGO_TERM_COLOR", "never");
    shell
}

/// Builds what the crates of these tests depend on, which takes minutes on a new machine: longer than a test waits for a round.
fn build_what_all_need() {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| {
        let sandbox = Sandbox::new();
        let built = cargo(&new(&sandbox, "first", "csv"), &["build"]);
        assert_eq!(built.code, 0, "{}{}", built.stdout, built.stderr);
    });
}

/// Waits until `scorers dev` has said something on stderr.
fn told(sandbox: &Sandbox, words: &str) {
    eventually(words, || fs::read_to_string(sandbox.path().join("told")).ok()?.contains(words).then_some(()));
}

/// The next round, which must end like this.
fn round(live: &mut Live, status: &str) -> serde_json::Value {
    let round = live.wait(status, |_| true);
    assert_eq!(round["status"], status, "{round:#}");
    round
}

#[test]
fn every_save_is_a_round_and_every_fault_has_its_help() {
    let sandbox = Sandbox::new();
    let folder = new(&sandbox, "in-work", "csv");
    let source = folder.join("src/lib.rs");
    let text = fs::read_to_string(&source).unwrap();
    let save = |old: &str, new: &str| {
        assert!(text.contains(old));
        fs::write(&source, text.replace(old, new)).unwrap();
    };
    let error = "let error = sum / rows.len() as f64;";
    let mut live = dev(&sandbox, "in-work");
    let first = round(&mut live, "scored");
    assert_eq!((first["metric"].as_str(), first["score"].as_f64()), (Some("mae"), Some(0.25)));
    assert!(first["change"].is_null() && first["deterministic"] == true, "{first:#}");

    save(error, "let error = 1.0 + sum / rows.len() as f64;");
    let worse = round(&mut live, "scored");
    assert_eq!((worse["score"].as_f64(), worse["change"].as_f64()), (Some(1.25), Some(1.0)));

    save(error, "let error: f64 = \"not a number\";");
    let broken = round(&mut live, "build_failed");
    let said = broken["compiler"][0].as_str().unwrap();
    assert!(said.contains("error[E0308]: mismatched types") && said.contains("src/lib.rs:"), "{said}");

    save(error, "let error = sum / rows.iter().map(|_| rows[99]).count() as f64;");
    let panicked = round(&mut live, "score_failed");
    assert_eq!(panicked["error"]["code"], "SCORER_PANIC");
    assert!(panicked["error"]["details"]["location"].as_str().unwrap().contains("src/lib.rs:"), "{panicked:#}");
    assert!(panicked["hints"].to_string().contains("return a ScoreError instead of unwrap"), "{panicked:#}");

    let clock = "f64::from(std::time::UNIX_EPOCH.elapsed().unwrap().subsec_nanos())";
    save(error, &format!("let error = sum + {clock};"));
    let unsteady = round(&mut live, "scored");
    assert_eq!(unsteady["deterministic"], false);
    assert!(unsteady["hints"][0].as_str().unwrap().contains("the order of a HashMap"), "{unsteady:#}");

    save(error, error);
    assert_eq!(round(&mut live, "scored")["score"], 0.25);
    // The workspace counts as well.
    fs::write(folder.join("cases/good/output/pred.csv"), "id,value\nc,4\nb,2\na,1\n").unwrap();
    let last = round(&mut live, "scored");
    assert_eq!((&last["change"], &last["round"]), (&(-0.25).into(), &7.into()), "one round for each save");

    let pid = fs::read_to_string(sandbox.path().join("pid")).unwrap();
    assert!(Command::new("kill").args(["-INT", pid.trim()]).status().unwrap().success());
    assert_eq!(live.end(), 130);
}

#[test]
fn what_is_no_crate_is_said_at_once() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "good");
    let refused = sandbox.run(&["scorers", "dev", "ws", "--workspace", "ws"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("ws is no crate") && refused.stderr.contains("scorers new NAME"));
    assert_eq!(sandbox.run(&["scorers", "dev", "ws", "--workspace", "nowhere"]).code, 3);
}

#[test]
fn a_save_ends_the_round_of_a_scorer_that_hangs_and_is_one_round_itself() {
    let sandbox = Sandbox::new();
    let folder = new(&sandbox, "hanging", "csv");
    let source = folder.join("src/lib.rs");
    let text = fs::read_to_string(&source).unwrap();
    let error = "let error = sum / rows.len() as f64;";
    let hang = "ctx.log(Level::Info, \"round and round\"); loop { std::hint::black_box(0); }";
    let hanging = text.replace(error, &format!("{error} if error > 0.0 {{ {hang} }}"));
    fs::write(&source, hanging.replace("use autoscorer_plugin_api::prelude::*;", PRELUDE)).unwrap();
    let mut live = dev_with(&sandbox, "hanging", &["--jsonl", "--timeout", "500"]);
    told(&sandbox, "info: round and round");
    told(&sandbox, "scoring…");
    // As most editors save: the file is empty for a while.
    fs::write(&source, "").unwrap();
    std::thread::park_timeout(std::time::Duration::from_millis(40));
    fs::write(&source, &text).unwrap();
    let mended = round(&mut live, "scored");
    assert_eq!((&mended["round"], &mended["score"]), (&1.into(), &0.25.into()), "{mended:#}");
    fs::write(&source, text.replace(error, "let error = 1.0 + sum / rows.len() as f64;")).unwrap();
    let next = round(&mut live, "scored");
    assert_eq!((&next["round"], &next["change"]), (&2.into(), &1.0.into()), "{next:#}");
}

/// What a scorer needs that logs.
const PRELUDE: &str = "use autoscorer_plugin_api::prelude::*;\nuse autoscorer_plugin_api::context::Level;";

#[test]
fn a_round_has_a_limit_and_its_words_are_for_the_author() {
    let sandbox = Sandbox::new();
    let folder = new(&sandbox, "endless", "csv");
    let source = folder.join("src/lib.rs");
    let text = fs::read_to_string(&source).unwrap();
    let error = "let error = sum / rows.len() as f64;";
    fs::write(&source, text.replace(error, &format!("{error} while error > 0.0 {{ std::hint::black_box(0); }}")))
        .unwrap();
    let mut live = dev_with(&sandbox, "endless", &["--jsonl", "--timeout", "0.3"]);
    let late = round(&mut live, "score_failed");
    assert_eq!(late["error"]["code"], "TIMEOUT_ERROR");
    assert!(late["hints"][0].as_str().unwrap().contains("give it more with --timeout"), "{late:#}");

    fs::write(&source, text.replace(error, &format!("{error} std::process::abort();"))).unwrap();
    let dead = round(&mut live, "score_failed");
    assert_eq!(dead["error"]["code"], "SCORER_CRASHED");
    assert!(!dead.to_string().contains("report it to the scorer's author"), "{dead:#}");

    fs::write(&source, &text).unwrap();
    round(&mut live, "scored");
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    fs::write(folder.join("Cargo.toml"), manifest.replace("\"cdylib\"", "\"rlib\"")).unwrap();
    let plain = round(&mut live, "build_failed");
    assert_eq!(plain["problem"], "the crate builds no library that can be loaded", "{plain:#}");
    assert!(plain["hints"][0].as_str().unwrap().contains("crate-type = [\"cdylib\"]"), "{plain:#}");
    fs::write(folder.join("Cargo.toml"), "[package]").unwrap();
    assert_eq!(round(&mut live, "build_failed")["problem"], "cargo failed");
}

#[test]
fn people_see_where_a_fault_is_what_was_found_and_what_was_logged() {
    let sandbox = Sandbox::new();
    let folder = new(&sandbox, "told", "csv");
    let source = folder.join("src/lib.rs");
    let text = fs::read_to_string(&source).unwrap();
    let logging = text.replace("let rows = join", "ctx.log(Level::Debug, \"joining\"); let rows = join");
    fs::write(&source, logging.replace("use autoscorer_plugin_api::prelude::*;", PRELUDE)).unwrap();
    fs::write(folder.join("cases/good/output/pred.csv"), "id,value\na,1\nb,2\nc,many\n").unwrap();
    fs::rename(&folder, sandbox.path().join("shown")).unwrap();
    let shown = fs::File::create(sandbox.path().join("printed")).unwrap();
    let mut child = dev_command(&sandbox, "shown", &[]).stdout(shown).spawn().unwrap();
    let printed = eventually("a round", || {
        fs::read_to_string(sandbox.path().join("printed")).ok().filter(|text| text.contains("expected"))
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(printed.starts_with("[1] error[TYPE_ERROR] output/pred.csv has \"many\" in column 'value'"), "{printed}");
    assert!(printed.contains("at output/pred.csv:4") && printed.contains("found \"many\""), "{printed}");
    told(&sandbox, "debug: joining");
}

#[test]
fn a_missing_cargo_is_no_fault_of_the_source() {
    let sandbox = Sandbox::new();
    new(&sandbox, "early", "csv");
    let mut live = Live::spawn(dev_command(&sandbox, "early", &["--jsonl"]).env("CARGO", "no-such-cargo"));
    let failed = round(&mut live, "build_failed");
    assert_eq!(failed["problem"], "cargo cannot be run");
    assert!(failed["hints"][0].as_str().unwrap().contains("install a Rust toolchain"), "{failed:#}");
}
