//! Workspaces that come with their request: what is taken, and what never gets out of its folder.

use std::fs;
use std::io::Write;
use std::path::Path;

use autoscorer_tests::{Client, Response, Sandbox, Server, archive, compiled, eventually, hold_queue, workspace_files};
use serde_json::{Value, json};

fn with(name: &str, text: &str) -> Value {
    let mut entries = workspace_files();
    entries[name] = text.into();
    entries
}

fn kind_of(kind: &str) -> &'static str {
    match kind {
        "zip" => "application/zip",
        "tgz" => "application/gzip",
        _ => "application/x-tar",
    }
}

fn upload(client: &mut Client, kind: &str, bytes: &[u8]) -> Response {
    client.request("POST", "/api/v1/jobs", &[("content-type", kind_of(kind))], bytes)
}

fn form(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, content) in parts {
        let head = format!("--frontier\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n");
        body.extend([head.as_bytes(), content, b"\r\n"].concat());
    }
    body.extend(b"--frontier--\r\n");
    body
}

const FORM: (&str, &str) = ("content-type", "multipart/form-data; boundary=frontier");

fn entries_in(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn archives_of_every_kind_are_scored() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let mut client = server.client();
    for kind in ["tar", "tgz", "zip"] {
        let data = upload(&mut client, kind, &archive(kind, &workspace_files())).data(202);
        let id = data["id"].as_str().unwrap();
        let job = server.wait(&mut client, id, &["done", "failed"]);
        assert_eq!((&job["score"], &job["uploaded"]), (&json!(0.6666666666666666), &json!(true)), "{kind}: {job:#}");
        let artifact = client.get(&format!("/api/v1/jobs/{id}/artifacts/confusion_matrix.json"));
        assert_eq!((artifact.status, artifact.header("content-type")), (200, Some("application/json")));
    }
    assert_eq!(entries_in(&sandbox.path().join("data/incoming")), 0);
}

#[test]
fn a_form_brings_a_workspace_with_what_to_do() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let mut client = server.client();
    // Larger than what frameworks take by default.
    let zip = archive("tar", &with("input/large.bin", "zeros:3000000"));
    let job = br#"{"scorer": "classification_accuracy", "artifacts": false}"#;
    let mut send = |parts: &[(&str, &[u8])]| client.request("POST", "/api/v1/jobs", &[FORM], form(parts));
    let data = send(&[("job", job), ("workspace", &zip)]).data(202);
    send(&[("job", job)]).error(400);
    send(&[("job", job), ("job", job), ("workspace", &zip)]).error(400);
    send(&[("other", job), ("workspace", &zip)]).error(400);
    send(&[("job", b"{"), ("workspace", &zip)]).error(400);
    send(&[("job", br#"{"workspace": "ws"}"#), ("workspace", &zip)]).error(422);
    let job = server.wait(&mut client, data["id"].as_str().unwrap(), &["done", "failed"]);
    assert_eq!(job["scored_by"].as_str().unwrap().split('@').next(), Some("classification_accuracy"), "{job:#}");
    assert_eq!(entries_in(&sandbox.path().join("data/jobs")), 1, "refused uploads leave nothing");
}

#[test]
fn a_repeated_upload_is_the_same_job_and_is_kept_once() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let mut client = server.client();
    let headers = [("content-type", "application/zip"), ("idempotency-key", "same")];
    let zip = archive("zip", &workspace_files());
    let first = client.request("POST", "/api/v1/jobs", &headers, &zip).data(202);
    let again = client.request("POST", "/api/v1/jobs", &headers, &zip).data(200);
    assert_eq!(first["id"], again["id"]);
    let other = archive("zip", &with("input/more.csv", "id\n"));
    assert_eq!(client.request("POST", "/api/v1/jobs", &headers, other).error(422)["code"], "KEY_REUSED");
    assert_eq!(entries_in(&sandbox.path().join("data/jobs")), 1);
}

#[test]
fn no_name_in_an_archive_leads_out_of_its_folder() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let mut client = server.client();
    let absolute = sandbox.path().join("escaped").display().to_string();
    let everywhere = [
        ("../escaped", "x"),
        ("input/../../../escaped", "x"),
        (absolute.as_str(), "x"),
        ("input/link", "->/etc/passwd"),
        ("input/link", "->../../../escaped"),
        ("a\r\nb", "x"),
        ("a\u{1b}[31mb", "x"),
        ("..\\escaped", "x"),
    ];
    let in_tars =
        [("input/hard", "=>../../../escaped"), ("input/device", "c:"), ("input/disk", "b:"), ("input/pipe", "p:")];
    for kind in ["tar", "tgz", "zip"] {
        let more = if kind == "zip" { &[][..] } else { &in_tars };
        for &(name, text) in everywhere.iter().chain(more) {
            let answer = upload(&mut client, kind, &archive(kind, &with(name, text)));
            let error = answer.error(422);
            assert_eq!(error["code"], "BAD_FORMAT", "{kind} {name:?}: {error:#}");
            assert!(answer.body.iter().all(|&byte| byte >= b' '), "{kind} {name:?}");
        }
    }
    assert_eq!(entries_in(&sandbox.path().join("data/jobs")), 0);
    assert_eq!(entries_in(&sandbox.path().join("data/incoming")), 0);
    assert!(!sandbox.path().join("escaped").exists() && !sandbox.path().join("data/escaped").exists());
    assert_eq!(client.get("/api/v1/jobs").data(200)["jobs"], json!([]));
}

