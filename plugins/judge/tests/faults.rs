//! Pairs judged by a server that fails: what passes, what does not, and what is said about it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to fail")]

mod pairs;
mod standin;

use std::fs;
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use autoscorer_judge::{JudgeError, Settings, Verdict};
use pairs::{KEY, Pairs, settings};
use standin::{Act, Call, Standin, say, status};

/// What befalls the first tries of every fourth pair or so.
fn fault(call: &Call) -> Option<Act> {
    let number: usize = call.pair().0.split(' ').nth(1)?.parse().ok()?;
    match (number % 8, call.seen) {
        (0, 0) => Some(status(500, "", "oops")),
        (1, 0..2) => Some(status(200, "", "{\"choices\": [{\"message\": {\"content\": ")),
        (2, 0..2) => Some(Act::Drop),
        (3, 0) => Some(Act::Hang),
        (4, 0..3) => Some(status(429, "Retry-After: 0\r\n", "{}")),
        (5, 0) => Some(status(200, "", "{\"error\": {\"message\": \"overloaded\"}}")),
        (6, 0) => Some(status(200, "", "{\"choices\": []}")),
        _ => None,
    }
}

#[test]
fn what_passes_changes_no_verdict() {
    let server = Standin::start(|call| fault(call).unwrap_or_else(|| call.judged()));
    let mut pairs = Pairs::many(80);
    let usage = pairs.judge(&Settings { timeout: Duration::from_secs(2), ..settings(&server.url) }).unwrap();
    pairs.assert_true();
    assert_eq!((usage.failed, usage.undecided, usage.retries), (0, 0, 110));
    assert_eq!(usage.calls as usize, server.calls());
    assert_eq!(usage.calls, 80 + 110);
}

#[test]
fn a_pair_with_bad_luck_is_asked_more_often_while_others_are_answered() {
    let unlucky = |call: &Call| call.pair().0 == "lock 0" && call.seen < 7;
    let server =
        Standin::slow(
            Duration::from_millis(2),
            move |call| {
                if unlucky(call) { status(500, "", "oops") } else { call.judged() }
            },
        );
    let settings = Settings { retries: 4, concurrency: 2, pause: Duration::from_millis(5), ..settings(&server.url) };
    let mut pairs = Pairs::many(500);
    let usage = pairs.judge(&settings).unwrap();
    pairs.assert_true();
    assert_eq!((usage.failed, usage.retries), (0, 7));
    // Alone it has no such claim.
    let mut alone = Pairs::many(1);
    let server = Standin::start(move |call| if unlucky(call) { status(500, "", "oops") } else { call.judged() });
    let usage = alone.judge(&Settings { llm: pairs::settings(&server.url).llm, ..settings }).unwrap();
    assert_eq!((usage.failed, usage.calls), (1, 5));
}

#[test]
fn the_whole_endpoint_waits_as_long_as_the_server_asks() {
    let wait = Duration::from_secs(1);
    let server = Standin::start(|call| match call.nth {
        0 => status(429, "Retry-After: 1\r\n", "{}"),
        _ => call.judged(),
    });
    let mut pairs = Pairs::many(6);
    pairs.judge(&Settings { concurrency: 1, ..settings(&server.url) }).unwrap();
    pairs.assert_true();
    let arrivals = server.arrivals();
    assert_eq!(arrivals.len(), 7);
    assert!(arrivals[1..].iter().all(|arrival| *arrival - arrivals[0] >= wait), "{arrivals:?}");
}

#[test]
fn a_call_that_is_turned_away_alone_waits_alone() {
    // One pair is turned away until all others are answered.
    let others = AtomicUsize::new(0);
    let server = Standin::slow(Duration::from_millis(30), move |call| {
        if call.pair().0 != "lock 0" {
            others.fetch_add(1, Ordering::Relaxed);
        } else if others.load(Ordering::Relaxed) < 199 {
            return status(429, "Retry-After: 1\r\n", "{}");
        }
        call.judged()
    });
    let mut pairs = Pairs::many(200);
    let usage = pairs.judge(&Settings { concurrency: 8, ..settings(&server.url) }).unwrap();
    pairs.assert_true();
    assert_eq!(usage.failed, 0);
    // If all waited with it, only the seven in flight would be answered between one try and the next: 28 tries at least.
    assert!((1..25).contains(&usage.retries), "{} retries", usage.retries);
}

