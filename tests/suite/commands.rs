//! The command line: help, lists, wrong usage, and where things are printed.

use std::process::Command;

use autoscorer_tests::{Finished, Sandbox, built};
use insta::assert_snapshot;

const COMMANDS: &[&[&str]] = &[
    &["score"],
    &["validate"],
    &["replay"],
    &["compare"],
    &["report"],
    &["scorers"],
    &["config"],
    &["config", "show"],
    &["scorers", "list"],
    &["scorers", "show"],
    &["scorers", "inspect"],
    &["scorers", "watch"],
    &["demo"],
    &["explain"],
    &["doctor"],
    &["review"],
    &["serve"],
    &["tokens"],
    &["tokens", "add"],
    &["scorers", "new"],
    &["scorers", "check"],
    &["scorers", "dev"],
    &["completions"],
    &["man"],
];

#[test]
fn every_command_has_help_with_an_example() {
    let sandbox = Sandbox::new();
    for &command in COMMANDS {
        let help = sandbox.run(&[command, &["--help"]].concat());
        assert_eq!(help.code, 0);
        assert!(help.stdout.contains("Example"), "{command:?}: {}", help.stdout);
        assert!(help.stdout.contains(&format!("autoscorer {}", command.join(" "))), "{command:?}");
    }
    let none = Finished::from(Command::new(built().host()).output().unwrap());
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("Usage: autoscorer"));
}

#[test]
fn wrong_usage_is_exit_2_in_words_or_json() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    let wrong: [&[&str]; 8] = [
        &["score"],
        &["scorer", "list"],
        &["score", "ws", "--no-such-flag"],
        &["score", "ws", "--scorer", "@"],
        &["score", "ws", "--probe-timeout", "0"],
        &["score", "ws", "-"],
        &["score", "ws", "--custom-scorers", "ws/meta.json"],
        &["score", "ws", "-p", "average"],
    ];
    for arguments in wrong {
        let plain = sandbox.run(arguments);
        assert_eq!((plain.code, plain.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(plain.stderr.starts_with("error"), "{arguments:?}: {}", plain.stderr);
        let json = sandbox.run(&[arguments, &["--json"]].concat());
        assert_eq!((json.code, json.json()["status"].as_str()), (2, Some("error")), "{arguments:?}");
    }
    let wrong_params = sandbox.run(&["score", "ws", "--params", "{"]);
    assert_eq!(wrong_params.code, 2);
    assert_snapshot!(wrong_params.stderr);
}

#[test]
fn json_is_one_document_with_the_envelope() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    let library = built().library("fixture_good");
    let commands: [&[&str]; 7] = [
        &["score", "ws"],
        &["score", "nowhere"],
        &["validate", "ws"],
        &["scorers", "list"],
        &["scorers", "show", "classification_f1"],
        &["scorers", "show", "nobody"],
        &["scorers", "inspect", library.to_str().unwrap()],
    ];
    for command in commands {
        let document = sandbox.run(&[command, &["--json"]].concat()).json();
        let ok = document["status"] == "ok";
        assert_eq!(document["error"].is_null(), ok, "{command:?}: {document:#}");
        assert!(!ok || document["data"].is_object(), "{command:?}: {document:#}");
        assert!(document["execution_time"].is_f64() && document["timestamp"].is_string(), "{command:?}");
    }
}

#[test]
fn list_and_show() {
    let sandbox = Sandbox::new();
    sandbox.drop_library("fixture_good", "good.so");
    sandbox.drop_bytes(b"text", "text.so");
    let listed = sandbox.run(&["scorers", "list"]);
    assert_eq!(listed.code, 0);
    let text = sandbox.anonymous(&format!("{}\n{}", listed.stdout, listed.stderr));
    // How wide the columns are depends on where the sandbox is.
    insta::with_settings!({filters => vec![(" {3,}", "  ")]}, {
        assert_snapshot!("list", text);
    });
    let document = sandbox.run(&["scorers", "list", "--json"]).json();
    assert_eq!(
        document["data"]["scorers"].as_array().unwrap().len(),
        text.lines().take_while(|line| !line.is_empty()).count() - 1
    );
    assert_eq!(document["data"]["refused"][0]["step"], "check");
    let shown = sandbox.run(&["scorers", "show", "classification_f1"]);
    insta::with_settings!({filters => vec![("(file|sha256|built with) +[^\n]+", "$1  […]")]}, {
        assert_snapshot!("show", shown.stdout);
    });
}

