//! `submit` and `jobs` against a real daemon.

use std::fs;

use autoscorer_tests::{Finished, Sandbox, Server, forget_events};
use serde_json::Value;

struct Desk {
    sandbox: Sandbox,
    server: Server,
}

impl Desk {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.workspace("one", "classification_accuracy");
        sandbox.workspace("two", "classification_accuracy");
        sandbox.workspace("wrong", "no_such_scorer");
        let server = Server::start(&sandbox, &[]);
        Self { sandbox, server }
    }

    fn run(&self, arguments: &[&str]) -> Finished {
        let mut command = self.sandbox.command(arguments);
        command.env("AUTOSCORER_SERVER", format!("http://{}", self.server.address));
        Finished::from(command.output().unwrap())
    }

    fn data(&self, arguments: &[&str]) -> Value {
        let finished = self.run(&[arguments, &["--json"]].concat());
        assert_eq!(finished.code, 0, "{} {}", finished.stdout, finished.stderr);
        finished.json()["data"].take()
    }
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("no {pointer} in {value}"))
}

#[test]
fn a_workspace_is_submitted_by_path_and_its_result_shown() {
    let desk = Desk::new();
    let waited = desk.run(&["submit", "one", "--wait"]);
    assert_eq!(waited.code, 0, "{}", waited.stderr);
    assert!(
        waited.stdout.contains("classification_accuracy") && waited.stdout.contains("0.666667"),
        "{}",
        waited.stdout
    );
    assert!(desk.sandbox.path().join("one/output/result.json").is_file());
    let document = desk.data(&["submit", "one", "--wait", "-p", "pass_threshold=0.9", "--timeout", "60"]);
    assert_eq!((&document["workspace"], &document["summary"]["pass"]), (&"one".into(), &false.into()));
    let job = desk.data(&["jobs", "show", text(&document, "/job")]);
    assert_eq!((&job["state"], &job["params"]["pass_threshold"]), (&"done".into(), &0.9.into()));
}

#[test]
fn a_folder_is_uploaded_without_earlier_results() {
    let desk = Desk::new();
    let elsewhere = Sandbox::new();
    let workspace = elsewhere.workspace("mine", "classification_accuracy");
    elsewhere.write("mine/output/result.json", "{\"from\": \"an earlier run\"}");
    let workspace = workspace.to_str().unwrap();
    let document = desk.data(&["submit", workspace, "--upload", "--wait"]);
    assert_eq!(document["summary"]["score"], 2.0 / 3.0);
    let kept = fs::read_to_string(elsewhere.path().join("mine/output/result.json")).unwrap();
    assert!(kept.contains("an earlier run"), "the folder here stays as it was");
    let by_path = desk.run(&["submit", workspace]);
    assert_eq!(by_path.code, 3, "{}", by_path.stderr);
    assert!(by_path.stderr.contains("--upload"), "{}", by_path.stderr);
}

#[test]
fn a_link_out_of_the_folder_is_not_followed() {
    let desk = Desk::new();
    std::os::unix::fs::symlink("/etc/hostname", desk.sandbox.path().join("one/input/link.csv")).unwrap();
    let refused = desk.run(&["submit", "one", "--upload"]);
    assert_eq!(refused.code, 3);
    assert!(refused.stderr.contains("input/link.csv leads out of it"), "{}", refused.stderr);
}

#[test]
fn the_same_key_makes_the_same_jobs() {
    let desk = Desk::new();
    for workspaces in [vec!["one"], vec!["one", "two"], vec!["one", "two", "--upload"]] {
        let key = format!("k{}-{}", workspaces.len(), workspaces.contains(&"--upload"));
        let submit = [&["submit", "--key", &key], &workspaces[..]].concat();
        let (first, second) = (desk.data(&submit), desk.data(&submit));
        let ids =
            |data: &Value| data["jobs"].as_array().unwrap().iter().map(|job| job["id"].clone()).collect::<Vec<_>>();
        assert_eq!(ids(&first), ids(&second));
        assert_eq!((&first["jobs"][0]["created"], &second["jobs"][0]["created"]), (&true.into(), &false.into()));
    }
    let reused = desk.run(&["submit", "--key", "k1-false", "two"]);
    assert_eq!(reused.code, 3, "{}", reused.stderr);
    assert!(reused.stderr.contains("error[KEY_REUSED]"), "{}", reused.stderr);
}