#[test]
fn bombs_and_what_is_too_large_are_refused() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &["--max-upload", "1Mi"]);
    let mut client = server.client();
    for kind in ["tgz", "zip"] {
        let bomb = archive(kind, &with("input/zeros", "zeros:300000000"));
        assert!(bomb.len() < 1 << 20);
        let error = upload(&mut client, kind, &bomb).error(413);
        assert_eq!((&error["code"], &error["details"]["limit"]), (&json!("PAYLOAD_TOO_LARGE"), &json!("ratio")));
        let mut many = workspace_files();
        (0..10_001).for_each(|number| many[format!("input/{number}")] = "".into());
        let error = upload(&mut client, kind, &archive(kind, &many)).error(413);
        assert_eq!((&error["code"], &error["details"]["limit"]), (&json!("PAYLOAD_TOO_LARGE"), &json!("files")));
    }
    let large = archive("tar", &with("input/zeros", "zeros:1100000"));
    assert_eq!(upload(&mut client, "tar", &large).error(413)["code"], "PAYLOAD_TOO_LARGE");
    let large = form(&[("workspace", &large)]);
    server.client().request("POST", "/api/v1/jobs", &[FORM], large).error(413);
    for (kind, bytes) in [("zip", &b"PK\x03\x04 but no zip"[..]), ("tar", b""), ("tgz", b"\x1f\x8b\x08 cut")] {
        upload(&mut client, kind, bytes).error(422);
    }
    assert_eq!(entries_in(&sandbox.path().join("data/jobs")), 0);
}

#[test]
fn a_client_that_goes_away_while_its_job_is_accepted_does_not_part_it_from_its_workspace() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let mut client = server.client();
    let zip = archive("zip", &workspace_files());
    let headers = [("content-type", "application/zip"), ("idempotency-key", "gone")];
    let held = hold_queue(&sandbox);
    let mut leaving = server.client().connect().unwrap();
    leaving.get_mut().write_all(&client.text("POST", "/api/v1/jobs", &headers, &zip)).unwrap();
    let jobs = sandbox.path().join("data/jobs");
    let unpacked = || fs::read_dir(&jobs).unwrap().flatten().any(|job| job.path().join("workspace").exists());
    eventually("the upload is unpacked", || unpacked().then_some(()));
    // Whoever asks after it is answered after it asked.
    (0..10).for_each(|_| _ = client.get("/api/v1/jobs?limit=1").data(200));
    drop(leaving);
    drop(client);
    let alone = |text: &str| text.contains("autoscorer_http_connections 1\n");
    eventually("its connection has ended", || alone(server.client().get("/metrics").text()).then_some(()));
    drop(held);
    let mut client = server.client();
    let again = client.request("POST", "/api/v1/jobs", &headers, &zip);
    let id = again.json()["data"]["id"].as_str().unwrap().to_owned();
    let job = server.wait(&mut client, &id, &["done", "failed"]);
    assert_eq!(job["state"], "done", "{job:#}");
    assert_eq!(entries_in(&jobs), 1);
}

#[test]
fn a_full_disk_is_told_as_such_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let shim = sandbox.write("full_disk.so", compiled("tests/support/full_disk.c", &[]));
    let full = sandbox.path().join("full");
    let server = Server::start_with(&sandbox, &[], |command| command.env("LD_PRELOAD", &shim).env("FULL_DISK", &full));
    let mut client = server.client();
    let tar = archive("tar", &with("input/large.bin", "zeros:100000"));
    let parts = form(&[("workspace", &tar)]);
    for part in ["incoming", "jobs"] {
        fs::write(&full, format!("/data/{part}/")).unwrap();
        for (kind, bytes) in [(("content-type", "application/x-tar"), &tar), (FORM, &parts)] {
            let answer = client.request("POST", "/api/v1/jobs", &[kind], bytes);
            assert_eq!(answer.error(503)["code"], "DISK_FULL", "{part}");
            assert!(answer.header("retry-after").unwrap().parse::<u32>().unwrap() > 0);
        }
        let data = sandbox.path().join("data");
        assert_eq!((entries_in(&data.join("incoming")), entries_in(&data.join("jobs"))), (0, 0), "{part}");
    }
    fs::remove_file(&full).unwrap();
    upload(&mut client, "tar", &tar).data(202);
}
