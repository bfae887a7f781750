//! How long scoring a small workspace takes, against the program's bare start: the ratio says what loading one library costs.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and has to fail when it cannot measure"
)]

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use autoscorer_tests::{Sandbox, versioned};

const ROUNDS: usize = 200;

fn main() {
    let sandbox = Sandbox::with_own_store();
    sandbox.workspace("builtin", "classification_f1");
    sandbox.workspace("custom", "good");
    sandbox.drop_bytes(&versioned(1), "good.so");
    let commands: [(&str, &[&str]); 4] = [
        ("--version", &["--version"]),
        ("scorers list (metadata and one probe)", &["scorers", "list"]),
        ("score, built-in", &["score", "builtin"]),
        ("score, custom (with its probe)", &["score", "custom"]),
    ];
    // Interleaved, so that a slow moment of the machine hits all of them.
    let mut times = vec![Vec::with_capacity(ROUNDS); commands.len()];
    for round in 0..ROUNDS + 5 {
        for ((_, arguments), times) in commands.iter().zip(&mut times) {
            let time = run(&mut sandbox.command(arguments));
            if round >= 5 {
                times.push(time);
            }
        }
    }
    let floor = median(&mut times[0].clone());
    println!("{:40} {:>10} {:>8}", "", "median", "ratio");
    for ((name, _), times) in commands.iter().zip(&mut times) {
        let time = median(times);
        println!("{name:40} {:>7.2} ms {:>8.2}", time.as_secs_f64() * 1e3, time.as_secs_f64() / floor.as_secs_f64());
    }
}

fn run(command: &mut Command) -> Duration {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert!(status.success(), "{command:?}");
    start.elapsed()
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}
