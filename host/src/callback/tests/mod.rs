//! Callbacks to a real receiver on this machine, from a real store.

mod https;
mod names;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use parking_lot::Mutex;
use serde_json::{Map, Value};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};

use super::resolve::Checked;
use super::*;
use crate::queue::{
    Attempt, Delivery, Job, JobId, Moment, NewJob, Order, Outbox, Place, Queue, Sqlite, SqliteOptions, State, Store,
};

const SECRET: &str = "a-secret-of-the-tests";
const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// A receiver that gives the answers it was told to, then 200; and what it was sent.
struct Receiver {
    port: u16,
    requests: mpsc::UnboundedReceiver<Request>,
}

struct Request {
    head: String,
    body: Vec<u8>,
}

impl Request {
    fn header(&self, name: &str) -> &str {
        let line = |line: &'_ str| line.to_ascii_lowercase().starts_with(&format!("{name}: "));
        let found = self.head.lines().find(|text| line(text)).unwrap_or_else(|| panic!("{name}: {}", self.head));
        &found[name.len() + 2..]
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Receiver {
    async fn new(answers: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let answers = Arc::new(Mutex::new(answers.iter().map(|text| (*text).to_owned()).collect::<VecDeque<_>>()));
        let (seen, requests) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answers.clone(), seen.clone()));
            }
        });
        Self { port, requests }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook?token=t", self.port)
    }
}

async fn serve(mut stream: TcpStream, answers: Arc<Mutex<VecDeque<String>>>, seen: mpsc::UnboundedSender<Request>) {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
            return;
        }
    };
    let mut request = Request { head: String::from_utf8(bytes[..end].to_vec()).unwrap(), body: bytes[end..].to_vec() };
    let length: usize = request.header("content-length").parse().unwrap();
    while request.body.len() < length {
        stream.read_buf(&mut request.body).await.unwrap();
    }
    let answer = answers.lock().pop_front().unwrap_or_else(|| OK.to_owned());
    seen.send(request).ok();
    if answer == "silence" {
        std::future::pending::<()>().await;
    }
    stream.write_all(answer.as_bytes()).await.ok();
    if answer.contains("endless") {
        while stream.write_all(&[b'x'; 4096]).await.is_ok() {}
    }
}

fn courier(allow_private: bool) -> Courier {
    Courier::new(Some(SECRET), allow_private).unwrap()
}

fn delivery(url: &str) -> Delivery {
    let error = ScoreError::new(ErrorCode::BadFormat, "a cell is empty");
    let job = Job {
        id: JobId::new(),
        submitter: "ann".to_owned(),
        priority: 0,
        order: order(),
        callback: Some(url.to_owned()),
        state: State::Failed,
        attempts: 1,
        cancelling: false,
        created: Moment(0),
        started: None,
        finished: Some(Moment(1000)),
        score: None,
        scored_by: Some("mean@1.0.0".to_owned()),
        error: Some(error),
    };
    Delivery { number: 7, url: url.to_owned(), job, attempts: 0 }
}

fn order() -> Order {
    let workspace = Place::Path("w".to_owned());
    Order { workspace, scorer: None, params: Map::new(), artifacts: false, time_limit: None, memory_limit: None }
}

async fn answered(answer: &str) -> Attempt {
    let receiver = Receiver::new(&[answer]).await;
    courier(true).attempt(&delivery(&receiver.url())).await
}

#[tokio::test]
async fn a_callback_says_what_happened_and_proves_who_says_it() {
    let mut receiver = Receiver::new(&[]).await;
    let delivery = delivery(&receiver.url());
    let attempt = courier(true).attempt(&delivery).await;
    assert!(attempt.delivered && attempt.again.is_none() && attempt.error.is_none(), "{attempt:?}");
    let request = receiver.requests.recv().await.unwrap();
    assert!(request.head.starts_with("POST /hook?token=t HTTP/1.1\r\n"), "{}", request.head);
    assert_eq!((request.header("x-autoscorer-delivery"), request.header("content-type")), ("7", "application/json"));
    assert!(request.header("user-agent").starts_with("autoscorer/"));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    verify(SECRET, request.header(SIGNATURE), &request.body, now, Duration::from_secs(300)).unwrap();
    let expected = serde_json::json!({
        "event": "job.failed",
        "delivery": 7,
        "job": {
            "id": delivery.job.id, "state": "failed", "score": null, "scored_by": "mean@1.0.0",
            "error": delivery.job.error, "submitter": "ann",
            "created": "1970-01-01T00:00:00.000Z", "finished": "1970-01-01T00:00:01.000Z",
        },
    });
    assert_eq!(request.json(), expected);
}

