//! The OpenAPI document against the running server: every operation, every declared status, every answer by its schema.

use std::collections::{BTreeMap, BTreeSet};

use autoscorer_tests::{
    Client, Response, Sandbox, Server, archive, assert_valid, compiled, versioned, workspace_files,
};
use serde_json::{Value, json};

const NOBODY: &str = "01890000-0000-7000-8000-000000000000";
const JSON: (&str, &str) = ("content-type", "application/json");

/// What was seen of each operation, and a client that notes it.
struct Check {
    document: Value,
    seen: BTreeMap<(String, String), BTreeSet<u16>>,
}

impl Check {
    fn operation(&self, method: &str, path: &str) -> &Value {
        &self.document["paths"][path][method.to_lowercase()]
    }

    /// Notes an answer to an operation, which has to be declared, and to be what is declared.
    fn note(&mut self, method: &str, path: &str, answer: &Response) {
        let declared = &self.operation(method, path)["responses"][answer.status.to_string()];
        assert!(declared.is_object(), "{method} {path}: {} is not declared: {}", answer.status, answer.text());
        if let Some(content) = declared["content"].as_object() {
            let (kind, media) = content.iter().next().unwrap();
            if kind == "application/json" {
                assert_valid(
                    &self.document,
                    &media["schema"],
                    &answer.json(),
                    &format!("{method} {path} {}", answer.status),
                );
            }
        }
        self.seen.entry((method.to_owned(), path.to_owned())).or_default().insert(answer.status);
    }

    /// Makes a request to an operation whose blanks are filled in.
    fn call(
        &mut self,
        client: &mut Client,
        method: &str,
        path: &str,
        fill: &[(&str, &str)],
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> Response {
        let mut filled = path.to_owned();
        let mut query = Vec::new();
        for (name, value) in fill {
            let blank = format!("{{{name}}}");
            if filled.contains(&blank) {
                filled = filled.replace(&blank, value)
            } else {
                query.push(format!("{name}={value}"))
            }
        }
        if !query.is_empty() {
            filled = format!("{filled}?{}", query.join("&"));
        }
        let answer = client.request(method, &filled, headers, body);
        self.note(method, path, &answer);
        answer
    }

    fn get(&mut self, client: &mut Client, path: &str, fill: &[(&str, &str)]) -> Response {
        self.call(client, "GET", path, fill, &[], "")
    }

    fn post(&mut self, client: &mut Client, path: &str, fill: &[(&str, &str)], body: &Value) -> Response {
        self.call(client, "POST", path, fill, &[JSON], body.to_string())
    }
}

/// 401 and 403 of everything that needs a token.
fn locked(check: &mut Check, server: &Server, read: &str, submit: &str) {
    let paths: Vec<(String, Value)> =
        check.document["paths"].as_object().unwrap().iter().map(|(path, all)| (path.clone(), all.clone())).collect();
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().unwrap() {
            let Some(scope) = operation["security"][0]["token"][0].as_str() else { continue };
            let method = method.to_uppercase();
            let fill =
                [("id", NOBODY), ("name", "x")].into_iter().filter(|(name, _)| path.contains(&format!("{{{name}}}")));
            let fill: Vec<_> = fill.collect();
            check.call(&mut server.client(), &method, &path, &fill, &[JSON], "{}");
            // Nobody's token allows less than reading, so a token without a scope stands for one.
            let small = match scope {
                "admin" => submit,
                "submit" => read,
                _ => "none",
            };
            let bearer = format!("Bearer {small}");
            if small != "none" {
                check.call(&mut server.client(), &method, &path, &fill, &[JSON, ("authorization", &bearer)], "{}");
            }
        }
    }
}

fn bodies(check: &mut Check, client: &mut Client, path: &str, good: &Value) {
    check.call(client, "POST", path, &[], &[JSON], "{");
    check.call(client, "POST", path, &[], &[("content-type", "text/plain")], good.to_string());
    check.call(client, "POST", path, &[], &[JSON], format!("\"{}\"", "x".repeat(5 << 20)));
    check.post(client, path, &[], &json!({"no_such_member": 1}));
    // The order of members is nobody's business.
    let listed: Vec<&Value> = good.as_object().unwrap().values().collect();
    assert_eq!(check.post(client, path, &[], &json!(listed)).status, 422, "{path}");
}

