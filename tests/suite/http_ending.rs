//! The end of a daemon: in time whatever hangs, and with an answer for everybody until then.

use std::thread;
use std::time::{Duration, Instant};

use autoscorer_tests::{Sandbox, Server, eventually, versioned};
use serde_json::{Value, json};

/// A scorer that hears nothing, on a thread of the host.
fn deaf(sandbox: &Sandbox) -> Server {
    sandbox.drop_library("misbehaving_sinner", "sinner.so");
    sandbox.workspace("deaf", "sin_sleep");
    let server = Server::start(sandbox, &["--isolation", "in-process", "--drain", "0.2"]);
    let mut client = server.client();
    eventually("the scorer is there", || (client.get("/api/v1/scorers/sin_sleep").status == 200).then_some(()));
    server
}

/// More than the drain, and what is allowed for last words and answers.
const IN_TIME: Duration = Duration::from_secs(20);

#[test]
fn a_job_that_hears_nothing_does_not_keep_the_daemon_from_ending() {
    let sandbox = Sandbox::new();
    let mut server = deaf(&sandbox);
    let mut client = server.client();
    let id = server.submit(&mut client, "deaf");
    server.wait(&mut client, &id, &["running"]);
    let start = Instant::now();
    assert_eq!(server.terminate(), 0);
    assert!(start.elapsed() < IN_TIME, "{:?}", start.elapsed());
    server.restart(&sandbox);
    let job = server.wait(&mut server.client(), &id, &["running", "failed"]);
    assert_eq!((&job["state"], &job["attempts"]), (&json!("running"), &json!(1)), "it was put back: {job:#}");
}

#[test]
fn a_score_that_hears_nothing_does_not_keep_the_daemon_from_ending() {
    let sandbox = Sandbox::new();
    let mut server = deaf(&sandbox);
    let mut client = server.client();
    let older = sandbox.write("deaf/output/result.json", "{}");
    let asking = thread::spawn(move || {
        client.try_request("POST", "/score", &[("content-type", "application/json")], r#"{"workspace": "deaf"}"#)
    });
    // An older result goes before a scorer begins.
    eventually("it is at work", || (!older.exists()).then_some(()));
    let start = Instant::now();
    assert_eq!(server.terminate(), 0);
    assert!(start.elapsed() < IN_TIME, "{:?}", start.elapsed());
    asking.join().unwrap().unwrap_err();
}

#[test]
fn while_it_drains_the_daemon_answers_whoever_asks_and_takes_nothing_new() {
    let sandbox = Sandbox::new();
    sandbox.drop_bytes(&versioned(1), "good.so");
    let begun = sandbox.workspace("slow", "good").join("output/begun");
    sandbox.workspace("ws", "good");
    let mut server = Server::start(&sandbox, &[]);
    let slow = json!({"workspace": "slow", "params": {"wait_for": sandbox.path().join("go"), "announce": begun}});
    let mut asking = server.client();
    let score: thread::JoinHandle<Value> = thread::spawn(move || asking.post("/score", &slow).data(200));
    eventually("the score has begun", || begun.exists().then_some(()));
    let old = server.submit(&mut server.client(), "ws");
    server.wait(&mut server.client(), &old, &["done"]);
    server.signal("TERM");
    eventually("it stops", || server.log().contains("stopping: no new work is taken").then_some(()));
    // Each of them on a connection that is made after the signal.
    assert_eq!(server.client().get("/readyz").error(503)["message"], "the daemon is stopping");
    server.client().get("/livez").data(200);
    assert_eq!(server.client().get(&format!("/api/v1/jobs/{old}")).data(200)["state"], "done");
    let ws = json!({"workspace": "ws"});
    for path in ["/api/v1/jobs", "/submit", "/score", "/api/v1/scorers/test"] {
        let refused = server.client().post(path, &ws);
        assert_eq!(refused.error(503)["retryable"], true, "{path}");
        assert!(refused.header("retry-after").is_some(), "{path}");
    }
    sandbox.write("go", "");
    assert_eq!(server.end(), 0);
    assert_eq!(score.join().unwrap()["metrics"]["rows"], 3.0);
}
