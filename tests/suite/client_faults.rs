//! What the client does when the server breaks off, stays silent, or is none: a stand-in server plays it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use autoscorer_tests::{Finished, Sandbox};

const ID: &str = "0192f0c1-7a5e-7d3c-9b0e-5f1d2c3b4a59";

/// A request as it came: its first line, and its headers in small letters.
struct Asked {
    line: String,
    headers: String,
}

impl Asked {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

/// Answers each request by its number and first line; without an answer the connection is closed.
fn stand_in(answer: impl Fn(usize, &str) -> Option<String> + Send + 'static) -> (SocketAddr, Receiver<Asked>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") && stream.read_until(b'\n', &mut head).unwrap() > 0 {}
            let head = String::from_utf8(head).unwrap();
            let (line, headers) = head.split_once("\r\n").unwrap();
            let asked = Asked { line: line.to_owned(), headers: headers.to_lowercase().replace('\r', "") };
            let length = asked.header("content-length").map_or(0, |length| length.parse().unwrap());
            std::io::copy(&mut stream.by_ref().take(length), &mut std::io::sink()).unwrap();
            let answer = answer(number, &asked.line);
            // The test may have seen enough.
            _ = sender.send(asked);
            if let Some(answer) = answer {
                _ = stream.get_mut().write_all(answer.as_bytes());
            }
        }
    });
    (address, receiver)
}

fn json(status: u16, data: &str) -> String {
    let body = format!(r#"{{"ok": true, "data": {data}}}"#);
    format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
}

fn job(state: &str) -> String {
    json(200, &format!(r#"{{"id": "{ID}", "state": "{state}", "submitter": "me", "created": "then"}}"#))
}

fn command(sandbox: &Sandbox, address: SocketAddr, arguments: &[&str]) -> Command {
    let mut command = sandbox.command(arguments);
    command.env("AUTOSCORER_SERVER", format!("http://{address}"));
    command
}

#[test]
fn a_broken_submission_is_repeated_under_the_same_key() {
    let sandbox = Sandbox::new();
    let (address, asked) =
        stand_in(|number, _| (number >= 2).then(|| json(202, &format!(r#"{{"id": "{ID}", "created": true}}"#))));
    let finished = Finished::from(command(&sandbox, address, &["submit", "ws"]).output().unwrap());
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    let keys: Vec<_> = asked.iter().take(3).map(|asked| asked.header("idempotency-key").unwrap().to_owned()).collect();
    assert_eq!((&keys[0], &keys[0]), (&keys[1], &keys[2]));
    assert!(!keys[0].is_empty());
}

#[test]
fn events_are_followed_on_after_a_break_and_none_twice() {
    let sandbox = Sandbox::new();
    let event = |number: u32, kind: &str| {
        let data = format!(r#"{{"at": "t{number}", "kind": "{kind}", "job": "{ID}", "data": {{}}}}"#);
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n: alive\n\nid: {number}\nevent: {kind}\ndata: {data}\n\n"
        )
    };
    let (address, asked) = stand_in(move |number, _| match number {
        0 => Some(job("running")),
        1 => Some(event(7, "job.running")),
        2 => None,
        3 => Some(event(8, "job.done")),
        _ => Some(job("done")),
    });
    let finished = Finished::from(command(&sandbox, address, &["jobs", "watch", ID]).output().unwrap());
    assert_eq!(finished.code, 0, "{}", finished.stderr);
    assert_eq!(finished.stdout, format!("t7  {ID}  job.running\nt8  {ID}  job.done\n"));
    let seen: Vec<_> =
        asked.iter().take(4).skip(1).map(|asked| asked.header("last-event-id").unwrap().to_owned()).collect();
    assert_eq!(seen, ["0", "7", "7"]);
}

#[test]
fn whoever_interrupts_the_waiting_learns_that_the_jobs_go_on() {
    let sandbox = Sandbox::new();
    let (address, asked) = stand_in(|_, line| {
        let accepted = || json(202, &format!(r#"{{"id": "{ID}", "created": true}}"#));
        Some(if line.starts_with("POST") { accepted() } else { job("running") })
    });
    let mut waiting = command(&sandbox, address, &["submit", "ws", "--wait"]);
    let child = waiting.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Once it looks at the job a second time, it hears signals.
    let looks = asked.iter().filter(|asked| asked.line.starts_with("GET"));
    assert_eq!(looks.take(2).count(), 2);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let finished = Finished::from(child.wait_with_output().unwrap());
    assert_eq!(finished.code, 130, "{}", finished.stderr);
    insta::assert_snapshot!(finished.stderr.replace(&address.to_string(), "[server]"), @r"
    error[CANCELLED] the waiting was stopped; jobs that go on without it: 1
           help 'autoscorer jobs watch 0192f0c1-7a5e-7d3c-9b0e-5f1d2c3b4a59 --server http://[server]' follows it, 'jobs cancel' stops it
    ");
}

#[test]
fn a_server_that_is_none_is_told_so() {
    let sandbox = Sandbox::new();
    let (address, _asked) = stand_in(|_, _| Some("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n<html>hello".to_owned()));
    let html = Finished::from(command(&sandbox, address, &["jobs", "list"]).output().unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let free = listener.local_addr().unwrap();
    drop(listener);
    let nobody = Finished::from(command(&sandbox, free, &["jobs", "list"]).output().unwrap());
    let as_json = Finished::from(command(&sandbox, free, &["submit", "ws", "--json"]).output().unwrap());
    assert_eq!(as_json.json()["error"]["code"], "SERVER_UNREACHABLE");
    let odd = sandbox.run(&["jobs", "list", "--server", "ftp://h"]);
    let named = sandbox.run(&["jobs", "list", "--server", "http://me:secret@h"]);
    assert!(!named.stderr.contains("secret"), "{}", named.stderr);
    let said = [html, nobody, as_json, odd, named].map(|finished| format!("{}: {}", finished.code, finished.stderr));
    let said = said.join("\n").replace(&address.to_string(), "[server]").replace(&free.to_string(), "[nobody]");
    insta::assert_snapshot!(said);
}

#[test]
fn help_tells_how() {
    let sandbox = Sandbox::new();
    let help = ["submit", "jobs", "config"].map(|command| sandbox.run(&[command, "-h"]).stdout);
    insta::assert_snapshot!(help.join("\n----\n"));
}
