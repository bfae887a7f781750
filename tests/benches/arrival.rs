//! How long a library takes from its last write to being live, for each way it can arrive.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and has to fail when it cannot measure"
)]

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use autoscorer_tests::{Live, Sandbox, versioned};

const ROUNDS: u32 = 15;

/// Puts this version into the folder in some way; the last write is its last action.
type Way = fn(&Sandbox, &[u8]);

fn main() {
    let ways: [(&str, Way); 5] = [
        ("mv", |sandbox, bytes| _ = sandbox.drop_bytes(bytes, "good.so")),
        ("cp in place", |sandbox, bytes| fs::write(sandbox.custom("good.so"), bytes).unwrap()),
        ("in 64 pieces", |sandbox, bytes| {
            let mut file = File::create(sandbox.custom("good.so")).unwrap();
            bytes.chunks(bytes.len() / 64 + 1).for_each(|piece| file.write_all(piece).unwrap());
        }),
        ("behind a symbolic link", |sandbox, bytes| {
            let target = sandbox.write("elsewhere.so", bytes);
            _ = symlink(target, sandbox.custom("good.so"));
        }),
        ("removed, then cp", |sandbox, bytes| {
            _ = fs::remove_file(sandbox.custom("good.so"));
            fs::write(sandbox.custom("good.so"), bytes).unwrap();
        }),
    ];
    println!("{:25} {:>10} {:>10}", "", "median", "longest");
    for (name, arrive) in ways {
        let mut times = measure(arrive);
        times.sort();
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        println!("{name:25} {:>7.0} ms {:>7.0} ms", ms(times[times.len() / 2]), ms(times[times.len() - 1]));
    }
}

fn measure(arrive: Way) -> Vec<Duration> {
    let sandbox = Sandbox::with_own_store();
    let file = sandbox.custom("good.so");
    let mut live = Live::start(&sandbox, &[]);
    let mut times = Vec::new();
    for number in 1..=ROUNDS {
        arrive(&sandbox, &versioned(number));
        let start = Instant::now();
        live.live(&file, number);
        times.push(start.elapsed());
    }
    times
}