#[test]
fn inspect_reads_without_running() {
    let sandbox = Sandbox::new();
    // Opening this one would abort.
    let library = built().library("misbehaving_ctor_abort");
    let inspected = sandbox.run(&["scorers", "inspect", library.to_str().unwrap(), "--json"]);
    assert_eq!(inspected.code, 0);
    let metadata = &inspected.json()["data"]["metadata"];
    assert_eq!((metadata["scorers"][0]["id"].as_str(), metadata["panic"].as_str()), (Some("good"), Some("unwind")));
    assert!(metadata["rustc"].as_str().unwrap().starts_with("rustc 1."));
    let good = sandbox.run(&["scorers", "inspect", built().library("fixture_good").to_str().unwrap()]);
    insta::with_settings!({filters => vec![(r"(?m)^.*libfixture_good.so", "[library]"), (r"rustc 1[^,]+", "[rustc]")]}, {
        assert_snapshot!(good.stdout);
    });
    // Metadata that this host would refuse is shown all the same.
    let other = sandbox.run(&["scorers", "inspect", built().library("misbehaving_api_major").to_str().unwrap()]);
    assert_eq!(other.code, 4);
    assert!(other.stdout.contains("API 2.0.0") && other.stderr.contains("refused at check"));
    let text = sandbox.write("text.so", "hello");
    assert_eq!(sandbox.run(&["scorers", "inspect", text.to_str().unwrap()]).code, 4);
}

#[test]
fn completions_and_manual_pages() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = sandbox.run(&["completions", shell]);
        assert!(script.code == 0 && script.stdout.contains("inspect"), "{shell}");
    }
    assert_eq!(sandbox.run(&["man", "pages"]).code, 0);
    let page = std::fs::read_to_string(sandbox.path().join("pages/autoscorer-score.1")).unwrap();
    assert!(page.contains("no\\-artifacts"));
}

#[test]
fn data_goes_to_stdout_without_colour_where_nobody_looks() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "nobody");
    let scored = sandbox.run(&["score", "ws"]);
    assert!(scored.stdout.starts_with("WORKSPACE") && scored.stderr.starts_with("error[SCORER_NOT_FOUND]"));
    assert!(!format!("{}{}", scored.stdout, scored.stderr).contains('\u{1b}'));
}

#[test]
fn a_stream_ends_when_stdin_cannot_be_read() {
    let sandbox = Sandbox::new();
    let folder = std::fs::File::open(sandbox.path()).unwrap();
    let output = sandbox.command(&["score", "-", "--jsonl"]).stdin(folder).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1);
}

#[test]
fn foreign_text_does_not_command_the_terminal() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    sandbox.write("ws/output/pred.csv", "id,\u{1b}[31mlabel\n1,cat\n2,dog\n3,cat\n");
    let scored = sandbox.run(&["score", "ws"]);
    assert!(scored.stderr.contains("found the header id,\\u{1b}[31mlabel"), "{}", scored.stderr);
}

#[test]
fn a_folder_that_is_no_workspace_stays_as_it_is() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path().join("runs")).unwrap();
    let scored = sandbox.run(&["score", "runs"]);
    assert_eq!(scored.code, 3);
    assert_eq!(std::fs::read_dir(sandbox.path().join("runs")).unwrap().count(), 0);
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let sandbox = Sandbox::new();
    let host = built().host();
    let script = format!("'{}' completions bash | head -n 1", host.display());
    let piped = Command::new("bash").args(["-o", "pipefail", "-c", &script]).output().unwrap();
    assert!(piped.status.success() && piped.stderr.is_empty(), "{piped:?}");
    drop(sandbox);
}

