//! Slips: what somebody is told whose command line, environment or settings file is wrong.

use std::fs;

use autoscorer_tests::{Finished, Sandbox};

/// What is printed by a command that must end with this code.
fn told(sandbox: &Sandbox, arguments: &[&str], code: i32) -> String {
    let ended = sandbox.run(arguments);
    assert_eq!(ended.code, code, "{arguments:?}: {}{}", ended.stdout, ended.stderr);
    ended.stderr
}

#[test]
fn a_machine_hears_all_that_a_terminal_shows() {
    let sandbox = Sandbox::new();
    let error = |arguments: &[&str]| sandbox.run(arguments).json()["error"].clone();
    let missing = error(&["score", "--json"]);
    assert_eq!(missing["message"], "the following required arguments were not provided: <WORKSPACE>...");
    assert!(missing["details"]["usage"].as_str().unwrap().starts_with("autoscorer score"), "{missing:#}");
    let values = error(&["score", "ws", "--isolation", "foo", "--json"])["message"].to_string();
    assert!(values.contains("[possible values: auto, process, in-process]"), "{values}");
    let tip = error(&["score", "ws", "--no-artefacts", "--json"])["details"]["hint"].to_string();
    assert!(tip.contains("a similar argument exists: '--no-artifacts'"), "{tip}");
}

#[test]
fn a_number_out_of_range_is_told_its_range() {
    let sandbox = Sandbox::new();
    let cases: [(&[&str], &str); 10] = [
        (&["score", "ws", "--timeout", "-1"], "'-1' for '--timeout <SECONDS>': expected a number of seconds above 0"),
        (&["score", "ws", "-j", "0"], "'0' for '--jobs <N>': expected a whole number from 1 on"),
        (&["score", "ws", "--max-workers", "0"], "expected a whole number from 1 on"),
        (&["score", "ws", "--probe-timeout", "-2"], "expected a number of seconds above 0"),
        (
            &["score", "ws", "--baseline", "b", "--fail-on-regression", "--tolerance", "-1"],
            "\"-1\" is no number from 0 on",
        ),
        (&["config", "show", "--runners", "0"], "'0' for '--runners <N>': expected a whole number from 1 on"),
        (&["config", "show", "--queue-limit", "-3"], "'-3' for '--queue-limit <N>': expected a whole number from 0 on"),
        (&["config", "show", "--drain", "-3"], "serve.drain is -3; expected a number of seconds above 0"),
        (&["scorers", "dev", "c", "--workspace", "w", "--timeout", "-1"], "expected a number of seconds above 0"),
        (
            &["review", "--comments", "c", "--references", "r", "-o", "o", "--line-distance", "-1"],
            "expected a whole number from 0 on",
        ),
    ];
    for (arguments, text) in cases {
        let said = told(&sandbox, arguments, 2);
        assert!(said.contains(text) && !said.contains("unexpected argument"), "{arguments:?}: {said}");
    }
    for (line, text) in [
        ("max-workers = 0", "max-workers is 0; expected a whole number from 1 on"),
        ("[serve]\nrunners = 0", "serve.runners is 0; expected a whole number from 1 on"),
        ("[serve]\nbind = 'nowhere'", "serve.bind: expected HOST:PORT, such as 127.0.0.1:8080"),
    ] {
        sandbox.write("host.toml", line);
        let said = told(&sandbox, &["config", "show", "--config", "host.toml"], 2);
        assert!(said.contains(text), "{line}: {said}");
    }
}

#[test]
fn a_wrong_variable_is_named_and_a_wrong_flag_is_not_blamed_on_it() {
    let sandbox = Sandbox::new();
    let run = |arguments: &[&str]| {
        let mut command = sandbox.command(arguments);
        Finished::from(command.env("AUTOSCORER_RUNNERS", "abc").output().unwrap())
    };
    let named = "the value comes from the environment variable AUTOSCORER_RUNNERS";
    let (plain, json) = (run(&["config", "show"]), run(&["config", "show", "--json"]));
    assert_eq!((plain.code, json.code), (2, 2));
    assert!(plain.stderr.contains(named), "{}", plain.stderr);
    assert_eq!(json.json()["error"]["details"]["hint"], named);
    let flag = run(&["config", "show", "--runners", "abc"]);
    assert!(flag.code == 2 && !flag.stderr.contains("AUTOSCORER_RUNNERS"), "{}", flag.stderr);
}

#[test]
fn an_address_may_be_a_name() {
    let sandbox = Sandbox::new();
    let shown = sandbox.run(&["config", "show", "--bind", "localhost:8099"]);
    assert!(shown.code == 0 && shown.stdout.contains(":8099"), "{}{}", shown.stdout, shown.stderr);
    let said = told(&sandbox, &["config", "show", "--bind", "8080"], 2);
    assert!(said.contains("expected HOST:PORT, such as 127.0.0.1:8080 or localhost:8080"), "{said}");
}

