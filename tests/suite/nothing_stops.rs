//! Nothing stops: half a minute of everything at once, while libraries come, go and crash.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use autoscorer_tests::{Client, Sandbox, Server, archive, versioned, workspace_files};
use serde_json::{Value, json};

const LOAD: Duration = Duration::from_secs(30);

/// A library comes this often.
const REPLACEMENT: Duration = Duration::from_millis(200);

/// What is going on, and until when.
struct Scene {
    over: AtomicBool,
    done: AtomicU64,
}

impl Scene {
    /// Does something again and again.
    fn keep(&self, mut once: impl FnMut()) {
        while !self.over.load(Ordering::Relaxed) {
            once();
            self.done.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The same with a pause in between, which is the pace of the load and waits for nothing.
    fn keep_every(&self, pause: Duration, mut once: impl FnMut()) {
        self.keep(|| {
            once();
            let next = Instant::now() + pause;
            while Instant::now() < next && !self.over.load(Ordering::Relaxed) {
                thread::park_timeout(next - Instant::now());
            }
        });
    }
}

/// The one version of the good scorer that made a result, which must be right.
fn assert_one_version(result: &Value) {
    assert_eq!(result["metrics"]["rows"], 3.0, "{result:#}");
    let marker = result["metrics"]["marker"].as_f64().unwrap() as u32;
    assert_eq!(result["versioning"]["version"], format!("7.7.{marker:04}"), "two versions in one job: {result:#}");
}

/// A workspace for the good scorer, to be uploaded.
fn packed() -> Vec<u8> {
    let mut files = workspace_files();
    files["meta.json"] = r#"{"scorer": "good"}"#.into();
    archive("tar", &files)
}

fn upload(client: &mut Client, server: &Server, archive: &[u8]) {
    let answer = client.request("POST", "/api/v1/jobs", &[("content-type", "application/x-tar")], archive);
    let id = answer.data(202)["id"].as_str().unwrap().to_owned();
    let job = server.wait(client, &id, &["done", "failed", "cancelled"]);
    assert_eq!(job["state"], "done", "{job:#}");
    assert_one_version(&client.get(&format!("/api/v1/jobs/{id}/result")).data(200));
}

#[test]
fn half_a_minute_of_everything_at_once_fails_nobody_but_the_one_that_crashes() {
    let sandbox = Sandbox::with_own_store();
    sandbox.drop_bytes(&versioned(1), "good.so");
    sandbox.drop_library("misbehaving_sinner", "sinner.so");
    for name in ["now", "later"] {
        sandbox.workspace(name, "good");
    }
    sandbox.workspace("crash", "sin_segfault");
    let packed = packed();
    let builds: Vec<Vec<u8>> = (1..=8).map(versioned).collect();
    // Crashes in a row would take the crashing library out, which is another test's subject.
    let server = Server::start(&sandbox, &["--breaker", "0"]);
    let scene = Scene { over: AtomicBool::new(false), done: AtomicU64::new(0) };
    let (replaced, crashed) = (AtomicU32::new(0), AtomicU32::new(0));
    let before = thread::scope(|scope| {
        scope.spawn(|| {
            let mut client = server.client();
            scene.keep(|| assert_one_version(&client.post("/score", &json!({"workspace": "now"})).data(200)));
        });
        scope.spawn(|| {
            let mut client = server.client();
            scene.keep(|| upload(&mut client, &server, &packed));
        });
        scope.spawn(|| {
            let mut client = server.client();
            scene.keep(|| {
                let id = server.submit(&mut client, "later");
                let job = server.wait(&mut client, &id, &["done", "failed", "cancelled"]);
                assert_eq!(job["state"], "done", "{job:#}");
            });
        });
        scope.spawn(|| {
            let mut client = server.client();
            scene.keep_every(Duration::from_millis(20), || {
                for path in ["/api/v1/jobs?limit=20", "/scorers", "/readyz", "/api/v1/jobs?state=done&limit=5"] {
                    client.get(path).data(200);
                }
                assert_eq!(client.get("/metrics").status, 200);
            });
        });
        scope.spawn(|| {
            let (mut events, mut last) = (server.client().events("/api/v1/events", None), 0);
            scene.keep(|| {
                let event = events.next().expect("the events go on");
                assert!(event.id > last, "{} after {last}", event.id);
                last = event.id;
            });
        });
        scope.spawn(|| {
            let mut client = server.client();
            scene.keep_every(Duration::from_millis(300), || {
                let error = client.post("/score", &json!({"workspace": "crash"})).error(502);
                assert_eq!(error["code"], "SCORER_CRASHED", "{error:#}");
                crashed.fetch_add(1, Ordering::Relaxed);
            });
        });
        scope.spawn(|| {
            scene.keep_every(REPLACEMENT, || {
                let number = replaced.fetch_add(1, Ordering::Relaxed);
                sandbox.drop_bytes(&builds[number as usize % builds.len()], "good.so");
                // Half a library, and something that is none.
                sandbox.drop_bytes(&builds[0][..builds[0].len() / 2], "cut.so");
                sandbox.drop_bytes(format!("no library {number}").as_bytes(), "text.so");
            });
        });
        // After a third, whatever is kept for good is there.
        let start = Instant::now();
        let mut before = 0;
        while start.elapsed() < LOAD {
            thread::park_timeout(Duration::from_millis(100));
            if before == 0 && start.elapsed() > LOAD / 3 {
                before = server.resident_kib();
            }
        }
        scene.over.store(true, Ordering::Relaxed);
        before
    });
    let after = server.resident_kib();
    assert!(after < before + 64 * 1024, "memory grows: {before} KiB, then {after} KiB");
    // All of it has really happened.
    assert!(scene.done.load(Ordering::Relaxed) > 300 && crashed.load(Ordering::Relaxed) > 10);
    assert!(replaced.load(Ordering::Relaxed) > 50);
    let live = server.log().matches("live      good@").count();
    assert!(live > 20, "only {live} of {} builds were live", replaced.load(Ordering::Relaxed));
}
