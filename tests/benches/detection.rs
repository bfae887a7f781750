//! How long `detection_map` takes at the size of COCO's val2017 and at four times that, against reading and counting the same
//! bytes (`wc -l`), with and without artifacts, and against other programs:
//!
//! `AUTOSCORER_BENCH_PEERS='name=command {gt} {pred}; other=…' cargo bench -p autoscorer-tests --bench detection`
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark prints, and has to fail when it cannot measure"
)]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use autoscorer_tests::Sandbox;
use serde_json::Value;

const ROUNDS: usize = 11;
const CATEGORIES: u64 = 80;

fn main() {
    let sandbox = Sandbox::with_own_store();
    for (name, factor) in [("val2017", 1), ("four times val2017", 4)] {
        let workspace = sandbox.path().join(format!("ws{factor}"));
        generate(&workspace, factor);
        measure(&sandbox, name, &workspace);
    }
}

fn measure(sandbox: &Sandbox, name: &str, workspace: &Path) {
    let (gt, pred) = (workspace.join("input/gt.json"), workspace.join("output/pred.json"));
    let megabytes = (gt.metadata().unwrap().len() + pred.metadata().unwrap().len()) as f64 / 1e6;
    println!("\n{name}: {megabytes:.0} MB");
    let path = workspace.to_str().unwrap();
    let mut lines = vec![
        Line::new("wc -l", shell(&format!("wc -l {} {}", gt.display(), pred.display()))),
        Line::new("score --no-artifacts", sandbox.command(&["score", path, "--no-artifacts"])),
        Line::new("score", sandbox.command(&["score", path])),
    ];
    for peer in std::env::var("AUTOSCORER_BENCH_PEERS").unwrap_or_default().split(';').filter(|peer| peer.contains('='))
    {
        let (name, command) = peer.split_once('=').unwrap();
        let command = command.replace("{gt}", gt.to_str().unwrap()).replace("{pred}", pred.to_str().unwrap());
        lines.push(Line::new(name.trim(), shell(&command)));
    }
    // Interleaved, so that a slow moment of the machine hits all of them.
    for round in 0..=ROUNDS {
        for line in &mut lines {
            line.run(round > 0);
        }
    }
    let base = lines[1].wall();
    println!("{:24} {:>10} {:>8} {:>10}", "", "median", "ratio", "cpu");
    for line in &mut lines {
        let (wall, cpu) = (line.wall(), line.cpu / ROUNDS as u32);
        let ratio = wall.as_secs_f64() / base.as_secs_f64();
        println!(
            "{:24} {:>7.1} ms {ratio:>8.2} {:>7.0} ms",
            line.name,
            wall.as_secs_f64() * 1e3,
            cpu.as_secs_f64() * 1e3
        );
    }
    let result: Value = serde_json::from_slice(&std::fs::read(workspace.join("output/result.json")).unwrap()).unwrap();
    println!("AP {}, peak memory with artifacts {} MB", result["metrics"]["AP"], result["resources"]["memory_peak_mb"]);
}

struct Line {
    name: String,
    command: Command,
    walls: Vec<Duration>,
    /// Of all rounds.
    cpu: Duration,
}

impl Line {
    fn new(name: &str, command: Command) -> Self {
        Self { name: name.to_owned(), command, walls: Vec::new(), cpu: Duration::ZERO }
    }

    fn run(&mut self, counts: bool) {
        let (cpu, start) = (children_cpu(), Instant::now());
        let status = self.command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(status.success(), "{:?}", self.command);
        if counts {
            self.walls.push(start.elapsed());
            self.cpu += children_cpu() - cpu;
        }
    }

    fn wall(&mut self) -> Duration {
        self.walls.sort();
        self.walls[self.walls.len() / 2]
    }
}

fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    shell
}

/// The processor time of all processes that have ended, in ticks of 10 ms.
fn children_cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: u64 = fields[13].parse::<u64>().unwrap() + fields[14].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

