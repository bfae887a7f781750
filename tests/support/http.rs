//! A client of HTTP/1.1, as plain as it gets: what it sends is what was asked for, even where that is wrong.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// An answer that takes longer than this does not come.
const PATIENCE: Duration = Duration::from_secs(180);

/// A client with one connection, which it keeps as long as the server does.
pub struct Client {
    address: SocketAddr,
    connection: Option<BufReader<TcpStream>>,
    token: Option<String>,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Response {
    /// Such as 200.
    pub status: u16,
    /// Names in small letters.
    pub headers: Vec<(String, String)>,
    /// As it is after the transfer.
    pub body: Vec<u8>,
}

/// An answer that goes on: its events, one by one.
pub struct EventStream {
    connection: BufReader<TcpStream>,
    text: String,
}

/// A server-sent event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its number, which Last-Event-ID names.
    pub id: i64,
    /// Such as `job.done`.
    pub kind: String,
    /// What it says.
    pub data: Value,
}

impl Client {
    /// A client without a token.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, connection: None, token: None }
    }

    /// The same with a token, which goes with every request that names no other.
    #[must_use]
    pub fn with_token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Makes a request, which the server must answer.
    pub fn request(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Response {
        let answer = self.try_request(method, path, headers, body);
        answer.unwrap_or_else(|error| panic!("{method} {path}: no answer: {error}"))
    }

    /// Makes a request; an error if the server is not there, or ends the connection before its answer is complete.
    pub fn try_request(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> io::Result<Response> {
        let request = self.text(method, path, headers, body.as_ref());
        // A connection that was idle may have been closed meanwhile; one that is new has no such excuse.
        if let Some(mut connection) = self.connection.take()
            && connection.get_mut().write_all(&request).is_ok()
            && !connection.fill_buf().unwrap_or_default().is_empty()
        {
            return self.answer(connection, method);
        }
        let mut connection = self.connect()?;
        // The answer may come before all is sent, such as one that the body is too large.
        let sent = connection.get_mut().write_all(&request);
        self.answer(connection, method).map_err(|error| sent.err().unwrap_or(error))
    }

    /// `GET`.
    pub fn get(&mut self, path: &str) -> Response {
        self.request("GET", path, &[], "")
    }

    /// `POST` of a JSON document.
    pub fn post(&mut self, path: &str, body: &Value) -> Response {
        self.request("POST", path, &[("content-type", "application/json")], body.to_string())
    }

    /// Follows events, those after a number if there is one.
    pub fn events(&self, path: &str, last: Option<i64>) -> EventStream {
        let last = last.map(|last| last.to_string()).unwrap_or_default();
        let headers = [("last-event-id", last.as_str())];
        let headers = if last.is_empty() { &[][..] } else { &headers };
        let mut connection = self.connect().unwrap();
        connection.get_mut().write_all(&self.text("GET", path, headers, b"")).unwrap();
        let (status, headers) = head(&mut connection).unwrap();
        assert_eq!((status, value(&headers, "content-type")), (200, Some("text/event-stream")), "{headers:?}");
        EventStream { connection, text: String::new() }
    }

    /// Sends bytes as they are and gives all that comes back until the server closes the connection.
    pub fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut connection = self.connect().unwrap();
        // A server that has had enough does not read to the end.
        _ = connection.get_mut().write_all(bytes);
        let mut answer = Vec::new();
        _ = connection.read_to_end(&mut answer);
        answer
    }

    /// A connection on which nothing was sent yet.
    pub fn connect(&self) -> io::Result<BufReader<TcpStream>> {
        let stream = TcpStream::connect_timeout(&self.address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(BufReader::new(stream))
    }

    /// A request as it is sent.
    pub fn text(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
        let mut text = format!("{method} {path} HTTP/1.1\r\n");
        let given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        if !given("host") {
            text += &format!("host: {}\r\n", self.address);
        }
        if !given("content-length") && !given("transfer-encoding") && (!body.is_empty() || method == "POST") {
            text += &format!("content-length: {}\r\n", body.len());
        }
        if let Some(token) = self.token.as_ref().filter(|_| !given("authorization")) {
            text += &format!("authorization: Bearer {token}\r\n");
        }
        for (name, value) in headers {
            text += &format!("{name}: {value}\r\n");
        }
        [text.as_bytes(), b"\r\n", body].concat()
    }

    fn answer(&mut self, mut connection: BufReader<TcpStream>, method: &str) -> io::Result<Response> {
        let (status, headers) = head(&mut connection)?;
        let empty = method == "HEAD" || status == 204 || status == 304;
        let body = if empty { Vec::new() } else { body(&mut connection, &headers)? };
        if value(&headers, "connection") != Some("close") {
            self.connection = Some(connection);
        }
        Ok(Response { status, headers, body })
    }
}

impl Response {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        value(&self.headers, name)
    }

    /// The body as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// The body as the one JSON document it has to be.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// The data of an answer with this status.
    pub fn data(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        let answer = self.json();
        assert_eq!(answer["ok"], true, "{answer:#}");
        answer["data"].clone()
    }

    /// The error of an answer with this status, in its envelope.
    pub fn error(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        let answer = self.json();
        let whole = answer["ok"] == false && answer["data"].is_null() && answer["meta"]["request_id"].is_string();
        assert!(whole && answer["error"]["message"].is_string(), "{answer:#}");
        answer["error"].clone()
    }
}

