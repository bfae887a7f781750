//! Callbacks of a daemon, from the end of a job to its log of deliveries.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use autoscorer_tests::{Client, Sandbox, Server, eventually};
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

const SECRET: &str = "a-secret-of-the-suite";

/// A request as a receiver got it.
struct Call {
    head: Vec<String>,
    body: Vec<u8>,
}

impl Call {
    fn read(stream: &mut TcpStream) -> Self {
        let mut stream = BufReader::new(stream);
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).unwrap();
            match line.trim_end() {
                "" => break,
                line => head.push(line.to_owned()),
            }
        }
        let mut call = Self { head, body: Vec::new() };
        call.body.resize(call.header("content-length").parse().unwrap(), 0);
        stream.read_exact(&mut call.body).unwrap();
        call
    }

    fn header(&self, name: &str) -> &str {
        let found = self.head.iter().filter_map(|line| line.split_once(": "));
        found.into_iter().find(|(one, _)| one.eq_ignore_ascii_case(name)).unwrap().1
    }

    /// As docs/callbacks.md tells receivers to do it.
    fn assert_signed(&self) {
        let (time, sum) = self.header("x-autoscorer-signature").split_once(',').unwrap();
        let (time, sum) = (time.strip_prefix("t=").unwrap(), sum.strip_prefix("v1=").unwrap());
        let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
        mac.update(&[time.as_bytes(), b".", &self.body].concat());
        let expected: String = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(sum, expected);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        assert!(now.abs_diff(time.parse().unwrap()) <= 300, "{time}");
    }
}

/// A receiver that answers with these, one after the other, and then with 200.
fn receiver(answers: &'static [u16]) -> (SocketAddr, Receiver<Call>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (calls, seen) = mpsc::channel();
    thread::spawn(move || {
        let answers = answers.iter().copied().chain(std::iter::repeat(200));
        for (stream, answer) in listener.incoming().zip(answers) {
            let mut stream = stream.unwrap();
            let call = Call::read(&mut stream);
            write!(stream, "HTTP/1.1 {answer} X\r\ncontent-length: 0\r\n\r\n").unwrap();
            if calls.send(call).is_err() {
                return;
            }
        }
    });
    (address, seen)
}

fn with_secret(sandbox: &Sandbox, flags: &[&str]) -> Server {
    Server::start_with(sandbox, flags, |command| command.env("AUTOSCORER_CALLBACK_SECRET", SECRET))
}

fn log(client: &mut Client, id: &str) -> Value {
    client.get(&format!("/api/v1/jobs/{id}/deliveries")).data(200)["deliveries"].clone()
}

#[test]
fn the_end_of_a_job_is_told_signed_again_after_a_failure_and_written_down() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    let (address, calls) = receiver(&[500]);
    let server = with_secret(&sandbox, &["--allow-private-callbacks"]);
    let mut client = server.client();
    let job = json!({"workspace": "ws", "callback": format!("http://{address}/hook")});
    let id = server.submit_with(&mut client, job);
    let patience = Duration::from_secs(60);
    let [first, second] = [(); 2].map(|()| calls.recv_timeout(patience).unwrap());
    for call in [&first, &second] {
        assert_eq!(call.head[0], "POST /hook HTTP/1.1");
        call.assert_signed();
    }
    let number = first.header("x-autoscorer-delivery");
    assert_eq!(second.header("x-autoscorer-delivery"), number, "the same delivery, tried again");
    let told: Value = serde_json::from_slice(&second.body).unwrap();
    assert_eq!((&told["event"], &told["job"]["id"]), (&json!("job.done"), &json!(id)));
    assert_eq!(told["job"]["score"], 0.6666666666666666);
    let log = eventually("both attempts are written down", || {
        Some(log(&mut client, &id)).filter(|log| log.as_array().unwrap().len() == 2)
    });
    let short = |one: &Value| (one["attempt"].clone(), one["status"].clone(), one["delivered"].clone());
    assert_eq!(short(&log[0]), (json!(1), json!(500), json!(false)), "{log:#}");
    assert_eq!(short(&log[1]), (json!(2), json!(200), json!(true)), "{log:#}");
}

#[test]
fn a_private_address_is_refused_at_the_door_and_without_a_secret_every_address_is() {
    let sandbox = Sandbox::new();
    sandbox.workspace("ws", "classification_f1");
    let server = with_secret(&sandbox, &[]);
    let inside = json!({"workspace": "ws", "callback": "http://127.0.0.1:1/"});
    let error = server.client().post("/api/v1/jobs", &inside).error(422);
    assert!(error["message"].as_str().unwrap().contains("private"), "{error:#}");
    drop(server);
    let server = Server::start(&sandbox, &["--allow-private-callbacks"]);
    let error = server.client().post("/api/v1/jobs", &inside).error(422);
    assert!(error["message"].as_str().unwrap().contains("secret"), "{error:#}");
}