#[test]
fn the_document_is_what_the_server_does() {
    let sandbox = Sandbox::new();
    for (name, scorer) in [("ws", "classification_f1"), ("crash", "sin_segfault"), ("slow", "sin_sleep")] {
        sandbox.workspace(name, scorer);
    }
    sandbox.drop_library("misbehaving_sinner", "sinner.so");
    std::fs::create_dir(sandbox.path().join("new")).unwrap();
    std::fs::write(sandbox.path().join("new/good.so"), versioned(1)).unwrap();
    std::fs::write(sandbox.path().join("new/text.so"), "no library").unwrap();
    let [none, read, submit, admin] =
        ["none", "read", "submit", "admin"].map(|scope| Server::token(&sandbox, scope, scope));
    let server = Server::start(&sandbox, &["--breaker", "2"]);
    let document: Value = server.client().get("/openapi.json").json();
    let mut check = Check { document, seen: BTreeMap::new() };
    locked(&mut check, &server, &read, &submit);
    reading_needs_a_scope(&mut check, &server, &none);
    let client = &mut server.client().with_token(&admin);

    for path in ["/healthz", "/livez", "/readyz", "/metrics", "/scorers", "/api/v1/scorers"] {
        check.get(client, path, &[]);
    }
    scoring(&mut check, client);
    let id = jobs(&mut check, client, &server);
    outputs(&mut check, client, &server, &sandbox, &id);
    scorers(&mut check, client, &sandbox);
    check.get(client, "/api/v1/events", &[("topic", "nonsense")]);
    drop(client.events("/api/v1/events?after=0", None));
    check.seen.entry(("GET".to_owned(), "/api/v1/events".to_owned())).or_default().insert(200);
    elsewhere(&mut check);
    assert_all_seen(&check);
}

/// A token with no scope at all is too small for everything.
fn reading_needs_a_scope(check: &mut Check, server: &Server, none: &str) {
    let bearer = format!("Bearer {none}");
    let reading: Vec<String> = check.document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, methods)| methods["get"]["security"][0]["token"][0] == "read")
        .map(|(path, _)| path.clone())
        .collect();
    for path in reading {
        let fill: Vec<_> = [("id", NOBODY), ("name", "x")]
            .into_iter()
            .filter(|(name, _)| path.contains(&format!("{{{name}}}")))
            .collect();
        check.call(&mut server.client(), "GET", &path, &fill, &[("authorization", &bearer)], "");
    }
}

fn scoring(check: &mut Check, client: &mut Client) {
    let good = json!({"workspace": "ws"});
    for path in ["/api/v1/score", "/score", "/api/v1/scorers/test", "/scorers/test"] {
        check.post(client, path, &[], &good);
        check.post(client, path, &[], &json!({"workspace": "nowhere"}));
        check.post(client, path, &[], &json!({"workspace": "ws", "params": {"average": 7}}));
        bodies(check, client, path, &good);
        check.post(client, path, &[], &json!({"workspace": "crash"}));
        check.post(client, path, &[], &json!({"workspace": "slow", "time_limit": 0.1}));
    }
}