impl EventStream {
    /// The next event that is wanted.
    pub fn wait(&mut self, what: &str, wanted: impl Fn(&Event) -> bool) -> Event {
        loop {
            let event = self.next().unwrap_or_else(|| panic!("{what}: the events have ended"));
            if wanted(&event) {
                return event;
            }
        }
    }
}

impl Iterator for EventStream {
    type Item = Event;

    /// `None` at the end of the answer.
    fn next(&mut self) -> Option<Event> {
        loop {
            while let Some(end) = self.text.find("\n\n") {
                let message: String = self.text.drain(..end + 2).collect();
                let field = |name: &str| message.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
                // A comment keeps the connection alive and says nothing.
                if let Some(data) = field("data:") {
                    let data = serde_json::from_str(data).unwrap();
                    let id = field("id:").unwrap().parse().unwrap();
                    return Some(Event { id, kind: field("event:").unwrap().to_owned(), data });
                }
            }
            let piece = chunk(&mut self.connection).ok()??;
            self.text += &String::from_utf8(piece).unwrap();
        }
    }
}

fn value<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
}

fn line(connection: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    connection.read_line(&mut line)?;
    line.strip_suffix("\r\n").map(str::to_owned).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

type Head = (u16, Vec<(String, String)>);

fn head(connection: &mut impl BufRead) -> io::Result<Head> {
    let first = line(connection)?;
    let status = first.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
    let status = status.ok_or_else(|| io::Error::other(format!("no HTTP: {first:?}")))?;
    let mut headers = Vec::new();
    loop {
        let line = line(connection)?;
        if line.is_empty() {
            return Ok((status, headers));
        }
        let (name, value) = line.split_once(':').ok_or_else(|| io::Error::other(format!("no header: {line:?}")))?;
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
}

fn body(connection: &mut impl BufRead, headers: &[(String, String)]) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    if value(headers, "transfer-encoding") == Some("chunked") {
        while let Some(piece) = chunk(connection)? {
            body.extend(piece);
        }
    } else if let Some(length) = value(headers, "content-length") {
        body.resize(length.parse().map_err(io::Error::other)?, 0);
        connection.read_exact(&mut body)?;
    } else {
        connection.read_to_end(&mut body)?;
    }
    Ok(body)
}

fn chunk(connection: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let size = usize::from_str_radix(&line(connection)?, 16).map_err(io::Error::other)?;
    let mut piece = vec![0; size];
    connection.read_exact(&mut piece)?;
    line(connection)?;
    Ok((size > 0).then_some(piece))
}
