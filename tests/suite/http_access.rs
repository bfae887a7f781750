//! Nobody gets in: every route that needs a token refuses whoever has none, or one that allows too little.

use autoscorer_tests::{Client, Sandbox, Server, eventually};
use serde_json::{Value, json};

/// Every operation of the document: method, path with its blanks filled, and the scope it needs.
fn operations(client: &mut Client) -> Vec<(String, String, Option<String>)> {
    let document: Value = client.get("/openapi.json").json();
    let mut found = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let filled = path.replace("{id}", "01890000-0000-7000-8000-000000000000").replace("{name}", "x");
        for (method, operation) in methods.as_object().unwrap() {
            let scope = operation["security"][0]["token"][0].as_str().map(str::to_owned);
            found.push((method.to_uppercase(), filled.clone(), scope));
        }
    }
    found
}

#[test]
fn every_route_asks_for_its_scope() {
    let sandbox = Sandbox::new();
    let tokens = ["read", "submit", "admin"].map(|scope| (scope, Server::token(&sandbox, scope, scope)));
    let server = Server::start(&sandbox, &[]);
    let mut client = server.client();
    let operations = operations(&mut client);
    assert!(operations.len() > 35, "{operations:?}");
    let scopes = ["read", "submit", "admin"];
    for (method, path, scope) in &operations {
        let json = [("content-type", "application/json")];
        let without = client.request(method, path, &json, "{}");
        let Some(scope) = scope else {
            assert_eq!(without.status, 200, "{method} {path}");
            continue;
        };
        assert_eq!(without.error(401)["code"], "UNAUTHORIZED", "{method} {path}");
        assert!(without.header("www-authenticate").is_some());
        let wrong = [json[0], ("authorization", "Bearer as_0000")];
        assert_eq!(client.request(method, path, &wrong, "{}").error(401)["code"], "UNAUTHORIZED");
        let needed = scopes.iter().position(|one| one == scope).unwrap();
        for (rank, (name, token)) in tokens.iter().enumerate() {
            if path.contains("/events") && rank >= needed {
                continue;
            }
            let bearer = format!("Bearer {token}");
            let answer = client.request(method, path, &[json[0], ("authorization", &bearer)], "{}");
            if rank < needed {
                assert_eq!(answer.error(403)["code"], "FORBIDDEN", "{method} {path} with {name}");
            } else {
                assert!(![401, 403].contains(&answer.status), "{method} {path} with {name}: {}", answer.status);
            }
        }
    }
    let (log, list) = (server.log(), sandbox.run(&["tokens", "list", "--data", "data"]).stdout);
    assert!(tokens.iter().all(|(_, token)| !log.contains(token) && !list.contains(token)), "a token is shown");
}

#[test]
fn an_address_for_everybody_needs_tokens_or_the_word_for_it() {
    let sandbox = Sandbox::new();
    let refused = sandbox.run(&["serve", "--bind", "0.0.0.0:0", "--data", "data"]);
    assert_eq!(refused.code, 2, "{}", refused.stderr);
    assert!(
        refused.stderr.contains("no loopback address") && refused.stderr.contains("tokens add"),
        "{}",
        refused.stderr
    );
}

#[test]
fn taking_the_last_token_out_opens_the_door_to_nobody() {
    let sandbox = Sandbox::new();
    let token = Server::token(&sandbox, "ci", "submit");
    let mut server = Server::start(&sandbox, &[]);
    server.client().get("/api/v1/jobs").error(401);
    assert_eq!(sandbox.run(&["tokens", "remove", "ci", "--data", "data"]).code, 0);
    server.signal("HUP");
    let mut client = server.client().with_token(&token);
    eventually("the token is forgotten", || (client.get("/api/v1/jobs").status == 401).then_some(()));
    server.client().get("/api/v1/jobs").error(401);
    server.kill();
    server.restart(&sandbox);
    server.client().get("/api/v1/jobs").error(401);
    // Nor does a file that has vanished.
    std::fs::remove_file(sandbox.path().join("data/tokens.json")).unwrap();
    server.signal("HUP");
    eventually("the file is missed", || server.log().contains("are gone").then_some(()));
    server.client().get("/api/v1/jobs").error(401);
    for name in ["anonymous", "", "two\nlines"] {
        let refused = sandbox.run(&["tokens", "add", name, "--data", "data"]);
        assert_eq!(refused.code, 2, "{name:?}: {}", refused.stderr);
    }
}

#[test]
fn tokens_that_are_made_at_the_same_time_are_all_kept() {
    let sandbox = Sandbox::new();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let sandbox = &sandbox;
            scope.spawn(move || Server::token(sandbox, &format!("ci-{number}"), "read"));
        }
    });
    let list = sandbox.run(&["tokens", "list", "--data", "data", "--json"]).json();
    assert_eq!(list["data"]["tokens"].as_array().unwrap().len(), 8, "{list:#}");
}