#[test]
fn a_settings_file_is_wrong_at_a_line() {
    let sandbox = Sandbox::new();
    for (text, place) in [("breaker = 2\n\n[serve]\nbnd = 'x'\n", "host.toml:4"), ("breaker =\n", "host.toml:1")] {
        sandbox.write("host.toml", text);
        let said = told(&sandbox, &["config", "show", "--config", "host.toml"], 2);
        assert!(said.contains(&format!("at {place}")) && !said.contains("\\n"), "{said}");
    }
}

#[test]
fn a_folder_of_workspaces_is_recognised() {
    let sandbox = Sandbox::new();
    sandbox.workspace("runs/a", "classification_f1");
    for command in ["score", "validate"] {
        let said = told(&sandbox, &[command, "runs/"], 3);
        assert!(said.contains("this is a folder of workspaces: name them with runs/*/"), "{said}");
    }
}

#[test]
fn events_are_refused_where_nothing_is_followed() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    let json = told(&sandbox, &["score", "ws", "--events"], 2);
    assert!(json.contains("--jsonl"), "{json}");
    assert_eq!(sandbox.run(&["score", "ws", "--events", "--json"]).code, 2);
    let lines = told(&sandbox, &["score", "ws", "--events", "--jsonl"], 2);
    assert!(lines.contains("which only '-' follows"), "{lines}");
    assert!(!sandbox.path().join("ws/output/result.json").exists());
}

#[test]
fn what_cannot_be_written_is_bad_input_with_a_code_of_its_own() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    // Whoever runs this, root included, cannot remove a folder as if it were a file.
    fs::create_dir_all(workspace.join("output/result.json/in-the-way")).unwrap();
    let scored = sandbox.run(&["score", "ws", "--json"]);
    assert_eq!((scored.code, &scored.json()["error"]["code"]), (3, &"WORKSPACE_NOT_FOUND".into()));
    let made = sandbox.run(&["scorers", "new", "fine", "--dir", "/proc", "--json"]);
    assert_eq!((made.code, &made.json()["error"]["code"]), (3, &"WORKSPACE_NOT_FOUND".into()));
    sandbox.write("file", "x");
    let said = told(&sandbox, &["man", "file"], 3);
    assert!(said.starts_with("error[WORKSPACE_NOT_FOUND]") && said.contains("help name a folder"), "{said}");
}

#[test]
fn what_is_not_there_comes_with_help() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    for (arguments, code, help) in [
        (&["score", "ws", "--params", "@nope"][..], 2, "--params @params.json"),
        (&["serve", "--root", "nope", "--bind", "127.0.0.1:0"], 2, "name a folder that exists with --root"),
        (&["replay", "nope"], 3, "score the workspace first"),
    ] {
        let said = told(&sandbox, arguments, code);
        assert!(said.contains("help") && said.contains(help), "{arguments:?}: {said}");
    }
}

#[test]
fn a_path_that_leads_nowhere_is_met_with_help() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    sandbox.workspace("bare", "classification_f1");
    fs::remove_file(sandbox.path().join("bare/output/pred.csv")).unwrap();
    fs::create_dir(sandbox.path().join("empty")).unwrap();
    assert_eq!(sandbox.run(&["score", "ws"]).code, 0);
    for (arguments, help) in [
        (&["compare", "ws", "nothere"][..], "check the path"),
        (&["report", "nothere", "-o", "page.html"], "check the path"),
        (&["score", "ws", "--baseline", "nothere.json"], "check the path"),
        (&["compare", "ws", "bare"], "score the workspace first: autoscorer score bare"),
        (&["compare", "ws/meta.json", "ws"], "name ws"),
        (&["report", "empty", "-o", "page.html"], "score a workspace in it first"),
        (&["score", "bare"], "the scorer reads output/pred.csv: put the predictions there"),
        (&["score", "ws/meta.json"], "name the folder that it lies in: ws"),
        (&["score", "ws", "-p", "average=makro"], "did you mean 'macro'?"),
        (&["score", "ws", "-p", "pass_threshold=abc"], "expected a number"),
        (&["review", "--comments", "nothere", "--references", "ws/meta.json", "-o", "reviewed"], "at nothere"),
        (&["review", "--comments", "ws/input/gt.csv", "--references", "nope.json", "-o", "reviewed"], "check the path"),
        (&["explain", "UNDEFINED_METRICS"], "the code of a warning"),
    ] {
        let finished = sandbox.run(arguments);
        let told = format!("{}{}", finished.stdout, finished.stderr);
        assert!(finished.code > 1 && told.contains(help), "{arguments:?}: {told}");
    }
}
