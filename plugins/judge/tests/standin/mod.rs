//! A stand-in for an OpenAI-compatible server: threads on a free port, and a function that says what each call gets.
#![allow(dead_code, reason = "each test program uses a part of it")]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A call as it arrived.
pub struct Call {
    pub path: String,
    pub authorization: Option<String>,
    pub body: Value,
    /// How many calls came before, and how many of them with this body.
    pub nth: usize,
    pub seen: usize,
}

impl Call {
    /// The two comments in the prompt.
    pub fn pair(&self) -> (String, String) {
        let content = self.body["messages"][1]["content"].as_str().unwrap();
        let pair: Value = serde_json::from_str(content).unwrap();
        let text = |name: &str| pair[name].as_str().unwrap().to_owned();
        (text("comment1"), text("comment2"))
    }

    /// The answer of a judge to whom comments mean the same if they begin with the same word.
    pub fn judged(&self) -> Act {
        let (left, right) = self.pair();
        let same = left.split(' ').next() == right.split(' ').next();
        say(&json!({"same": same, "confidence": 0.9, "reason": "by the first word"}).to_string())
    }
}

/// What a call gets.
pub enum Act {
    Reply {
        status: u16,
        headers: String,
        body: String,
    },
    /// The connection is closed without an answer.
    Drop,
    /// Nothing happens until the client goes away.
    Hang,
}

/// An answer that holds a text of the model's.
pub fn say(text: &str) -> Act {
    finish(text, "stop")
}

/// The same with the reason why the text ends.
pub fn finish(text: &str, reason: &str) -> Act {
    let choice = json!({"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason});
    status(200, "", &json!({"choices": [choice], "usage": {"total_tokens": 10}}).to_string())
}

/// Any answer.
pub fn status(status: u16, headers: &str, body: &str) -> Act {
    Act::Reply { status, headers: headers.to_owned(), body: body.to_owned() }
}

/// A server that runs until the test program ends.
pub struct Standin {
    pub url: String,
    seen: Arc<Seen>,
}

#[derive(Default)]
struct Seen {
    latency: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    arrivals: Vec<Instant>,
    connections: usize,
    in_flight: usize,
    peak: usize,
    bodies: HashMap<String, usize>,
}

impl Standin {
    /// Starts a server that answers each call as told.
    pub fn start(act: impl Fn(&Call) -> Act + Send + Sync + 'static) -> Self {
        Self::slow(Duration::ZERO, act)
    }

    /// The same with a time that each answer takes.
    pub fn slow(latency: Duration, act: impl Fn(&Call) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let seen = Arc::new(Seen { latency, state: Mutex::default() });
        let (shared, act) = (Arc::clone(&seen), Arc::new(act));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (shared, act) = (Arc::clone(&shared), Arc::clone(&act));
                shared.state.lock().unwrap().connections += 1;
                // A client that went away is no failure of the server.
                thread::spawn(move || shared.serve(stream.unwrap(), &*act).ok());
            }
        });
        Self { url, seen }
    }

    pub fn calls(&self) -> usize {
        self.arrivals().len()
    }

    pub fn arrivals(&self) -> Vec<Instant> {
        self.seen.state.lock().unwrap().arrivals.clone()
    }

    pub fn peak(&self) -> usize {
        self.seen.state.lock().unwrap().peak
    }

    pub fn connections(&self) -> usize {
        self.seen.state.lock().unwrap().connections
    }
}

impl Seen {
    fn serve(&self, stream: TcpStream, act: &dyn Fn(&Call) -> Act) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut writer = stream;
        while let Some((mut call, text)) = read(&mut reader)? {
            (call.nth, call.seen) = self.enter(&text);
            let act = act(&call);
            thread::sleep(self.latency);
            if matches!(act, Act::Hang) {
                reader.read_to_end(&mut Vec::new())?;
            }
            self.state.lock().unwrap().in_flight -= 1;
            let Act::Reply { status, headers, body } = act else { return Ok(()) };
            let length = body.len();
            write!(writer, "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\n{headers}\r\n{body}")?;
        }
        Ok(())
    }

    fn enter(&self, body: &str) -> (usize, usize) {
        let mut state = self.state.lock().unwrap();
        state.in_flight += 1;
        state.peak = state.peak.max(state.in_flight);
        state.arrivals.push(Instant::now());
        let seen = state.bodies.entry(body.to_owned()).or_default();
        *seen += 1;
        let seen = *seen - 1;
        (state.arrivals.len() - 1, seen)
    }
}

/// The next request of a connection.
fn read(reader: &mut impl BufRead) -> std::io::Result<Option<(Call, String)>> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.trim().to_owned());
    }
    let header =
        |name: &str| lines.iter().find_map(|line| line.split_once(": ").filter(|(n, _)| n.eq_ignore_ascii_case(name)));
    let length = header("content-length").map_or(0, |(_, length)| length.parse().unwrap());
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes)?;
    let text = String::from_utf8(bytes).unwrap();
    let path = lines[0].split(' ').nth(1).unwrap().to_owned();
    let authorization = header("authorization").map(|(_, value)| value.to_owned());
    let body = serde_json::from_str(&text).unwrap();
    Ok(Some((Call { path, authorization, body, nth: 0, seen: 0 }, text)))
}