#[test]
fn a_batch_ends_with_its_worst_job() {
    let desk = Desk::new();
    let waited = desk.run(&["submit", "one", "wrong", "two", "--wait", "--json"]);
    assert_eq!(waited.code, 3);
    let document = waited.json();
    assert_eq!((&document["data"]["succeeded"], &document["data"]["failed"]), (&2.into(), &1.into()));
    assert_eq!(document["data"]["results"][1]["error"]["code"], "SCORER_NOT_FOUND");
    let failed = desk.data(&["jobs", "list", "--state", "failed"]);
    assert_eq!(failed["jobs"].as_array().unwrap().len(), 1);
    let id = text(&failed, "/jobs/0/id").to_owned();
    assert_eq!(id, text(&document, "/data/results/1/job"));
    assert_eq!(desk.run(&["jobs", "watch", &id]).code, 3);
    assert_eq!(desk.run(&["jobs", "result", &id]).code, 3);
    assert_eq!(desk.data(&["jobs", "list", "--limit", "2"])["more"], true);
}

#[test]
fn a_job_is_followed_changed_and_read() {
    let desk = Desk::new();
    let id = text(&desk.data(&["submit", "one"]), "/jobs/0/id").to_owned();
    let watched = desk.run(&["jobs", "watch", &id]);
    assert_eq!(watched.code, 0, "{}", watched.stderr);
    let kinds: Vec<_> = watched.stdout.lines().filter_map(|line| line.split("  ").nth(2)).collect();
    assert_eq!(kinds, ["job.queued", "job.running", "job.done"]);
    let late = desk.run(&["jobs", "cancel", &id]);
    assert_eq!(late.code, 3);
    insta::assert_snapshot!(late.stderr, @"error[CONFLICT] a job that is done cannot be cancelled");
    assert_eq!(desk.data(&["jobs", "requeue", &id])["id"], id);
    assert_eq!(desk.run(&["jobs", "watch", &id]).code, 0);
    let result = desk.run(&["jobs", "result", &id]);
    assert!(result.stdout.contains("0.666667"), "{}", result.stdout);
    assert_eq!(desk.data(&["jobs", "logs", &id])["id"], id);
    let list = desk.run(&["jobs", "list", "--submitter", "anonymous", "--scorer", "classification_accuracy"]);
    assert!(list.stdout.contains(&id), "{}", list.stdout);
}

#[test]
fn a_token_opens_the_door_and_is_never_shown() {
    let sandbox = Sandbox::new();
    sandbox.workspace("one", "classification_accuracy");
    let (reader, submitter) = (Server::token(&sandbox, "looker", "read"), Server::token(&sandbox, "ci", "submit"));
    let desk = Desk { server: Server::start(&sandbox, &[]), sandbox };
    let anonymous = desk.run(&["jobs", "list"]);
    let unknown = desk.run(&["jobs", "list", "--token", "hush-hush"]);
    let too_small = desk.run(&["submit", "one", "--token", &reader]);
    let odd = desk.run(&["submit", "one", "--token", "hush hush"]);
    let said: Vec<_> = [&anonymous, &unknown, &too_small, &odd].map(|f| format!("{}: {}", f.code, f.stderr)).into();
    let said = said.join("\n").replace(&desk.server.address.to_string(), "[server]");
    insta::assert_snapshot!(said);
    assert_eq!(desk.run(&["submit", "one", "--wait", "--token", &submitter]).code, 0);
    let shown = desk.run(&["jobs", "list", "--json", "--token", &submitter]);
    assert_eq!(shown.json()["data"]["jobs"][0]["submitter"], "ci");
    for (finished, token) in [(unknown, "hush"), (too_small, &reader), (odd, "hush hush"), (shown, &submitter)] {
        assert!(!format!("{}{}", finished.stdout, finished.stderr).contains(token));
    }
}

#[test]
fn a_daemon_that_is_gone_is_told_and_one_that_is_back_is_used() {
    let mut desk = Desk::new();
    let address = desk.server.address.to_string();
    assert_eq!(desk.server.terminate(), 0);
    let gone = desk.run(&["jobs", "list"]);
    assert_eq!(gone.code, 5);
    assert!(gone.stderr.contains("error[SERVER_UNREACHABLE]") && gone.stderr.contains(&address), "{}", gone.stderr);
    desk.server = Server::start(&desk.sandbox, &[]);
    assert_eq!(desk.run(&["submit", "one", "--wait"]).code, 0);
}

#[test]
fn a_job_whose_events_are_kept_no_more_is_not_waited_for() {
    let desk = Desk::new();
    for (workspace, code) in [("one", 0), ("wrong", 3)] {
        let submitted = desk.run(&["submit", workspace, "--wait", "--json"]);
        let id = text(&submitted.json(), "/data/job").to_owned();
        let whole = desk.run(&["jobs", "watch", &id]);
        assert_eq!((whole.code, whole.stdout.lines().count()), (code, 3), "{}", whole.stdout);
        forget_events(&desk.sandbox);
        let watched = desk.run(&["jobs", "watch", &id]);
        assert_eq!((watched.code, watched.stdout.as_str()), (code, ""), "{}", watched.stderr);
    }
}
