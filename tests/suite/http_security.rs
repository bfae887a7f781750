//! Attacks on the connection and on what is shown: smuggled requests, made-up headers and methods, clients that hold on, secrets.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use autoscorer_tests::{Client, Sandbox, Server, archive, eventually};
use serde_json::json;

/// The answer to bytes as they are.
fn raw(server: &Server, request: &str) -> String {
    String::from_utf8_lossy(&server.client().raw(request.as_bytes())).into_owned()
}

fn is_refused(answer: &str) -> bool {
    answer.is_empty() || answer.starts_with("HTTP/1.1 4")
}

/// Sends a head at once and then a byte at a time, for ever; gives what comes back.
fn trickle(server: &Server, head: &str, byte: u8) -> String {
    let connection = server.client().connect().unwrap().into_inner();
    let mut writing = connection.try_clone().unwrap();
    writing.write_all(head.as_bytes()).unwrap();
    // It ends when the server has closed the connection.
    let writer = thread::spawn(move || while drip(&mut writing, byte) {});
    let (mut connection, mut answer) = (connection, Vec::new());
    _ = connection.read_to_end(&mut answer);
    drop(connection);
    writer.join().unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn drip(connection: &mut TcpStream, byte: u8) -> bool {
    thread::park_timeout(Duration::from_millis(50));
    connection.write_all(&[byte]).is_ok()
}

#[test]
fn a_header_that_decides_is_there_once() {
    let server = Server::start(&Sandbox::new(), &[]);
    for name in ["host", "origin", "authorization", "content-type", "idempotency-key", "last-event-id"] {
        let answer = server.client().request("GET", "/api/v1/jobs", &[(name, "localhost"), (name, "b")], "");
        let error = answer.error(400);
        assert_eq!(error["message"], format!("the request has the header '{name}' twice"));
    }
}

#[test]
fn a_body_that_is_said_to_be_too_large_is_refused_before_it_is_sent() {
    let server = Server::start(&Sandbox::new(), &["--max-upload", "1Mi"]);
    for (kind, length) in
        [("application/zip", 2 << 20), ("multipart/form-data; boundary=x", 20 << 20), ("application/json", 5 << 20)]
    {
        let head = format!(
            "expect: 100-continue\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n"
        );
        let answer = raw(&server, &format!("POST /api/v1/jobs HTTP/1.1\r\nhost: localhost\r\n{head}\r\n"));
        assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("PAYLOAD_TOO_LARGE"), "{kind}: {answer}");
    }
}

#[test]
fn what_is_no_http_ends_its_connection_and_stands_in_the_log() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let long = format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "a".repeat(70_000));
    let many = format!("GET / HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "a: b\r\n".repeat(101));
    for (request, status) in [("no HTTP\r\n\r\n", 400), (long.as_str(), 414), (many.as_str(), 431)] {
        let answer = raw(&server, request);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    }
    eventually("the log says so", || (server.log().matches("what was sent is no HTTP").count() == 3).then_some(()));
}

#[test]
fn a_request_that_can_be_read_in_two_ways_is_refused() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let post = |headers: &str, body: &str| {
        format!("POST /score HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{headers}\r\n{body}")
    };
    let hidden = "0\r\n\r\nGET /openapi.json HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    for (headers, body) in [
        ("content-length: 2\r\ncontent-length: 3\r\n", "{} "),
        ("content-length: 2, 3\r\n", "{} "),
        ("content-length: +2\r\n", "{}"),
        ("content-length: -1\r\n", "{}"),
        ("content-length: 0x2\r\n", "{}"),
        ("content-length: 99999999999999999999\r\n", "{}"),
        ("transfer-encoding: xchunked\r\n", hidden),
        ("transfer-encoding: chunked, identity\r\n", hidden),
        ("transfer-encoding : chunked\r\n", hidden),
        ("transfer-encoding: chunked\r\n", "zz\r\n{}\r\n0\r\n\r\n"),
        ("transfer-encoding: chunked\r\n", "-2\r\n{}\r\n0\r\n\r\n"),
    ] {
        let answer = raw(&server, &post(headers, body));
        assert!(is_refused(&answer) && !answer.contains("\"openapi\""), "{headers:?}: {answer}");
    }
    // Of two lengths, one is in vain; what one reader takes for the body and another for a request is neither.
    for both in
        ["content-length: 4\r\ntransfer-encoding: chunked\r\n", "transfer-encoding: chunked\r\ncontent-length: 4\r\n"]
    {
        let answer = raw(&server, &post(both, hidden));
        assert!(is_refused(&answer) && answer.matches("HTTP/1.1 ").count() == 1, "{both:?}: {answer}");
        assert!(!answer.contains("\"openapi\""), "{both:?}: {answer}");
    }
    for host in ["host: localhost\r\nhost: evil.example", "host: localhost\r\norigin: null\r\norigin: http://localhost"]
    {
        let answer = raw(&server, &format!("GET /healthz HTTP/1.1\r\n{host}\r\nconnection: close\r\n\r\n"));
        assert!(answer.starts_with("HTTP/1.1 400"), "{host:?}: {answer}");
    }
    server.client().get("/healthz").data(200);
}

