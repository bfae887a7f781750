//! The life of a job, as clients of the daemon see it.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::process::Command;

use autoscorer_tests::{Event, Sandbox, Server, eventually, forget_events, versioned};
use serde_json::{Value, json};

#[test]
fn a_job_is_accepted_scored_and_answered_with_what_its_file_says() {
    let sandbox = Sandbox::new();
    let workspace = sandbox.workspace("ws", "classification_f1");
    let server = Server::start(&sandbox, &[]);
    let mut client = server.client();
    let accepted = client.post("/api/v1/jobs", &json!({"workspace": "ws"}));
    let data = accepted.data(202);
    let location = accepted.header("location").unwrap().to_owned();
    assert_eq!(location, data["location"]);
    assert_eq!(data["created"], true);
    let job = server.wait(&mut client, data["id"].as_str().unwrap(), &["done", "failed"]);
    assert_eq!((&job["state"], &job["attempts"]), (&json!("done"), &json!(1)), "{job:#}");
    let mut result = client.get(&format!("{location}/result")).data(200);
    let mut file: Value = serde_json::from_slice(&fs::read(workspace.join("output/result.json")).unwrap()).unwrap();
    // The time to write the file cannot be in it.
    for one in [&mut result, &mut file] {
        assert!(one["timing"]["total_time"].take().is_f64());
    }
    assert_eq!(result, file);
    assert_eq!(job["score"], file["summary"]["score"]);
}

/// A daemon with the good scorer, and a workspace for it.
fn with_good(sandbox: &Sandbox, flags: &[&str]) -> Server {
    sandbox.drop_bytes(&versioned(1), "good.so");
    sandbox.workspace("ws", "good");
    Server::start(sandbox, flags)
}

/// A job that announces itself and waits for the file `go`.
fn waiting(sandbox: &Sandbox, workspace: &str) -> Value {
    let begun = sandbox.workspace(workspace, "good").join("output/begun");
    json!({"workspace": workspace, "params": {"wait_for": sandbox.path().join("go"), "announce": begun}})
}

fn begun(sandbox: &Sandbox, workspace: &str) {
    let file = sandbox.path().join(workspace).join("output/begun");
    eventually("the job has begun", || file.exists().then_some(()));
}

fn go(sandbox: &Sandbox) {
    sandbox.write("go", "");
}

#[test]
fn artifacts_come_whole_in_part_or_not_at_all() {
    let sandbox = Sandbox::new();
    let server = with_good(&sandbox, &[]);
    let mut client = server.client();
    let id = server.submit(&mut client, "ws");
    assert_eq!(server.wait(&mut client, &id, &["done", "failed"])["scored_by"], "good@7.7.0001");
    let list = client.get(&format!("/api/v1/jobs/{id}/artifacts")).data(200);
    let artifact = &list["artifacts"]["rows.txt"];
    let path = format!("/api/v1/jobs/{id}/artifacts/rows.txt");
    let whole = client.get(&path);
    let etag = format!("\"{}\"", artifact["sha256"].as_str().unwrap());
    assert_eq!((whole.status, whole.text(), whole.header("etag")), (200, "3", Some(etag.as_str())));
    assert_eq!(whole.header("content-type"), Some("text/plain"));
    let known = client.request("GET", &path, &[("if-none-match", &etag)], "");
    assert_eq!((known.status, known.body.len()), (304, 0));
    let part = client.request("GET", &path, &[("range", "bytes=0-0")], "");
    assert_eq!((part.status, part.text(), part.header("content-range")), (206, "3", Some("bytes 0-0/1")));
    let beyond = client.request("GET", &path, &[("range", "bytes=7-")], "");
    assert_eq!(beyond.error(416)["code"], "RANGE_NOT_SATISFIABLE");
    assert_eq!(beyond.header("content-range"), Some("bytes */1"));
    client.get(&format!("/api/v1/jobs/{id}/artifacts/none")).error(404);
    client.get(&format!("/api/v1/jobs/{id}/artifacts/..%2fresult.json")).error(404);
    sandbox.write("ws/output/artifacts/rows.txt", "4");
    assert_eq!(client.get(&path).error(410)["code"], "GONE");
    // A pipe in its place would let a reader wait for ever.
    let file = sandbox.path().join("ws/output/artifacts/rows.txt");
    fs::remove_file(&file).unwrap();
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    assert_eq!(client.get(&path).error(410)["code"], "GONE");
}