#[test]
fn a_wait_that_nobody_would_bear_fails_at_once() {
    let server = Standin::start(|_| status(429, "Retry-After: 86400\r\n", "{}"));
    let begin = Instant::now();
    let mut pairs = Pairs::many(2);
    let usage = pairs.judge(&settings(&server.url)).unwrap();
    assert_eq!((usage.failed, usage.calls), (2, 2));
    assert!(pairs.of(0).reason.as_ref().unwrap().contains("86400"), "{:?}", pairs.of(0));
    assert!(begin.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_refusal_ends_the_run_and_names_the_setting() {
    for (code, setting) in [(401, "LLM_API_KEY"), (403, "LLM_API_KEY"), (404, "LLM_MODEL_URL"), (307, "LLM_MODEL_URL")]
    {
        let server = Standin::start(move |_| {
            status(code, "Location: /elsewhere\r\n", &format!("{{\"message\": \"no {KEY}\"}}"))
        });
        let error = Pairs::many(100).judge(&Settings { concurrency: 2, ..settings(&server.url) }).unwrap_err();
        let told = format!("{error} {error:?}");
        assert!(matches!(error, JudgeError::Refused { .. }) && told.contains(setting) && !told.contains(KEY), "{told}");
        assert!(server.calls() <= 4, "{code}: {} calls", server.calls());
    }
}

#[test]
fn one_pair_that_is_refused_by_a_working_server_fails_alone() {
    let server = Standin::start(|call| match call.pair().0.as_str() {
        "lock 7" => status(403, "", "{\"error\": {\"message\": \"against our policy\"}}"),
        "lock 8" => status(400, "", "{\"error\": {\"message\": \"too long\"}}"),
        _ => call.judged(),
    });
    let mut pairs = Pairs::many(10).chained();
    assert_eq!(pairs.judge(&settings(&server.url)).unwrap().failed, 2);
    assert!(pairs.of(7).reason.as_ref().unwrap().contains("against our policy"));
    assert_eq!((pairs.of(7).calls, pairs.of(8).calls), (1, 2));
    assert_eq!(pairs.of(9).verdict, Verdict::Different);
}

#[test]
fn a_server_that_goes_away_leaves_failures_and_the_next_run_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let failing = Standin::start(|call| if call.nth < 30 { call.judged() } else { Act::Drop });
    let cached = |url: &str| Settings { cache: Some(folder.path().to_owned()), ..settings(url) };
    let mut pairs = Pairs::many(200);
    let usage = pairs.judge(&cached(&failing.url)).unwrap();
    assert_eq!((usage.done, usage.failed, usage.cached), (200, 170, 0));
    assert!(failing.calls() < 400, "a server that is gone is not asked for every pair: {} calls", failing.calls());
    let judged = pairs.judgements.iter().flatten().filter(|judgement| judgement.verdict.is_decided()).count();
    assert_eq!(judged, 30);
    let working = Standin::start(Call::judged);
    let mut rest = Pairs::many(200);
    let usage = rest.judge(&cached(&working.url)).unwrap();
    rest.assert_true();
    assert_eq!((usage.cached, usage.calls), (30, 170));
}

#[test]
fn nobody_at_the_address_is_a_failure_of_each_pair() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let mut pairs = Pairs::many(40);
    let usage = pairs.judge(&settings(&url)).unwrap();
    assert_eq!((usage.done, usage.failed), (40, 40));
    assert!(pairs.of(0).reason.as_ref().unwrap().contains("no connection to judge at http://127.0.0.1"));
}

#[test]
fn a_server_that_repeats_the_key_does_not_spread_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = Standin::start(|call| match call.pair().0.as_str() {
        "lock 0" => say(&format!("{{\"same\": true, \"reason\": \"your key is {KEY}\"}}")),
        "lock 1" => say(&format!("I like {KEY}")),
        _ => status(500, "", &format!("Authorization: Bearer {KEY}")),
    });
    let mut pairs = Pairs::many(3);
    let settings = Settings { cache: Some(folder.path().to_owned()), retries: 1, ..settings(&server.url) };
    pairs.judge(&settings).unwrap();
    let shown = format!("{:?} {settings:?}", pairs.judgements);
    let kept = fs::read_to_string(folder.path().join("verdicts.jsonl")).unwrap();
    assert!(!shown.contains(KEY) && !kept.contains(KEY), "{shown}");
    assert!(shown.contains("your key is ***"));
}

#[test]
fn a_cache_that_cannot_be_written_is_told_before_the_first_call() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let server = Standin::start(Call::judged);
    let error = Pairs::many(3).judge(&Settings { cache: Some(file), ..settings(&server.url) }).unwrap_err();
    assert!(matches!(error, JudgeError::File { .. }));
    assert_eq!(server.calls(), 0);
}