#[test]
fn line_ends_in_names_and_values_add_no_header() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let get = |rest: &str| format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{rest}\r\n\r\n");
    for odd in ["x: a\rb", "x\r: a", "x y: a", ": a", "x", "x: a\0b", " folded: a", "x\u{e9}: a"] {
        let answer = raw(&server, &get(odd));
        assert!(is_refused(&answer), "{odd:?}: {answer}");
    }
    for odd in ["GET /a b HTTP/1.1", "GET /\r HTTP/1.1", "GET / HTTP/1.1 x", "G\u{1b}T / HTTP/1.1", "GET / HTTP/9.9"] {
        let answer = raw(&server, &format!("{odd}\r\nhost: localhost\r\nconnection: close\r\n\r\n"));
        assert!(is_refused(&answer), "{odd:?}: {answer}");
    }
    let mut client = server.client();
    for id in ["a%0d%0ainjected:%20yes", "%00", "%ff%fe", "..%2f..%2ftokens.json", "{}"] {
        for path in
            ["/api/v1/jobs/ID", "/api/v1/jobs/ID/artifacts/x", "/tasks/ID", "/result?task_id=ID", "/logs?task_id=ID"]
        {
            let answer = client.get(&path.replace("ID", id));
            assert!(matches!(answer.status, 400 | 404), "{path} {id}: {answer:?}");
            assert!(answer.header("injected").is_none() && answer.body.iter().all(|&byte| byte >= b' '), "{path} {id}");
        }
    }
    // What a client calls its request is not written anywhere unless it is a word.
    let named = client.request("GET", "/healthz", &[("x-request-id", "a\tb c\"}")], "");
    assert!(!named.header("x-request-id").unwrap().contains('\t'));
    assert!(!server.log().contains("injected: yes"));
}

#[test]
fn heads_with_too_much_in_them_end_alone() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let many: String = (0..2000).map(|number| format!("x{number}: y\r\n")).collect();
    let answer = raw(&server, &format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\n{many}\r\n"));
    assert!(is_refused(&answer), "{answer}");
    let long = "x".repeat(1 << 20);
    let answer = raw(&server, &format!("GET /{long} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
    assert!(is_refused(&answer), "{}", answer.len());
    server.client().get("/healthz").data(200);
}

#[test]
fn whoever_sends_a_little_at_a_time_is_not_waited_for() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &["--client-timeout", "0.3"]);
    let head = trickle(&server, "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ", b'y');
    assert!(is_refused(&head), "{head}");
    let part = "--frontier\r\ncontent-disposition: form-data; name=";
    for (kind, start) in [
        ("application/json", "{".to_owned()),
        ("application/x-tar", String::new()),
        ("multipart/form-data; boundary=frontier", String::new()),
        ("multipart/form-data; boundary=frontier", format!("{part}\"job\"\r\n\r\n")),
        ("multipart/form-data; boundary=frontier", format!("{part}\"workspace\"\r\n\r\n")),
    ] {
        let head = format!("POST /api/v1/jobs HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\n");
        let answer = trickle(&server, &format!("{head}content-length: 1000000\r\n\r\n{start}"), b' ');
        assert!(answer.starts_with("HTTP/1.1 408"), "{kind} {start:?}: {answer}");
    }
    assert_eq!(fs::read_dir(sandbox.path().join("data/incoming")).unwrap().count(), 0);
    server.client().get("/healthz").data(200);
}

#[test]
fn one_connection_too_many_is_closed_and_a_place_that_is_free_is_given() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &["--max-connections", "2"]);
    let mut held: Vec<Client> = (0..2).map(|_| server.client()).collect();
    held.iter_mut().for_each(|client| _ = client.get("/healthz").data(200));
    assert!(server.client().try_request("GET", "/healthz", &[], "").is_err());
    held.iter_mut().for_each(|client| _ = client.get("/healthz").data(200));
    held.pop();
    eventually("there is a place again", || server.client().try_request("GET", "/healthz", &[], "").ok());
}