fn jobs(check: &mut Check, client: &mut Client, server: &Server) -> String {
    let good = json!({"workspace": "ws"});
    let key = [JSON, ("idempotency-key", "k1")];
    let first = check.call(client, "POST", "/api/v1/jobs", &[], &key, good.to_string());
    let again = check.call(client, "POST", "/api/v1/jobs", &[], &key, good.to_string());
    assert_eq!((first.status, again.status), (202, 200));
    check.post(client, "/submit", &[], &good);
    check.post(client, "/api/v1/jobs/batch", &[], &json!({"jobs": [good]}));
    check.post(client, "/api/v1/jobs/batch", &[], &json!({"jobs": [{"workspace": "nowhere"}]}));
    for path in ["/api/v1/jobs", "/submit", "/api/v1/jobs/batch"] {
        bodies(check, client, path, &good);
        check.post(client, path, &[], &json!({"workspace": "nowhere"}));
    }
    let packed = archive("tar", &workspace_files());
    check.call(client, "POST", "/api/v1/jobs", &[], &[("content-type", "application/x-tar")], packed);
    let id = first.data(202)["id"].as_str().unwrap().to_owned();
    server.wait(client, &id, &["done"]);
    for path in ["/api/v1/jobs/{id}", "/tasks/{id}", "/api/v1/jobs/{id}/logs", "/api/v1/jobs/{id}/deliveries"] {
        check.get(client, path, &[("id", &id)]);
        check.get(client, path, &[("id", NOBODY)]);
    }
    check.get(client, "/api/v1/jobs", &[("limit", "1")]);
    check.get(client, "/api/v1/jobs", &[("limit", "0")]);
    check.post(client, "/api/v1/jobs/{id}/cancel", &[("id", &id)], &json!({}));
    check.post(client, "/api/v1/jobs/{id}/cancel", &[("id", NOBODY)], &json!({}));
    let slow = server.submit(client, "slow");
    check.post(client, "/api/v1/jobs/{id}/requeue", &[("id", &slow)], &json!({}));
    check.post(client, "/api/v1/jobs/{id}/cancel", &[("id", &slow)], &json!({}));
    server.wait(client, &slow, &["cancelled"]);
    check.get(client, "/api/v1/jobs/{id}/result", &[("id", &slow)]);
    check.get(client, "/api/v1/jobs/{id}/artifacts", &[("id", &slow)]);
    check.get(client, "/api/v1/jobs/{id}/artifacts/{name}", &[("id", &slow), ("name", "x")]);
    check.get(client, "/result", &[("task_id", &slow)]);
    check.post(client, "/api/v1/jobs/{id}/requeue", &[("id", NOBODY)], &json!({}));
    check.post(client, "/api/v1/jobs/{id}/requeue", &[("id", &id)], &json!({}));
    server.wait(client, &id, &["done"]);
    id
}

fn outputs(check: &mut Check, client: &mut Client, server: &Server, sandbox: &Sandbox, id: &str) {
    for path in ["/api/v1/jobs/{id}/result", "/api/v1/jobs/{id}/artifacts"] {
        check.get(client, path, &[("id", id)]);
        check.get(client, path, &[("id", NOBODY)]);
    }
    for path in ["/result", "/logs"] {
        check.get(client, path, &[("task_id", id)]);
        check.get(client, path, &[("task_id", NOBODY)]);
        check.get(client, path, &[("nonsense", "1")]);
    }
    // Other jobs have scored the same workspace; this one has it to itself.
    sandbox.workspace("own", "classification_f1");
    let own = server.submit(client, "own");
    server.wait(client, &own, &["done"]);
    let path = "/api/v1/jobs/{id}/artifacts/{name}";
    let fill: [(&str, &str); 2] = [("id", &own), ("name", "confusion_matrix.json")];
    let whole = check.get(client, path, &fill);
    let etag = whole.header("etag").unwrap().to_owned();
    check.call(client, "GET", path, &fill, &[("range", "bytes=0-3")], "");
    check.call(client, "GET", path, &fill, &[("range", "bytes=99999999-")], "");
    check.call(client, "GET", path, &fill, &[("if-none-match", &etag)], "");
    check.get(client, path, &[("id", &own), ("name", "nothing")]);
    std::fs::remove_dir_all(sandbox.path().join("own/output/artifacts")).unwrap();
    check.get(client, path, &fill);
}

