//! The daemon as those who run it see it: signals, restarts, scorers that come and go, what it counts.

use std::fs;

use autoscorer_tests::{Sandbox, Server, eventually, versioned};
use serde_json::{Value, json};

/// A job of the good scorer that announces itself and waits for the file `go`.
fn waiting(sandbox: &Sandbox) -> Value {
    sandbox.drop_bytes(&versioned(1), "good.so");
    let begun = sandbox.workspace("slow", "good").join("output/begun");
    json!({"workspace": "slow", "params": {"wait_for": sandbox.path().join("go"), "announce": begun}})
}

fn begun(sandbox: &Sandbox) {
    let file = sandbox.path().join("slow/output/begun");
    eventually("the job has begun", || file.exists().then_some(()));
    fs::remove_file(file).unwrap();
}

#[test]
fn a_daemon_that_is_asked_to_end_finishes_what_runs() {
    let sandbox = Sandbox::new();
    let job = waiting(&sandbox);
    let mut server = Server::start(&sandbox, &["--runners", "1"]);
    let mut client = server.client();
    let running = server.submit_with(&mut client, job);
    begun(&sandbox);
    let queued = server.submit(&mut client, "slow");
    server.signal("TERM");
    eventually("it takes no more", || server.log().contains("stopping: no new work is taken").then_some(()));
    sandbox.write("go", "");
    assert_eq!(server.end(), 0);
    server.restart(&sandbox);
    let mut client = server.client();
    let job = client.get(&format!("/api/v1/jobs/{running}")).data(200);
    assert_eq!((&job["state"], &job["attempts"]), (&json!("done"), &json!(1)), "{job:#}");
    assert_eq!(server.wait(&mut client, &queued, &["done", "failed"])["state"], "done");
}

#[test]
fn what_cannot_finish_in_time_is_put_back_and_done_after_the_restart() {
    let sandbox = Sandbox::new();
    let job = waiting(&sandbox);
    let mut server = Server::start(&sandbox, &["--drain", "0.2"]);
    let mut client = server.client();
    let id = server.submit_with(&mut client, job);
    begun(&sandbox);
    assert_eq!(server.terminate(), 0);
    sandbox.write("go", "");
    server.restart(&sandbox);
    let mut client = server.client();
    let job = server.wait(&mut client, &id, &["done", "failed", "cancelled"]);
    assert_eq!((&job["state"], &job["attempts"]), (&json!("done"), &json!(1)), "{job:#}");
}

#[test]
fn a_job_whose_daemon_dies_too_often_fails_with_the_reason() {
    let sandbox = Sandbox::new();
    let job = waiting(&sandbox);
    let mut server = Server::start(&sandbox, &["--max-attempts", "2"]);
    let id = server.submit_with(&mut server.client(), job);
    for _ in 0..2 {
        begun(&sandbox);
        server.kill();
        server.restart(&sandbox);
    }
    let mut client = server.client();
    let job = server.wait(&mut client, &id, &["failed", "done", "running"]);
    assert_eq!((&job["state"], &job["error"]["code"]), (&json!("failed"), &json!("SCORER_CRASHED")), "{job:#}");
    assert_eq!(job["error"]["details"]["attempts"], 2);
    assert!(client.get(&format!("/api/v1/jobs/{id}/result")).error(409)["message"].as_str().unwrap().contains("died"));
}

#[test]
fn sighup_looks_at_scorers_and_tokens_again() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let mut client = server.client();
    client.get("/api/v1/jobs").data(200);
    let token = Server::token(&sandbox, "ops", "admin");
    client.request("GET", "/api/v1/jobs", &[("authorization", &format!("Bearer {token}"))], "").error(401);
    server.signal("HUP");
    eventually("the token is known, and needed", || (client.get("/api/v1/jobs").status == 401).then_some(()));
    let mut client = client.with_token(&token);
    sandbox.drop_bytes(&versioned(1), "good.so");
    server.signal("HUP");
    eventually("the scorer is found", || (client.get("/api/v1/scorers/good").status == 200).then_some(()));
    // A file that is wrong locks nobody out, and lets nobody in.
    sandbox.write("data/tokens.json", "[");
    server.signal("HUP");
    eventually("the file is refused", || server.log().contains("the tokens stay as they were").then_some(()));
    client.get("/api/v1/jobs").data(200);
    server.client().get("/api/v1/jobs").error(401);
}

#[test]
fn two_daemons_do_not_share_a_folder() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let upload = sandbox.write("data/incoming/on-its-way.archive", "half of it");
    let second = sandbox.run(&["serve", "--bind", "127.0.0.1:0", "--data", "data"]);
    assert_ne!(second.code, 0);
    assert!(second.stdout.is_empty() && second.stderr.contains("another"), "{}", second.stderr);
    server.client().get("/livez").data(200);
    assert!(upload.exists(), "what comes in at the first one was thrown away by the second");
}

