//! What the daemon takes: scores a second as a share of the cheapest request, durable submissions a second, and how much
//! later answers come while libraries are replaced.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark that cannot go on has to fail")]

use std::fs;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use autoscorer_tests::{Client, Sandbox, Server, versioned};
use serde_json::json;

const CLIENTS: usize = 8;
const ROUND: Duration = Duration::from_secs(3);

/// How long each request of a round took.
fn round(server: &Server, once: impl Fn(&mut Client, usize) + Sync) -> Vec<Duration> {
    let (over, next) = (AtomicBool::new(false), AtomicUsize::new(0));
    let client = || {
        let (mut client, mut took) = (server.client(), Vec::new());
        while !over.load(Ordering::Relaxed) {
            let start = Instant::now();
            once(&mut client, next.fetch_add(1, Ordering::Relaxed));
            took.push(start.elapsed());
        }
        took
    };
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
        let end = Instant::now() + ROUND;
        // Whoever is woken early goes on waiting.
        while Instant::now() < end {
            thread::park_timeout(end - Instant::now());
        }
        over.store(true, Ordering::Relaxed);
        let mut all: Vec<Duration> = clients.into_iter().flat_map(|client| client.join().unwrap()).collect();
        all.sort();
        all
    })
}

fn rate(took: &[Duration]) -> f64 {
    took.len() as f64 / ROUND.as_secs_f64()
}

fn p99(took: &[Duration]) -> Duration {
    took[took.len() * 99 / 100]
}

fn show(what: &str, took: &[Duration]) {
    println!(
        "{what:<44} {:>9.0} a second   median {:>9.1?}   p99 {:>9.1?}",
        rate(took),
        took[took.len() / 2],
        p99(took)
    );
}

/// What no daemon can go below: the files of a score read and its result replaced, by as many threads as there are cores, with
/// no HTTP, no checks and no scorer.
fn floor(sandbox: &Sandbox) -> f64 {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (done, result) = (AtomicUsize::new(0), vec![b'x'; 2_000]);
    let end = Instant::now() + ROUND;
    let once = |number: usize| {
        let workspace = sandbox.path().join(format!("built-in-{}", number % (CLIENTS * 2)));
        for file in ["meta.json", "input/gt.csv", "output/pred.csv"] {
            fs::read(workspace.join(file)).unwrap();
        }
        let aside = workspace.join(format!("output/.floor-{number}"));
        _ = fs::remove_file(workspace.join("output/result.json"));
        fs::write(&aside, &result).unwrap();
        fs::rename(aside, workspace.join("output/result.json")).unwrap();
    };
    thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while Instant::now() < end {
                    once(done.fetch_add(1, Ordering::Relaxed));
                }
            });
        }
    });
    done.load(Ordering::Relaxed) as f64 / ROUND.as_secs_f64()
}

fn main() {
    let sandbox = Sandbox::with_own_store();
    for number in 0..CLIENTS * 2 {
        sandbox.workspace(&format!("built-in-{number}"), "classification_f1");
        sandbox.workspace(&format!("custom-{number}"), "good");
    }
    sandbox.drop_bytes(&versioned(1), "good.so");
    let server = Server::start_with(&sandbox, &["--queue-limit", "10000000"], |command| {
        command.env("AUTOSCORER_LOG", "autoscorer=warn")
    });
    let score = |kind: &'static str, artifacts: bool| {
        move |client: &mut Client, number: usize| {
            let workspace = format!("{kind}-{}", number % (CLIENTS * 2));
            client.post("/score", &json!({"workspace": workspace, "artifacts": artifacts})).data(200);
        }
    };
    let health = round(&server, |client, _| assert_eq!(client.get("/healthz").status, 200));
    let plain = round(&server, score("built-in", false));
    let full = round(&server, score("built-in", true));
    show("GET /healthz", &health);
    show("POST /score, small workspace, no artifacts", &plain);
    show("POST /score, small workspace", &full);
    let floor = floor(&sandbox);
    println!("its files alone, without a daemon            {floor:>9.0} a second");
    println!(
        "share of /healthz                            {:.3} and {:.3}",
        rate(&plain) / rate(&health),
        rate(&full) / rate(&health)
    );
    println!("share of its files alone                     {:.3}\n", rate(&plain) / floor);

    let calm = round(&server, score("custom", false));
    let builds: Vec<Vec<u8>> = (1..=4).map(versioned).collect();
    let over = AtomicBool::new(false);
    let replaced = thread::scope(|scope| {
        scope.spawn(|| {
            for build in builds.iter().cycle().take_while(|_| !over.load(Ordering::Relaxed)) {
                sandbox.drop_bytes(build, "good.so");
                thread::park_timeout(Duration::from_millis(200));
            }
        });
        let replaced = round(&server, score("custom", false));
        over.store(true, Ordering::Relaxed);
        replaced
    });
    show("POST /score, custom scorer, calm", &calm);
    show("the same, library replaced every 200 ms", &replaced);
    println!(
        "p99 in replacement to p99 in calm            {:.2}\n",
        p99(&replaced).as_secs_f64() / p99(&calm).as_secs_f64()
    );

    let submitted = round(&server, |client, number| {
        let workspace = format!("built-in-{}", number % (CLIENTS * 2));
        client.post("/api/v1/jobs", &json!({"workspace": workspace, "artifacts": false})).data(202);
    });
    show("POST /api/v1/jobs, each on disk", &submitted);
}
