//! What isolation costs: a warm worker's call against one in the host, a cold start, and how far past its limit a scorer
//! lives that does not end by itself.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and has to fail when it cannot measure"
)]

use std::time::Duration;

use autoscorer_tests::{Live, Sandbox, versioned};
use serde_json::json;

const CALLS: usize = 2_000;

fn main() {
    let here = calls("in-process");
    let apart = calls("process");
    println!("{:32} {:>10}", "", "median");
    println!("{:32} {:>7.0} µs", "call in the host", here.as_secs_f64() * 1e6);
    println!("{:32} {:>7.0} µs", "call of a warm worker", apart.as_secs_f64() * 1e6);
    println!("{:32} {:>7.0} µs", "difference", (apart.as_secs_f64() - here.as_secs_f64()) * 1e6);
    println!("{:32} {:>7.1} ms", "cold start of a worker", cold().as_secs_f64() * 1e3);
    println!("{:32} {:>7.1} MiB", "private memory of a worker", worker_memory());
    println!("\nhow long past its limit of 500 ms a scorer lives");
    for sin in ["sin_spin", "sin_sleep", "sin_print"] {
        println!("{sin:32} {:>7.0} ms", overtime(sin).as_secs_f64() * 1e3);
    }
}

/// The median of a built-in scorer's time, as the results tell it, when one call follows the other.
fn calls(isolation: &str) -> Duration {
    let sandbox = Sandbox::with_own_store();
    let workspace = sandbox.workspace("ws", "classification_f1");
    let mut live = Live::start(&sandbox, &["--jobs", "1", "--no-artifacts", "--isolation", isolation]);
    median((0..CALLS).map(|_| compute_time(&live.score(&workspace))).collect())
}

/// The first call of a generation whose only worker is busy elsewhere pays for a start.
fn cold() -> Duration {
    let times = (0..20).map(|_| {
        let (sandbox, workspace) = sandbox();
        let mut live = Live::start(&sandbox, &["--jobs", "2", "--no-artifacts"]);
        let waiting =
            json!({"workspace": workspace, "scorer": "good", "params": {"wait_for": sandbox.path().join("never")}});
        live.submit(waiting.to_string());
        compute_time(&live.score(&sandbox.workspace("other", "good")))
    });
    median(times.collect())
}

fn worker_memory() -> f64 {
    let (sandbox, workspace) = sandbox();
    let mut live = Live::start(&sandbox, &["--jobs", "1"]);
    live.score(&workspace);
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let worker = processes.map(|process| process.path()).find(|process| {
        let command = std::fs::read_to_string(process.join("cmdline")).unwrap_or_default();
        command.contains("__worker") && command.contains(sandbox.path().to_str().unwrap())
    });
    let rollup = std::fs::read_to_string(worker.unwrap().join("smaps_rollup")).unwrap();
    let kib: f64 = rollup
        .lines()
        .filter(|line| line.starts_with("Private_"))
        .map(|line| line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap())
        .sum();
    kib / 1024.0
}

fn overtime(sin: &str) -> Duration {
    let sandbox = Sandbox::with_own_store();
    sandbox.drop_library("misbehaving_sinner", "sinner.so");
    let workspace = sandbox.workspace("ws", sin);
    let mut live = Live::start(&sandbox, &["--jobs", "1", "--timeout", "0.5", "--memory", "256Mi", "--breaker", "0"]);
    let times = (0..5).map(|_| {
        let answer = live.score(&workspace);
        assert_eq!(answer["error"]["code"], "TIMEOUT_ERROR", "{answer:#}");
        compute_time(&answer).saturating_sub(Duration::from_millis(500))
    });
    times.max().unwrap()
}

fn sandbox() -> (Sandbox, std::path::PathBuf) {
    let sandbox = Sandbox::with_own_store();
    sandbox.drop_bytes(&versioned(1), "good.so");
    let workspace = sandbox.workspace("ws", "good");
    (sandbox, workspace)
}

fn compute_time(answer: &serde_json::Value) -> Duration {
    Duration::from_secs_f64(answer["data"]["timing"]["compute_time"].as_f64().unwrap())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