#[test]
fn what_the_scorer_says_is_in_the_log_of_its_job() {
    let sandbox = Sandbox::new();
    let server = with_good(&sandbox, &[]);
    let mut client = server.client();
    let id = server.submit(&mut client, "ws");
    server.wait(&mut client, &id, &["done"]);
    let log = client.get(&format!("/api/v1/jobs/{id}/logs")).data(200);
    assert_eq!((&log["id"], &log["lines"][0]["message"]), (&json!(id), &json!("counted")), "{log:#}");
    assert_eq!(client.get(&format!("/logs?task_id={id}")).data(200), log);
    assert_eq!(client.get(&format!("/tasks/{id}")).data(200)["state"], "done");
    assert_eq!(client.get(&format!("/result?task_id={id}")).data(200)["metrics"]["rows"], 3.0);
    // A line that is being written may be cut within a character.
    let file = OpenOptions::new().append(true).open(sandbox.path().join(format!("data/jobs/{id}/log.jsonl")));
    file.unwrap().write_all(b"{\"message\": \"\xe2\x82").unwrap();
    assert_eq!(client.get(&format!("/api/v1/jobs/{id}/logs")).data(200), log);
    client.get("/result").error(400);
    client.get("/result?task_id=nobody").error(404);
}

#[test]
fn jobs_are_listed_page_by_page_and_by_what_they_are() {
    let sandbox = Sandbox::new();
    let server = with_good(&sandbox, &["--runners", "1"]);
    let mut client = server.client();
    let ids: Vec<String> = (0..5).map(|_| server.submit(&mut client, "ws")).collect();
    let broken = server.submit_with(&mut client, json!({"workspace": "ws", "scorer": "nobody"}));
    for id in ids.iter().chain([&broken]) {
        server.wait(&mut client, id, &["done", "failed"]);
    }
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = client.get(&format!("/api/v1/jobs?limit=2{cursor}")).data(200);
        seen.extend(page["jobs"].as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap().to_owned()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    let expected: Vec<String> = ids.iter().chain([&broken]).rev().cloned().collect();
    assert_eq!(seen, expected);
    let mut count =
        |query: &str| client.get(&format!("/api/v1/jobs?{query}")).data(200)["jobs"].as_array().unwrap().len();
    assert_eq!((count("state=done"), count("state=failed"), count("state=queued")), (5, 1, 0));
    assert_eq!((count("scorer=good"), count("scorer=good&state=failed"), count("scorer=other")), (5, 0, 0));
    assert_eq!((count("submitter=anonymous"), count("submitter=somebody")), (6, 0));
    for wrong in ["limit=0", "limit=501", "limit=x", "state=odd", "cursor=x", "unknown=1"] {
        client.get(&format!("/api/v1/jobs?{wrong}")).error(400);
    }
}

#[test]
fn a_batch_is_accepted_as_a_whole_or_not_at_all() {
    let sandbox = Sandbox::new();
    let server = with_good(&sandbox, &["--queue-limit", "3", "--runners", "1"]);
    let mut client = server.client();
    let bad = json!({"jobs": [{"workspace": "ws"}, {"workspace": "nowhere"}]});
    client.post("/api/v1/jobs/batch", &bad).error(404);
    let many = json!({"jobs": vec![json!({"workspace": "ws"}); 5]});
    assert_eq!(client.post("/api/v1/jobs/batch", &many).error(429)["code"], "QUEUE_FULL");
    assert_eq!(client.get("/api/v1/jobs").data(200)["jobs"], json!([]));
    let three = json!({"jobs": vec![json!({"workspace": "ws"}); 3]});
    let keyed = [("content-type", "application/json"), ("idempotency-key", "all-three")];
    let first = client.request("POST", "/api/v1/jobs/batch", &keyed, three.to_string()).data(202);
    let again = client.request("POST", "/api/v1/jobs/batch", &keyed, three.to_string()).data(202);
    let ids = |batch: &Value| batch["jobs"].as_array().unwrap().iter().map(|job| job["id"].clone()).collect::<Vec<_>>();
    assert_eq!((ids(&first).len(), ids(&first)), (3, ids(&again)));
    client.post("/api/v1/jobs/batch", &json!({"jobs": []})).error(422);
    for id in ids(&first) {
        server.wait(&mut client, id.as_str().unwrap(), &["done"]);
    }
}

#[test]
fn a_repeated_request_is_the_same_job_even_after_a_kill() {
    let sandbox = Sandbox::new();
    let mut server = with_good(&sandbox, &[]);
    let mut client = server.client();
    let keyed = [("content-type", "application/json"), ("idempotency-key", "k1")];
    let job = json!({"workspace": "ws"}).to_string();
    let first = client.request("POST", "/api/v1/jobs", &keyed, &job).data(202);
    server.kill();
    server.restart(&sandbox);
    let mut client = server.client();
    let again = client.request("POST", "/api/v1/jobs", &keyed, &job).data(200);
    assert_eq!((&again["id"], &again["created"]), (&first["id"], &json!(false)));
    let other = json!({"workspace": "ws", "priority": 1}).to_string();
    assert_eq!(client.request("POST", "/api/v1/jobs", &keyed, other).error(422)["code"], "KEY_REUSED");
    client.request("POST", "/api/v1/jobs", &[keyed[0], ("idempotency-key", "a b")], &job).error(400);
    server.wait(&mut client, first["id"].as_str().unwrap(), &["done"]);
    assert_eq!(client.get("/api/v1/jobs").data(200)["jobs"].as_array().unwrap().len(), 1);
}

#[test]
fn jobs_are_cancelled_while_they_wait_and_while_they_run_and_run_again_when_asked() {
    let sandbox = Sandbox::new();
    sandbox.drop_library("misbehaving_sinner", "sinner.so");
    sandbox.workspace("endless", "sin_sleep");
    let server = with_good(&sandbox, &["--runners", "1"]);
    let mut client = server.client();
    let running = server.submit(&mut client, "endless");
    server.wait(&mut client, &running, &["running"]);
    let queued = server.submit(&mut client, "ws");
    let mut change = |id: &str, what: &str| client.request("POST", &format!("/api/v1/jobs/{id}/{what}"), &[], "");
    assert_eq!(change(&queued, "cancel").data(200)["state"], "cancelled");
    assert_eq!(change(&queued, "cancel").error(409)["code"], "CONFLICT");
    change(&running, "requeue").error(409);
    assert_eq!(change(&running, "cancel").data(200)["cancelling"], true);
    change("nobody", "cancel").error(404);
    let job = server.wait(&mut client, &running, &["cancelled", "failed", "done"]);
    assert_eq!(job["state"], "cancelled", "{job:#}");
    client.get(&format!("/api/v1/jobs/{running}/result")).error(409);
    let again = client.request("POST", &format!("/api/v1/jobs/{queued}/requeue"), &[], "").data(200);
    assert_eq!((&again["state"], &again["finished"]), (&json!("queued"), &Value::Null));
    assert_eq!(server.wait(&mut client, &queued, &["done", "failed"])["state"], "done");
}

#[test]
fn jobs_of_one_workspace_leave_the_other_runners_to_other_jobs() {
    let sandbox = Sandbox::new();
    let job = waiting(&sandbox, "slow");
    let server = with_good(&sandbox, &["--runners", "2"]);
    let mut client = server.client();
    let slow: Vec<String> = (0..3).map(|_| server.submit_with(&mut client, job.clone())).collect();
    begun(&sandbox, "slow");
    let other = server.submit(&mut client, "ws");
    assert_eq!(server.wait(&mut client, &other, &["done", "failed"])["state"], "done");
    assert_eq!(server.wait(&mut client, &slow[1], &["queued", "running"])["state"], "queued");
    go(&sandbox);
    for id in &slow {
        assert_eq!(server.wait(&mut client, id, &["done", "failed"])["state"], "done");
    }
}

#[test]
fn a_job_that_waits_for_a_free_worker_can_be_cancelled() {
    let sandbox = Sandbox::new();
    let job = waiting(&sandbox, "slow");
    let server = with_good(&sandbox, &["--runners", "2", "--max-workers", "1"]);
    let mut client = server.client();
    let busy = server.submit_with(&mut client, job);
    begun(&sandbox, "slow");
    let waits = server.submit(&mut client, "ws");
    server.wait(&mut client, &waits, &["running"]);
    client.request("POST", &format!("/api/v1/jobs/{waits}/cancel"), &[], "").data(200);
    assert_eq!(server.wait(&mut client, &waits, &["cancelled", "failed", "done"])["state"], "cancelled");
    go(&sandbox);
    assert_eq!(server.wait(&mut client, &busy, &["done", "failed"])["state"], "done");
}

#[test]
fn a_full_queue_says_so_and_when_to_come_back() {
    let sandbox = Sandbox::new();
    let job = waiting(&sandbox, "slow");
    let server = with_good(&sandbox, &["--runners", "1", "--queue-limit", "2"]);
    let mut client = server.client();
    server.submit_with(&mut client, job);
    begun(&sandbox, "slow");
    let ids = [server.submit(&mut client, "ws"), server.submit(&mut client, "ws")];
    let full = client.post("/submit", &json!({"workspace": "ws"}));
    let error = full.error(429);
    assert_eq!((&error["code"], &error["retryable"]), (&json!("QUEUE_FULL"), &json!(true)));
    assert!(full.header("retry-after").unwrap().parse::<u32>().unwrap() > 0);
    go(&sandbox);
    for id in &ids {
        server.wait(&mut client, id, &["done"]);
    }
    server.submit(&mut client, "ws");
}

#[test]
fn urgent_jobs_go_first_and_nobody_waits_behind_all_of_somebody_elses() {
    let sandbox = Sandbox::new();
    let job = waiting(&sandbox, "slow");
    let [ann, bob] = ["ann", "bob"].map(|name| Server::token(&sandbox, name, "submit"));
    let server = with_good(&sandbox, &["--runners", "1"]);
    let (mut ann, mut bob) = (server.client().with_token(&ann), server.client().with_token(&bob));
    server.submit_with(&mut ann, job);
    begun(&sandbox, "slow");
    let of_ann: Vec<String> = (0..3).map(|_| server.submit(&mut ann, "ws")).collect();
    let of_bob = server.submit(&mut bob, "ws");
    let urgent = server.submit_with(&mut ann, json!({"workspace": "ws", "priority": 5}));
    let mut events = ann.events("/api/v1/events?topic=jobs", None);
    go(&sandbox);
    let mut order = Vec::new();
    while order.len() < 5 {
        let event = events.wait("a job begins", |event| event.kind == "job.running");
        order.push(event.data["job"].as_str().unwrap().to_owned());
    }
    assert_eq!(order, [&urgent, &of_bob, &of_ann[0], &of_ann[1], &of_ann[2]].map(String::clone));
    bob.request("POST", &format!("/api/v1/jobs/{}/requeue", of_ann[0]), &[], "").error(403);
}

#[test]
fn who_comes_back_with_the_last_event_misses_none_even_over_a_restart() {
    let sandbox = Sandbox::new();
    let mut server = with_good(&sandbox, &[]);
    let mut client = server.client();
    let mut events = client.events("/api/v1/events?topic=jobs", None);
    let first = server.submit(&mut client, "ws");
    let of = |id: &str, kind: &str, event: &Event| event.kind == kind && event.data["job"] == id;
    let last = events.wait("queued", |event| of(&first, "job.queued", event)).id;
    server.wait(&mut client, &first, &["done"]);
    let second = server.submit(&mut client, "ws");
    server.wait(&mut client, &second, &["done"]);
    server.kill();
    server.restart(&sandbox);
    let mut again = server.client().events("/api/v1/events?topic=jobs", Some(last));
    let seen: Vec<Event> = (0..5).map(|_| again.next().unwrap()).collect();
    let kinds: Vec<(&str, &str)> =
        seen.iter().map(|event| (event.kind.as_str(), event.data["job"].as_str().unwrap())).collect();
    let (first, second) = (first.as_str(), second.as_str());
    assert_eq!(
        kinds,
        [
            ("job.running", first),
            ("job.done", first),
            ("job.queued", second),
            ("job.running", second),
            ("job.done", second),
        ]
    );
    assert!(seen.windows(2).all(|pair| pair[0].id < pair[1].id) && seen[0].id > last);
    server.client().request("GET", "/api/v1/events", &[("last-event-id", "x")], "").error(400);
    server.client().get("/api/v1/events?topic=odd").error(400);
    // A daemon that ends, ends its streams.
    assert_eq!(server.terminate(), 0);
    assert_eq!(again.next(), None);
}

#[test]
fn parameters_are_bounded_and_not_in_lists() {
    let sandbox = Sandbox::new();
    let server = with_good(&sandbox, &[]);
    let mut client = server.client();
    let with = |size: usize| json!({"workspace": "ws", "params": {"announce": "x".repeat(size)}});
    for (path, body) in [
        ("/api/v1/jobs", with(65_536)),
        ("/submit", with(65_536)),
        ("/api/v1/jobs/batch", json!({"jobs": [with(1), with(65_536)]})),
    ] {
        let error = client.post(path, &body).error(422);
        assert!(error["message"].as_str().unwrap().contains("at most 65536 bytes"), "{path}: {error:#}");
    }
    assert_eq!(client.get("/api/v1/jobs").data(200)["jobs"], json!([]));
    let id = server.submit_with(&mut client, with(1000));
    let job = server.wait(&mut client, &id, &["done", "failed"]);
    assert_eq!(job["params"]["announce"].as_str().unwrap().len(), 1000);
    let listed = client.get("/api/v1/jobs");
    assert_eq!((&listed.data(200)["jobs"][0]["id"], listed.text().contains("announce")), (&json!(id), false));
}

#[test]
fn a_key_stands_for_one_request_as_a_whole() {
    let sandbox = Sandbox::new();
    let server = with_good(&sandbox, &[]);
    let mut client = server.client();
    let mut send = |path: &str, key: &str, body: &Value| {
        client.request(
            "POST",
            path,
            &[("content-type", "application/json"), ("idempotency-key", key)],
            body.to_string(),
        )
    };
    let (one, other) = (json!({"workspace": "ws"}), json!({"workspace": "ws", "priority": 1}));
    let batch = "/api/v1/jobs/batch";
    let first = send(batch, "bk", &json!({"jobs": [one, one]})).data(202);
    for changed in [json!({"jobs": [one]}), json!({"jobs": [one, other]}), json!({"jobs": [one, one, other]})] {
        assert_eq!(send(batch, "bk", &changed).error(422)["code"], "KEY_REUSED", "{changed}");
    }
    let single = send("/api/v1/jobs", "bk/0", &one).data(202);
    assert_eq!(single["created"], true);
    // What was accepted stays so, whatever has become of the workspace.
    for id in [&first["jobs"][0]["id"], &first["jobs"][1]["id"], &single["id"]] {
        server.wait(&mut server.client(), id.as_str().unwrap(), &["done"]);
    }
    fs::remove_dir_all(sandbox.path().join("ws")).unwrap();
    let again = send(batch, "bk", &json!({"jobs": [one, one]})).data(202);
    assert_eq!((&again["jobs"][1]["id"], &again["jobs"][1]["created"]), (&first["jobs"][1]["id"], &json!(false)));
    assert_eq!(send("/api/v1/jobs", "bk/0", &one).data(200)["id"], single["id"]);
    assert_eq!(send("/api/v1/jobs", "bk/0", &other).error(422)["code"], "KEY_REUSED");
    assert_eq!(send("/api/v1/jobs", "new", &one).error(404)["code"], "WORKSPACE_NOT_FOUND");
}

#[test]
fn who_comes_back_too_late_is_told_what_is_missing() {
    let sandbox = Sandbox::new();
    let server = with_good(&sandbox, &[]);
    let mut client = server.client();
    let old = server.submit(&mut client, "ws");
    server.wait(&mut client, &old, &["done"]);
    let all: Vec<Event> = client.events("/api/v1/events?follow=false", Some(0)).collect();
    assert!(all.iter().all(|event| event.kind != "gap") && all.len() >= 3, "{all:?}");
    let last = all.last().unwrap().id;
    forget_events(&sandbox);
    let missed: Vec<Event> = client.events("/api/v1/events?follow=false&topic=jobs", Some(1)).collect();
    assert_eq!(missed.iter().map(|event| (event.kind.as_str(), event.id)).collect::<Vec<_>>(), [("gap", last)]);
    assert_eq!(missed[0].data["data"]["missing"], last - 1);
    for seen in [0, last] {
        assert_eq!(client.events("/api/v1/events?follow=false", Some(seen)).count(), 0, "after {seen}");
    }
    let mut news = Vec::new();
    // One that is yet to come was told of by a queue that is gone: what was missed since is not known.
    let ahead = client.events("/api/v1/events", Some(last + 1000));
    for (mut events, missing) in [(ahead, json!(null)), (client.events("/api/v1/events", Some(last - 1)), json!(1))] {
        let gap = events.next().unwrap();
        assert_eq!((gap.kind.as_str(), gap.id, &gap.data["data"]["missing"]), ("gap", last, &missing));
        news.push(events);
    }
    server.submit(&mut client, "ws");
    for mut events in news {
        assert_eq!(events.next().unwrap().kind, "job.queued");
    }
}
