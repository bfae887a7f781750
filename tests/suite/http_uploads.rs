//! Workspaces that come with their request: what is taken, and what never gets out of its folder.

use std::fs;
use std::path::Path;
use std::process::Command;

use autoscorer_tests::{Client, Response, Sandbox, Server};
use serde_json::{Value, json};

/// An archive of files, made by Python: it makes what careful tools would refuse to make.
fn archive(sandbox: &Sandbox, kind: &str, entries: &Value) -> Vec<u8> {
    let file = sandbox.path().join(format!("upload.{kind}"));
    let script = r#"
import io, json, stat, sys, tarfile, zipfile
kind, path, entries = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
if kind == "zip":
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, text in entries.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            if text.startswith("->"):
                info.create_system, info.external_attr, text = 3, (stat.S_IFLNK | 0o777) << 16, text[2:]
            made.writestr(info, bytes(int(text[6:])) if text.startswith("zeros:") else text)
else:
    with tarfile.open(path, "w:gz" if kind == "tgz" else "w") as made:
        for name, text in entries.items():
            info = tarfile.TarInfo(name)
            if text.startswith("->"):
                info.type, info.linkname = tarfile.SYMTYPE, text[2:]
                made.addfile(info)
                continue
            data = bytes(int(text[6:])) if text.startswith("zeros:") else text.encode()
            info.size = len(data)
            made.addfile(info, io.BytesIO(data))
"#;
    let made = Command::new("python3").args(["-c", script, kind]).arg(&file).arg(entries.to_string()).status();
    assert!(made.unwrap().success());
    fs::read(file).unwrap()
}

fn workspace() -> Value {
    json!({
        "meta.json": r#"{"scorer": "classification_f1"}"#,
        "input/gt.csv": "id,label\n1,cat\n2,dog\n3,cat\n",
        "output/pred.csv": "id,label\n1,cat\n2,dog\n3,dog\n",
    })
}

fn with(name: &str, text: &str) -> Value {
    let mut entries = workspace();
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
        let data = upload(&mut client, kind, &archive(&sandbox, kind, &workspace())).data(202);
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
    let zip = archive(&sandbox, "tar", &with("input/large.bin", "zeros:3000000"));
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
    let zip = archive(&sandbox, "zip", &workspace());
    let first = client.request("POST", "/api/v1/jobs", &headers, &zip).data(202);
    let again = client.request("POST", "/api/v1/jobs", &headers, &zip).data(200);
    assert_eq!(first["id"], again["id"]);
    let other = archive(&sandbox, "zip", &with("input/more.csv", "id\n"));
    assert_eq!(client.request("POST", "/api/v1/jobs", &headers, other).error(422)["code"], "KEY_REUSED");
    assert_eq!(entries_in(&sandbox.path().join("data/jobs")), 1);
}

#[test]
fn no_name_in_an_archive_leads_out_of_its_folder() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, &[]);
    let mut client = server.client();
    let absolute = sandbox.path().join("escaped").display().to_string();
    for kind in ["tar", "tgz", "zip"] {
        for (name, text) in [
            ("../escaped", "x"),
            ("input/../../../escaped", "x"),
            (absolute.as_str(), "x"),
            ("input/link", "->/etc/passwd"),
            ("input/link", "->../../../escaped"),
            ("a\r\nb", "x"),
            ("a\u{1b}[31mb", "x"),
            ("..\\escaped", "x"),
        ] {
            let answer = upload(&mut client, kind, &archive(&sandbox, kind, &with(name, text)));
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
        let bomb = archive(&sandbox, kind, &with("input/zeros", "zeros:300000000"));
        assert!(bomb.len() < 1 << 20);
        upload(&mut client, kind, &bomb).error(422);
    }
    let large = archive(&sandbox, "tar", &with("input/zeros", "zeros:1100000"));
    assert_eq!(upload(&mut client, "tar", &large).error(413)["code"], "PAYLOAD_TOO_LARGE");
    let large = form(&[("workspace", &large)]);
    server.client().request("POST", "/api/v1/jobs", &[FORM], large).error(413);
    for (kind, bytes) in [("zip", &b"PK\x03\x04 but no zip"[..]), ("tar", b""), ("tgz", b"\x1f\x8b\x08 cut")] {
        upload(&mut client, kind, bytes).error(422);
    }
    assert_eq!(entries_in(&sandbox.path().join("data/jobs")), 0);
}