#[test]
fn methods_that_are_made_up_are_counted_as_one() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let mut client = server.client();
    for number in 0..50 {
        assert_eq!(client.request(&format!("FROB{number}"), "/healthz", &[], "").status, 405);
    }
    let metrics = client.get("/metrics").text().to_owned();
    assert!(!metrics.contains("FROB"), "{metrics}");
    assert!(metrics.contains(r#"method="other",route="/healthz",status="405"} 50"#), "{metrics}");
}

#[test]
fn pages_of_allowed_origins_can_ask_and_read_and_no_others() {
    let sandbox = Sandbox::new();
    let token = Server::token(&sandbox, "page", "read");
    let server = Server::start(&sandbox, &["--allow-origin", "https://board.example"]);
    let mut client = server.client();
    let asks = |origin| [("origin", origin), ("access-control-request-method", "POST")];
    let ahead = client.request("OPTIONS", "/api/v1/jobs", &asks("https://board.example"), "");
    assert_eq!((ahead.status, ahead.header("access-control-allow-origin")), (204, Some("https://board.example")));
    let allowed = ahead.header("access-control-allow-headers").unwrap().to_lowercase();
    for name in ["authorization", "content-type", "idempotency-key", "last-event-id", "range"] {
        assert!(allowed.contains(name), "{allowed}");
    }
    assert!(ahead.header("access-control-allow-methods").unwrap().contains("DELETE"));
    assert_eq!(ahead.header("vary"), Some("Origin"));
    let bearer = format!("Bearer {token}");
    for (path, status) in [("/api/v1/jobs", 200), ("/nowhere", 404)] {
        let headers = [("origin", "https://board.example"), ("authorization", bearer.as_str())];
        let answer = client.request("GET", path, &headers, "");
        assert_eq!(
            (answer.status, answer.header("access-control-allow-origin")),
            (status, Some("https://board.example"))
        );
    }
    // A page that may ask still needs a token.
    client.request("GET", "/api/v1/jobs", &[("origin", "https://board.example")], "").error(401);
    for origin in ["https://evil.example", "null", "https://board.example.evil", "http://board.example"] {
        let refused = client.request("OPTIONS", "/api/v1/jobs", &asks(origin), "");
        assert_eq!((refused.status, refused.header("access-control-allow-origin")), (403, None), "{origin}");
    }
    let own = format!("http://{}", server.address);
    let same = client.request("OPTIONS", "/api/v1/jobs", &asks(&own), "");
    assert_eq!((same.status, same.header("access-control-allow-origin")), (405, None));
}

#[test]
fn secrets_are_in_no_log_result_or_setting_and_the_data_folder_in_no_answer() {
    const SECRET: &str = "a-secret-that-signs-callbacks-and-is-long-enough";
    let sandbox = Sandbox::new();
    let token = Server::token(&sandbox, "ci", "admin");
    let server = Server::start_with(&sandbox, &[], |command| {
        command.env("AUTOSCORER_CALLBACK_SECRET", SECRET).env("AUTOSCORER_LOG", "trace")
    });
    let mut client = server.client().with_token(&token);
    let broken = archive("tar", &json!({"meta.json": r#"{"scorer": "classification_f1"}"#, "input/x": ""}));
    let tar = [("content-type", "application/x-tar")];
    let data = client.request("POST", "/api/v1/jobs?callback=https://hook.invalid/x", &tar, broken).data(202);
    let id = data["id"].as_str().unwrap().to_owned();
    server.wait(&mut client, &id, &["failed"]);
    fs::remove_dir_all(sandbox.path().join(format!("data/jobs/{id}/workspace"))).unwrap();
    client.request("POST", &format!("/api/v1/jobs/{id}/requeue"), &[], "").data(200);
    let job = server.wait(&mut client, &id, &["failed"]);
    assert_eq!(job["error"]["code"], "WORKSPACE_NOT_FOUND", "{job:#}");
    let mut said = Vec::new();
    for path in [
        format!("/api/v1/jobs/{id}"),
        format!("/api/v1/jobs/{id}/result"),
        format!("/api/v1/jobs/{id}/logs"),
        format!("/api/v1/jobs/{id}/deliveries"),
        "/api/v1/jobs".to_owned(),
        "/api/v1/scorers".to_owned(),
        "/metrics".to_owned(),
    ] {
        said.push(client.get(&path).text().to_owned());
    }
    let events: Vec<_> = client.events("/api/v1/events?follow=false", Some(0)).collect();
    said.push(format!("{events:?}"));
    let folder = sandbox.path().join("data").display().to_string();
    for text in &said {
        assert!(!text.contains(&folder), "{text}");
    }
    said.push(server.log());
    let mut show = sandbox.command(&["config", "show"]);
    let shown = show.env("AUTOSCORER_CALLBACK_SECRET", SECRET).env("AUTOSCORER_TOKEN", &token).output().unwrap();
    said.push(String::from_utf8(shown.stdout).unwrap());
    for text in &said {
        assert!(!text.contains(SECRET) && !text.contains(&token), "{text}");
    }
}
