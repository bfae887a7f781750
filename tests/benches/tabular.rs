//! Scoring tables, whole processes from start to `result.json`, beside other ways to do it in the same run.
//!
//! `cargo bench -p autoscorer-tests --bench tabular [-- ROWS…]`; 10,000 and 1,000,000 rows if none are given. The peers of
//! `tabular.py` take part where `python3` (or what `PYTHON` names) has their packages, and so does any other program:
//! `PEERS='NAME=COMMAND {kind} {gt} {pred};…'`.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and has to fail when it cannot measure"
)]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use autoscorer_tests::{Sandbox, built};

const ROUNDS: usize = 7;

/// Labels as people write them: some need quotes, some are not ASCII.
const WORDS: [&str; 10] = [
    "cat",
    "dog",
    "traffic light",
    "\"New York, NY\"",
    "\"the \"\"big\"\" one\"",
    "São Paulo",
    "Москва",
    "東京",
    "x",
    "truck",
];

fn main() {
    let given: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if given.is_empty() { vec![10_000, 1_000_000] } else { given };
    for rows in sizes {
        for kind in ["classification", "regression"] {
            measure(kind, rows);
        }
    }
}

fn measure(kind: &str, rows: usize) {
    let sandbox = Sandbox::with_own_store();
    let workspace = generate(&sandbox, kind, rows);
    let mut contestants = contestants(&sandbox, kind, &workspace);
    // Once to warm up and to see who can take part; then interleaved, so that a slow moment of the machine hits all alike.
    contestants.retain_mut(|contestant| contestant.run().is_some());
    for contestant in (0..ROUNDS).flat_map(|_| 0..contestants.len()).collect::<Vec<_>>() {
        let time = contestants[contestant].run().unwrap();
        contestants[contestant].times.push(time);
    }
    let bytes: u64 = files(&workspace).iter().map(|file| fs::metadata(file).unwrap().len()).sum();
    println!("\n{kind}, {rows} rows, {:.1} MB, median of {ROUNDS}, ratio to ours\n", bytes as f64 / 1e6);
    let ours = contestants[0].median();
    for contestant in &mut contestants {
        let time = contestant.median();
        println!("{:32} {:>10.2} ms {:>8.2}", contestant.name, time * 1e3, time / ours);
    }
    let result = fs::read(workspace.join("output/result.json")).unwrap();
    let result: serde_json::Value = serde_json::from_slice(&result).unwrap();
    let peak = result["resources"]["memory_peak_mb"].as_f64().unwrap() * 1048576.0;
    println!("{:32} {:>10.1} MB {:>8.2} of the files", "our peak memory", peak / 1e6, peak / bytes as f64);
}

struct Contestant {
    name: String,
    command: Command,
    times: Vec<Duration>,
}

impl Contestant {
    fn new(name: &str, command: Command) -> Self {
        Self { name: name.to_owned(), command, times: Vec::new() }
    }

    fn run(&mut self) -> Option<Duration> {
        let start = Instant::now();
        let status = self.command.stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
        status.success().then(|| start.elapsed())
    }

    fn median(&mut self) -> f64 {
        self.times.sort();
        self.times[self.times.len() / 2].as_secs_f64()
    }
}

fn contestants(sandbox: &Sandbox, kind: &str, workspace: &Path) -> Vec<Contestant> {
    let [gt, pred] = files(workspace);
    let [gt, pred] = [gt.to_str().unwrap(), pred.to_str().unwrap()];
    let path = workspace.to_str().unwrap();
    let shell = |line: &str| {
        let mut command = Command::new("sh");
        command.arg("-c").arg(format!("exec {line}"));
        command
    };
    let mut all = vec![
        Contestant::new("score --no-artifacts", sandbox.command(&["score", "--no-artifacts", path])),
        Contestant::new("score", sandbox.command(&["score", path])),
        Contestant::new("floor: wc -l", shell(&format!("wc -l {gt} {pred}"))),
    ];
    let script = built().root.join("tests/benches/tabular.py");
    for peer in ["python", "duckdb", "polars"] {
        let mut command = Command::new(std::env::var("PYTHON").unwrap_or("python3".to_owned()));
        command.arg(&script).args([peer, kind, gt, pred]);
        all.push(Contestant::new(peer, command));
    }
    for peer in std::env::var("PEERS").unwrap_or_default().split(';').filter(|peer| !peer.is_empty()) {
        let (name, line) = peer.split_once('=').unwrap();
        all.push(Contestant::new(
            name,
            shell(&line.replace("{kind}", kind).replace("{gt}", gt).replace("{pred}", pred)),
        ));
    }
    all
}

fn files(workspace: &Path) -> [PathBuf; 2] {
    [workspace.join("input/gt.csv"), workspace.join("output/pred.csv")]
}

/// A workspace whose ground truth is in order and whose predictions are not.
fn generate(sandbox: &Sandbox, kind: &str, rows: usize) -> PathBuf {
    let scorer = if kind == "classification" { "classification_f1" } else { "regression_rmse" };
    let workspace = sandbox.workspace("ws", scorer);
    let mut random = Random(1);
    let mut order: Vec<usize> = (0..rows).collect();
    for last in (1..rows).rev() {
        order.swap(last, random.below(last + 1));
    }
    let column = if kind == "classification" { "label" } else { "value" };
    let [gt, pred] = files(&workspace).map(|file| BufWriter::new(File::create(file).unwrap()));
    for (mut file, wrong, order) in [(gt, 0, (0..rows).collect()), (pred, 5, order)] {
        writeln!(file, "id,{column}").unwrap();
        for row in order {
            // The same truth for a row in both files, and now and then something else in the predictions.
            let mut of_row = Random(row as u64 + 7);
            let number = of_row.below(1_000_000);
            let off = if wrong > 0 { of_row.below(wrong) } else { 0 };
            if kind == "classification" {
                let label = (number + if off == 1 { 3 } else { 0 }) % 100;
                // A quoted word keeps its quotes at its ends.
                let (word, count) = (WORDS[label % WORDS.len()], label / WORDS.len());
                match word.strip_suffix('"') {
                    Some(open) => writeln!(file, "img_{row:08}.jpg,{open} {count}\""),
                    None => writeln!(file, "img_{row:08}.jpg,{word} {count}"),
                }
                .unwrap();
            } else {
                let value = number as f64 / 1e3 - 250.0;
                let value = if wrong > 0 { value * (1.0 + off as f64 / 30.0) + 0.1 } else { value };
                writeln!(file, "img_{row:08}.jpg,{value}").unwrap();
            }
        }
        file.flush().unwrap();
    }
    workspace
}

/// Numbers that look random and are always the same.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % limit as u64) as usize
    }
}