#[test]
fn the_daemons_own_folder_is_no_workspace_even_below_the_root() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    let server = Server::start(&sandbox, &[]);
    let mut client = server.client();
    let packed = std::process::Command::new("tar").arg("-c").arg("-C").arg(sandbox.path().join("ws")).arg(".").output();
    let tar = [("content-type", "application/x-tar")];
    let job = client.request("POST", "/api/v1/jobs", &tar, packed.unwrap().stdout).data(202);
    let id = job["id"].as_str().unwrap();
    server.wait(&mut client, id, &["done"]);
    std::fs::create_dir(sandbox.path().join("thief")).unwrap();
    let upload = sandbox.path().join(format!("data/jobs/{id}/workspace"));
    assert!(upload.is_dir());
    std::os::unix::fs::symlink(upload.join("input"), sandbox.path().join("thief/input")).unwrap();
    for workspace in ["data", "thief", &format!("data/jobs/{id}/workspace")] {
        let asked = json!({"workspace": workspace, "scorer": "classification_f1"});
        assert_eq!(client.post("/score", &asked).error(404)["code"], "WORKSPACE_NOT_FOUND", "{workspace}");
        client.post("/api/v1/jobs", &asked).error(404);
    }
    client.get(&format!("/api/v1/jobs/{id}/result")).data(200);
}

#[test]
fn other_names_and_other_pages_are_refused() {
    let sandbox = Sandbox::new();
    let server =
        Server::start(&sandbox, &["--allow-host", "scores.example", "--allow-origin", "https://board.example"]);
    let mut client = server.client();
    for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", ""] {
        assert_eq!(client.request("GET", "/healthz", &[("host", host)], "").status, 421, "{host}");
    }
    for host in ["localhost", "LOCALHOST:1", "127.0.0.1:9", "[::1]:9", "scores.example"] {
        assert_eq!(client.request("GET", "/healthz", &[("host", host)], "").status, 200, "{host}");
    }
    let from = |client: &mut Client, origin: &str| client.request("GET", "/healthz", &[("origin", origin)], "").status;
    assert_eq!(from(&mut client, "http://evil.example"), 403);
    assert_eq!(from(&mut client, "null"), 403);
    assert_eq!(from(&mut client, "https://board.example"), 200);
    assert_eq!(from(&mut client, &format!("http://{}", server.address)), 200);
}

#[test]
fn paths_that_lead_out_are_refused_wherever_they_are_named() {
    let sandbox = Sandbox::new();
    sandbox.workspace("root/ws", "classification_f1");
    sandbox.workspace("secret", "classification_f1");
    std::os::unix::fs::symlink(sandbox.path().join("secret"), sandbox.path().join("root/link")).unwrap();
    let server = Server::start(&sandbox, &["--root", "root"]);
    let mut client = server.client();
    let absolute = sandbox.path().join("secret").display().to_string();
    for workspace in ["../secret", "ws/../../secret", "link", &absolute, "/etc", "ws\r\nx: y", "ws\u{0}", ""] {
        for path in ["/score", "/submit", "/api/v1/score", "/api/v1/jobs", "/scorers/test"] {
            let error = client.post(path, &json!({"workspace": workspace})).error(404);
            assert_eq!(error["code"], "WORKSPACE_NOT_FOUND", "{path} {workspace:?}");
        }
    }
    for id in ["..", "%2e%2e%2fqueue.sqlite", "a%0d%0ab", "x"] {
        client.get(&format!("/api/v1/jobs/{id}/logs")).error(404);
    }
    client.post("/score", &json!({"workspace": "ws"})).data(200);
}

#[test]
fn what_is_too_large_or_too_slow_ends_alone() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    let server = Server::start(&sandbox, &["--client-timeout", "0.3", "--max-upload", "1Mi"]);
    let mut client = server.client();
    let large = format!("{{\"workspace\": \"{}\"}}", "x".repeat(5 << 20));
    assert_eq!(server.client().request("POST", "/score", &[("content-type", "application/json")], large).status, 413);
    let upload = vec![0; 2 << 20];
    let tar = [("content-type", "application/x-tar")];
    assert_eq!(server.client().request("POST", "/api/v1/jobs", &tar, upload).status, 413);
    let head = format!("GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "x".repeat(1 << 20));
    let answer = String::from_utf8_lossy(&client.raw(head.as_bytes())).into_owned();
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431"), "{answer}");
    // A head that never ends, and a body that never comes: both connections end, and others are served meanwhile.
    assert!(!client.raw(b"GET /healthz HTTP/1.1\r\nhost: loc").starts_with(b"HTTP/1.1 200"));
    let started =
        b"POST /score HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    let answer = String::from_utf8_lossy(&client.raw(started)).into_owned();
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    client.post("/score", &json!({"workspace": "ws"})).data(200);
}