#[test]
fn the_paths_of_the_first_version_work() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    let server = Server::start(&sandbox, &["--anonymous", "admin"]);
    let mut client = server.client();
    assert_eq!(client.get("/healthz").data(200)["status"], "ok");
    assert_eq!(client.get("/readyz").data(200)["status"], "ready");
    let f1 = 0.6666666666666666;
    let job = json!({"workspace": "ws"});
    assert_eq!(client.post("/score", &job).data(200)["summary"]["score"], f1);
    assert!(sandbox.path().join("ws/output/result.json").exists());
    fs::remove_file(sandbox.path().join("ws/output/result.json")).unwrap();
    assert_eq!(client.post("/scorers/test", &job).data(200)["summary"]["score"], f1);
    assert!(!sandbox.path().join("ws/output/result.json").exists(), "a test leaves nothing behind");
    let task = client.post("/submit", &job).data(202)["task_id"].as_str().unwrap().to_owned();
    assert_eq!(server.wait(&mut client, &task, &["done", "failed"])["state"], "done");
    assert_eq!(client.get(&format!("/result?task_id={task}")).data(200)["summary"]["score"], f1);
    assert_eq!(client.get(&format!("/tasks/{task}")).data(200)["score"], f1);
    assert_eq!(client.get("/scorers").data(200), client.get("/api/v1/scorers").data(200));
    assert_eq!(client.get("/scorers/watch").data(200)["watching"], true);
    assert_eq!(client.request("DELETE", "/scorers/watch", &[], "").data(200)["watching"], false);
    assert_eq!(client.request("POST", "/scorers/watch", &[], "").data(200)["watching"], true);
    client.request("POST", "/scorers/reload", &[], "").data(202);
    client.post("/scorers/load", &json!({"path": "none.so"})).error(404);
}

#[test]
fn scorers_are_loaded_refused_and_put_back_over_http() {
    let sandbox = Sandbox::with_own_store();
    sandbox.write("new/good.so", versioned(2));
    sandbox.write("new/bad.so", "no library");
    sandbox.write("new/good.txt", "");
    sandbox.workspace("ws", "good");
    let server = Server::start(&sandbox, &["--anonymous", "admin"]);
    let mut client = server.client();
    client.post("/api/v1/score", &json!({"workspace": "ws"})).error(404);
    let mut load = |path: &str| client.post("/api/v1/scorers/load", &json!({ "path": path }));
    assert_eq!(load("new/good.so").data(200)["state"], "live");
    load("new/bad.so").error(502);
    // A better file of the same name is judged by what it is.
    fs::copy(sandbox.path().join("new/good.so"), sandbox.path().join("new/bad.so")).unwrap();
    assert_eq!(load("new/bad.so").data(200)["state"], "live");
    load("new/good.txt").error(422);
    load("/etc/passwd").error(404);
    load("../good.so").error(404);
    let score = client.post("/api/v1/score", &json!({"workspace": "ws"})).data(200);
    assert_eq!(score["metrics"]["marker"], 2.0);
    client.post("/api/v1/scorers/lift", &json!({"scorer": "good"})).error(404);
    // Not followed, the folder may hold what it likes.
    client.request("DELETE", "/api/v1/scorers/watch", &[], "").data(200);
    client.post("/api/v1/scorers/load", &json!({"path": "new/good.so"})).error(409);
    client.request("POST", "/api/v1/scorers/reload", &[], "").error(409);
    let late = sandbox.drop_library("misbehaving_twin_a", "twin.so");
    client.request("POST", "/api/v1/scorers/watch", &[], "").data(200);
    let found = |all: Value| all["generations"].to_string().contains(late.to_str().unwrap());
    eventually("it is found when followed again", || found(client.get("/api/v1/scorers").data(200)).then_some(()));
}

#[test]
fn a_scorer_that_keeps_crashing_is_taken_out_counted_and_lifted() {
    let sandbox = Sandbox::with_own_store();
    let abort = sandbox.write("abort", "");
    sandbox.drop_bytes(&versioned(1), "good.so");
    sandbox.workspace("ws", "good");
    let server = Server::start(&sandbox, &["--anonymous", "admin"]);
    let mut client = server.client();
    let job = json!({"workspace": "ws", "params": {"abort_if": abort}});
    eventually("the library is taken out", || {
        let error = client.post("/score", &job).error(502);
        (error["code"] != "SCORER_CRASHED").then_some(())
    });
    fs::remove_file(abort).unwrap();
    client.post("/score", &job).error(502);
    client.post("/api/v1/scorers/lift", &json!({"scorer": "good"})).data(200);
    client.post("/score", &job).data(200);
    let metrics = client.get("/metrics");
    assert_eq!(metrics.status, 200);
    assert!(metrics.text().contains("good") && metrics.text().ends_with("# EOF\n"), "{}", metrics.text());
}

#[test]
fn a_daemon_without_scorers_lives_but_is_not_ready() {
    let sandbox = Sandbox::without_plugins();
    let server = Server::start(&sandbox, &[]);
    let mut client = server.client();
    client.get("/livez").data(200);
    assert_eq!(client.get("/readyz").error(503)["code"], "UNAVAILABLE");
}