#[test]
fn without_plugins_the_list_says_how_to_find_them() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path().join("none")).unwrap();
    let listed = Command::new(built().host())
        .args(["scorers", "list", "--plugins", "none", "--custom-scorers", "none"])
        .current_dir(sandbox.path())
        .output()
        .unwrap();
    assert!(String::from_utf8(listed.stderr).unwrap().contains("--plugins"));
}

#[test]
fn built_in_plugins_are_found_beside_the_executable_and_in_lib() {
    let sandbox = Sandbox::new();
    let copy = |from: std::path::PathBuf, to: &str| {
        let to = sandbox.path().join(to);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(from, &to).unwrap();
        to
    };
    let ids = |host: &std::path::Path| {
        let mut command = Command::new(host);
        command.args(["scorers", "list", "--json", "--custom-scorers", "none", "--store", "store"]);
        let listed =
            Finished::from(command.current_dir(sandbox.path()).env_remove("AUTOSCORER_PLUGINS").output().unwrap());
        let scorers = listed.json()["data"]["scorers"].as_array().unwrap().clone();
        scorers.iter().map(|scorer| scorer["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let classification = built().library("autoscorer_classification");
    let beside = copy(built().host(), "beside/autoscorer");
    copy(classification.clone(), "beside/libautoscorer_classification.so");
    // Another library beside the executable is none of ours.
    copy(built().library("fixture_good"), "beside/libfixture_good.so");
    assert_eq!(ids(&beside), ["classification_accuracy", "classification_f1"]);
    let installed = copy(built().host(), "usr/bin/autoscorer");
    assert_eq!(ids(&installed), Vec::<String>::new());
    copy(classification, "usr/lib/autoscorer/plugins/libautoscorer_classification.so");
    assert_eq!(ids(&installed), ["classification_accuracy", "classification_f1"]);
    // A folder that the environment names counts instead, whatever its libraries are called.
    copy(built().library("misbehaving_twin_a"), "elsewhere/twin.so");
    let mut command = Command::new(&installed);
    command.args(["scorers", "list", "--json", "--store", "store"]).env("AUTOSCORER_PLUGINS", "elsewhere");
    let listed = Finished::from(command.current_dir(sandbox.path()).output().unwrap()).json();
    assert_eq!(listed["data"]["scorers"][0]["id"], "twin");
    assert_eq!(listed["data"]["scorers"].as_array().unwrap().len(), 1);
}

#[test]
fn a_custom_scorer_is_listed_and_suggested_to_whoever_misspells_it() {
    let sandbox = Sandbox::new();
    sandbox.drop_library("fixture_good", "good.so");
    sandbox.workspace("ws", "goood");
    let commands: [&[&str]; 4] =
        [&["score", "ws"], &["validate", "ws"], &["scorers", "show", "goood"], &["scorers", "show", "goood@1.0.0"]];
    for command in commands {
        let refused = sandbox.run(command);
        assert_eq!(refused.code, 3, "{command:?}");
        assert!(refused.stderr.contains("did you mean 'good'?"), "{command:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("expected one of classification_accuracy, "), "{}", refused.stderr);
        assert!(refused.stderr.contains(", good, "), "{command:?}: {}", refused.stderr);
    }
}

#[test]
fn a_hash_that_is_not_known_yet_is_null_everywhere() {
    let listed = Sandbox::with_own_store().run(&["scorers", "list", "--json"]).json();
    for one in listed["data"]["scorers"].as_array().unwrap() {
        assert!(one["sha256"].is_null(), "{one:#}");
    }
    for one in listed["data"]["generations"].as_array().unwrap() {
        assert!(one["subject"]["sha256"].is_null(), "{one:#}");
    }
}

#[test]
fn a_library_is_shown_with_the_folder_it_belongs_into() {
    let made = Sandbox::new().run(&["scorers", "new", "fine"]);
    assert!(made.stderr.contains("mkdir -p custom_scorers\n  cp ./fine/target/release/libfine.so"), "{}", made.stderr);
}