#[tokio::test]
async fn what_may_pass_is_tried_again_and_what_will_not_is_given_up() {
    for status in [302, 307, 401, 403, 404, 408, 409, 425, 429, 500, 503] {
        let answer = format!("HTTP/1.1 {status} X\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n");
        let attempt = answered(&answer).await;
        assert!(!attempt.delivered && attempt.again.is_some(), "{attempt:?}");
        assert_eq!(attempt.status, Some(status));
    }
    for status in [400, 405, 410, 413, 415, 422] {
        let attempt = answered(&format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n")).await;
        assert!(!attempt.delivered && attempt.again.is_none(), "{attempt:?}");
        assert!(attempt.error.unwrap().ends_with("given up after 1 attempt"));
    }
    let attempt = answered("HTTP/1.1 503 X\r\nretry-after: 1800\r\ncontent-length: 0\r\n\r\n").await;
    assert!(attempt.again.unwrap().since(Moment::now()) > Duration::from_secs(1000));
}

#[tokio::test]
async fn a_redirection_is_not_followed() {
    let mut other = Receiver::new(&[]).await;
    let location = format!("HTTP/1.1 307 X\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n", other.url());
    let attempt = answered(&location).await;
    assert_eq!(attempt.status, Some(307));
    assert!(attempt.error.unwrap().contains("not followed"));
    assert!(other.requests.try_recv().is_err());
}

#[tokio::test]
async fn receivers_that_misbehave_are_left_in_time() {
    let receiver = Receiver::new(&["silence"]).await;
    let courier_in_haste = Courier::with(Duration::from_millis(200), Some(SECRET), Checked::new(true)).unwrap();
    let attempt = courier_in_haste.attempt(&delivery(&receiver.url())).await;
    assert_eq!(attempt.error.as_deref(), Some("no answer in time"));
    assert!(attempt.again.is_some() && attempt.status.is_none());
    // It has heard us; that it talks on for ever is its own affair.
    assert!(answered("HTTP/1.1 200 OK\r\nx: endless\r\n\r\n").await.delivered);
    for odd in ["", "nonsense\r\n\r\n", "HTTP/1.1 abc\r\n\r\n"] {
        let attempt = answered(odd).await;
        assert!(!attempt.delivered && attempt.again.is_some() && attempt.status.is_none(), "{attempt:?}");
    }
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let attempt = courier(true).attempt(&delivery(&format!("http://127.0.0.1:{port}/"))).await;
    assert!(attempt.error.unwrap().starts_with("no connection"));
}

#[tokio::test]
async fn private_addresses_are_never_called_unless_allowed() {
    let mut receiver = Receiver::new(&[]).await;
    let port = receiver.port;
    for host in ["127.0.0.1", "2130706433", "localhost", "[::ffff:127.0.0.1]"] {
        let attempt = courier(false).attempt(&delivery(&format!("http://{host}:{port}/"))).await;
        assert!(attempt.error.unwrap().contains("private"), "{host}");
    }
    // What only the resolver can know: the name passes the door, and its address does not.
    let mut inside = courier(false);
    inside.allow_private = true;
    let attempt = inside.attempt(&delivery(&format!("http://localhost:{port}/"))).await;
    assert!(attempt.error.unwrap().contains("an address of the host is private"));
    assert!(receiver.requests.try_recv().is_err());
    assert!(courier(true).attempt(&delivery(&receiver.url())).await.delivered);
}

#[tokio::test]
async fn nothing_that_is_said_about_an_attempt_holds_the_secret_or_the_address() {
    let answer = format!("HTTP/1.1 500 X\r\ncontent-length: {}\r\n\r\n{SECRET}", SECRET.len());
    for attempt in [answered(&answer).await, courier(true).attempt(&delivery("http://127.0.0.1:1/?token=t")).await] {
        let said = format!("{attempt:?}");
        assert!(!said.contains(SECRET) && !said.contains("token"), "{said}");
    }
    assert!(Courier::new(Some(""), true).is_err());
}

#[tokio::test]
async fn an_attempt_beyond_the_last_is_given_up() {
    let owed = Delivery { attempts: 11, ..delivery("http://127.0.0.1:1/") };
    let attempt = courier(true).attempt(&owed).await;
    assert!(attempt.again.is_none());
    assert!(attempt.error.unwrap().ends_with("given up after 12 attempts"));
}

/// A store with the round of a courier that hurries.
struct Daemon {
    store: Arc<Sqlite>,
    stop: watch::Sender<bool>,
    round: tokio::task::JoinHandle<()>,
    _folder: TempDir,
}

impl Daemon {
    fn new() -> Self {
        Self::with(courier(true))
    }

    fn with(mut courier: Courier) -> Self {
        let folder = TempDir::new().unwrap();
        let options = SqliteOptions { queue_limit: 100, max_attempts: 3, keep_events: 1000 };
        let store = Arc::new(Sqlite::open(&folder.path().join("queue.db"), options).unwrap());
        courier.backoff.first = Duration::from_millis(1);
        let (stop, stopping) = watch::channel(false);
        let round = tokio::spawn(run(store.clone() as Arc<dyn Store>, courier, stopping));
        Self { store, stop, round, _folder: folder }
    }

    /// A job that is cancelled at once.
    async fn end_one(&self, url: &str) -> JobId {
        let id = JobId::new();
        let job = NewJob {
            id: id.clone(),
            submitter: "ann".to_owned(),
            priority: 0,
            order: order(),
            callback: Some(url.to_owned()),
            key: None,
            fingerprint: String::new(),
        };
        self.store.submit(vec![job]).await.unwrap();
        self.store.cancel(&id).await.unwrap();
        id
    }

    async fn nothing_is_owed(&self) {
        while self.store.counts().await.unwrap().owed > 0 {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test]
async fn what_is_owed_is_told_once_each_whatever_fails_on_the_way() {
    let busy = "HTTP/1.1 503 X\r\ncontent-length: 0\r\n\r\n";
    let mut receiver = Receiver::new(&[busy, busy, ""]).await;
    let daemon = Daemon::new();
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(daemon.end_one(&receiver.url()).await.to_string());
    }
    daemon.nothing_is_owed().await;
    daemon.stop.send(true).unwrap();
    daemon.round.await.unwrap();
    let mut told = Vec::new();
    while let Ok(request) = receiver.requests.try_recv() {
        told.push(request.json()["job"]["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(told.len(), 23, "twenty, and three that failed");
    told.sort();
    told.dedup();
    assert_eq!(told, ids);
    let mut attempts = 0;
    for id in &ids {
        let log = daemon.store.deliveries(&JobId::parse(id).unwrap()).await.unwrap();
        assert_eq!(log.iter().filter(|one| one.delivered).count(), 1, "{log:?}");
        attempts += log.len();
    }
    assert_eq!(attempts, 23);
}

#[tokio::test]
async fn a_receiver_that_is_silent_keeps_no_other_waiting_and_does_not_hold_up_the_end() {
    // More than are looked at in one go.
    const MANY: u64 = 150;
    let mut silent = Receiver::new(&["silence"; 100]).await;
    let mut quick = Receiver::new(&[]).await;
    let daemon = Daemon::new();
    for _ in 0..MANY {
        daemon.end_one(&silent.url()).await;
    }
    silent.requests.recv().await.unwrap();
    // Another host, as far as anybody can tell.
    let id = daemon.end_one(&format!("http://localhost:{}/", quick.port)).await;
    let told = tokio::time::timeout(Duration::from_secs(30), quick.requests.recv()).await.expect("it waits").unwrap();
    assert_eq!(told.json()["job"]["id"], id.as_str());
    daemon.stop.send(true).unwrap();
    daemon.round.await.unwrap();
    assert_eq!(daemon.store.counts().await.unwrap().owed, MANY, "what was cut off is owed still");
}

#[tokio::test]
async fn what_is_owed_by_a_daemon_without_a_secret_is_given_up_with_the_reason() {
    let mut receiver = Receiver::new(&[]).await;
    let mut unsigned = Courier::new(None, true).unwrap();
    unsigned.backoff.attempts = 3;
    let daemon = Daemon::with(unsigned);
    let id = daemon.end_one(&receiver.url()).await;
    daemon.nothing_is_owed().await;
    let log = daemon.store.deliveries(&id).await.unwrap();
    assert_eq!(log.len(), 3, "it has its usual time, in which a secret may be set: {log:?}");
    let last = log[2].error.as_deref().unwrap();
    assert!(last.contains("no secret") && last.ends_with("given up after 3 attempts"), "{last}");
    let later = Moment::now().plus(Duration::from_secs(1));
    assert_eq!(daemon.store.forget(later, 10).await.unwrap(), [id], "its job can be forgotten");
    assert!(receiver.requests.try_recv().is_err());
}