/// A COCO file and predictions, the same ones each time: 5,000 images, 36,000 boxes with outlines and 450,000 predictions,
/// times the factor.
fn generate(workspace: &Path, factor: u64) {
    let mut random = Random(0x5eed);
    let (images, truths, predictions) = (5_000 * factor, 36_000 * factor, 450_000 * factor);
    let boxes: Vec<(u64, u64, [f64; 4])> =
        (0..truths).map(|n| (n * images / truths, random.category(), random.sides())).collect();
    let mut gt = String::from("{\"info\": {\"description\": \"made up\"}, \"images\": [");
    list(&mut gt, images, |gt, id| {
        write!(gt, "{{\"file_name\": \"{id:012}.jpg\", \"height\": 480, \"width\": 640, \"id\": {id}}}")
    });
    gt.push_str("], \"annotations\": [");
    list(&mut gt, truths, |gt, n| {
        let (image, category, [x, y, w, h]) = boxes[n as usize];
        gt.push_str("{\"segmentation\": [[");
        list(gt, 40, |gt, point| write!(gt, "{:.2}", x + w * point as f64 / 40.0));
        let (area, id) = (w * h * 0.8, n + 1);
        write!(gt, "]], \"area\": {area:.4}, \"iscrowd\": {}, \"image_id\": {image}, ", u8::from(n % 80 == 7))?;
        write!(gt, "\"bbox\": [{x:.2}, {y:.2}, {w:.2}, {h:.2}], \"category_id\": {category}, \"id\": {id}}}")
    });
    gt.push_str("], \"categories\": [");
    list(&mut gt, CATEGORIES, |gt, id| write!(gt, "{{\"id\": {}, \"name\": \"class {id}\"}}", id + 1));
    gt.push_str("]}");
    let mut pred = String::from("[");
    list(&mut pred, predictions, |pred, n| {
        // Every twelfth prediction is about a box; the others are anywhere in the image.
        let truth = boxes[(n * truths / predictions) as usize];
        let (category, [x, y, w, h], score) = match n % 12 {
            0 => (truth.1, random.near(truth.2), 0.2 + 0.8 * random.share()),
            1..6 => (truth.1, random.sides(), random.low_score()),
            _ => (random.category(), random.sides(), random.low_score()),
        };
        // Detectors write single precision, widened.
        let [x, y, w, h, score] = [x, y, w, h, score].map(|value| f64::from(value as f32));
        let image = truth.0;
        write!(
            pred,
            "{{\"image_id\": {image}, \"category_id\": {category}, \"bbox\": [{x}, {y}, {w}, {h}], \"score\": {score}}}"
        )
    });
    pred.push(']');
    let write = |name: &str, text: &str| {
        let path: PathBuf = workspace.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("meta.json", "{\"scorer\": \"detection_map\"}");
    write("input/gt.json", &gt);
    write("output/pred.json", &pred);
}

fn list(text: &mut String, count: u64, mut item: impl FnMut(&mut String, u64) -> std::fmt::Result) {
    for n in 0..count {
        if n > 0 {
            text.push_str(", ");
        }
        item(text, n).unwrap();
    }
}

/// Numbers that look random and are the same each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// From 0 to 1.
    fn share(&mut self) -> f64 {
        self.next() as f64 / (1u64 << 31) as f64
    }

    /// Low categories are frequent, high ones rare.
    fn category(&mut self) -> u64 {
        let share = self.share();
        1 + (share * share * share * CATEGORIES as f64) as u64
    }

    /// A box that overlaps another one by three quarters or so.
    fn near(&mut self, [x, y, w, h]: [f64; 4]) -> [f64; 4] {
        let mut off = |side: f64| side * 0.25 * (self.share() - 0.5);
        [x + off(w), y + off(h), w + off(w), h + off(h)]
    }

    /// Detectors give most of their boxes next to no confidence.
    fn low_score(&mut self) -> f64 {
        0.5 * self.share().powi(6)
    }

    fn sides(&mut self) -> [f64; 4] {
        let (w, h) = (4.0 + 300.0 * self.share() * self.share(), 4.0 + 300.0 * self.share() * self.share());
        [(640.0 - w) * self.share(), (480.0 - h) * self.share(), w, h]
    }
}