fn scorers(check: &mut Check, client: &mut Client, sandbox: &Sandbox) {
    check.get(client, "/api/v1/scorers/{id}", &[("id", "classification_f1")]);
    check.get(client, "/api/v1/scorers/{id}", &[("id", "nobody")]);
    for path in ["/api/v1/scorers/load", "/scorers/load"] {
        check.post(client, path, &[], &json!({"path": "new/good.so"}));
        check.post(client, path, &[], &json!({"path": "new/text.so"}));
        check.post(client, path, &[], &json!({"path": "nowhere.so"}));
        check.post(client, path, &[], &json!({"path": "ws/meta.json"}));
        bodies(check, client, path, &json!({"path": "new/good.so"}));
    }
    // Crashes in a row have taken this one out.
    for _ in 0..3 {
        client.post("/score", &json!({"workspace": "crash"}));
    }
    check.post(client, "/api/v1/scorers/lift", &[], &json!({"scorer": "sin_segfault"}));
    check.post(client, "/api/v1/scorers/lift", &[], &json!({"scorer": "nobody"}));
    bodies(check, client, "/api/v1/scorers/lift", &json!({"scorer": "nobody"}));
    assert!(sandbox.custom("good.so").exists());
    for path in ["/api/v1/scorers/watch", "/scorers/watch"] {
        let reload = path.replace("watch", "reload");
        check.post(client, &reload, &[], &json!({}));
        check.call(client, "DELETE", path, &[], &[], "");
        check.post(client, &reload, &[], &json!({}));
        check.post(client, &path.replace("watch", "load"), &[], &json!({"path": "new/good.so"}));
        check.call(client, "POST", path, &[], &[], "");
        check.get(client, path, &[]);
    }
}

/// What takes other daemons: a full disk, a full queue, and no scorers.
fn elsewhere(check: &mut Check) {
    let sandbox = Sandbox::without_plugins();
    sandbox.workspace("ws", "classification_f1");
    let shim = sandbox.write("full_disk.so", compiled("tests/support/full_disk.c", &[]));
    let full = sandbox.write("full", "/data/incoming/");
    let mut server =
        Server::start_with(&sandbox, &[], |command| command.env("LD_PRELOAD", &shim).env("FULL_DISK", &full));
    let client = &mut server.client();
    check.call(client, "POST", "/api/v1/jobs", &[], &[("content-type", "application/x-tar")], "no room for this");
    let failed = server.submit(client, "ws");
    server.wait(client, &failed, &["failed"]);
    assert_eq!(server.terminate(), 0);
    let server = Server::start(&sandbox, &["--queue-limit", "0"]);
    let client = &mut server.client();
    check.get(client, "/readyz", &[]);
    check.post(client, "/api/v1/jobs", &[], &json!({"workspace": "ws"}));
    check.post(client, "/submit", &[], &json!({"workspace": "ws"}));
    check.post(client, "/api/v1/jobs/batch", &[], &json!({"jobs": [{"workspace": "ws"}]}));
    check.post(client, "/api/v1/jobs/{id}/requeue", &[("id", &failed)], &json!({}));
}

fn assert_all_seen(check: &Check) {
    let mut missing = Vec::new();
    for (path, methods) in check.document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let seen = check.seen.get(&(method.to_uppercase(), path.clone()));
            for status in operation["responses"].as_object().unwrap().keys() {
                if !seen.is_some_and(|seen| seen.contains(&status.parse().unwrap())) {
                    missing.push(format!("{method} {path} {status}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "declared, but never seen:\n{}", missing.join("\n"));
}

#[test]
fn the_document_is_one_that_programs_can_be_made_from() {
    let server = Server::start(&Sandbox::new(), &[]);
    let document = server.client().get("/openapi.json").json();
    let mut ids = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for operation in methods.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id.to_owned()), "{id} is there twice");
            for (status, response) in operation["responses"].as_object().unwrap() {
                assert!(response["description"].as_str().is_some_and(|text| !text.is_empty()), "{id} {status}");
            }
            let parameters = operation["parameters"].as_array().map_or(&[][..], Vec::as_slice);
            for parameter in parameters {
                let name = parameter["name"].as_str().unwrap();
                let in_path = path.contains(&format!("{{{name}}}"));
                assert_eq!(parameter["in"] == "path", in_path, "{id} {name}");
                let needed = in_path || name == "task_id";
                assert_eq!(parameter["required"] == true, needed, "{id} {name}");
            }
        }
    }
    let queries = document["paths"]["/api/v1/jobs"]["get"]["parameters"].as_array().unwrap();
    assert!(queries.len() == 5 && queries.iter().all(|parameter| parameter["in"] == "query"), "{queries:#?}");
}

#[test]
fn the_page_needs_nothing_from_anywhere_else() {
    let server = Server::start(&Sandbox::new(), &[]);
    let page = server.client().get("/docs");
    assert!(page.status == 200 && page.text().contains("/openapi.json"));
    assert!(!page.text().contains("://"), "the page names another host");
}
