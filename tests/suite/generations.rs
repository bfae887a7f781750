//! Generations: a job keeps the one it began with, whatever happens to the file; old ones drain, and are not without end.

use std::collections::BTreeSet;
use std::fs;

use autoscorer_tests::{Live, Sandbox, good_version, versioned};
use serde_json::json;

#[test]
fn replaced_200_times_while_jobs_run() {
    let sandbox = Sandbox::with_own_store();
    let file = sandbox.drop_bytes(&versioned(0), "good.so");
    let workspaces: Vec<_> = (0..8).map(|n| sandbox.workspace(&format!("ws{n}"), "good")).collect();
    let mut live = Live::start(&sandbox, &["--jobs", "4", "--no-artifacts"]);
    live.live(&file, 0);
    let mut submitted = 0;
    for number in 1..=200 {
        sandbox.drop_bytes(&versioned(number), "good.so");
        for workspace in &workspaces {
            live.submit(workspace);
            submitted += 1;
        }
        // Waiting for every tenth makes sure that many generations really take over.
        if number % 10 == 0 {
            live.live(&file, number);
        }
    }
    live.assert_good(&workspaces[0], 200);
    let is_result = |line: &&serde_json::Value| line["status"].is_string();
    while live.seen.iter().filter(is_result).count() < submitted + 1 {
        live.wait("all results", |line| line["status"].is_string());
    }
    let versions: Vec<u32> = live.seen.iter().filter(is_result).map(good_version).collect();
    let distinct: BTreeSet<u32> = versions.iter().copied().collect();
    assert!(distinct.len() >= 15, "jobs have run on many generations: {distinct:?}");
    assert_eq!(live.finish(), 0);
}

#[test]
fn ten_thousand_jobs_across_a_hundred_replacements() {
    const JOBS: usize = 10_000;
    const IN_FLIGHT: usize = 8;
    let sandbox = Sandbox::with_own_store();
    let file = sandbox.drop_bytes(&versioned(0), "good.so");
    let workspaces: Vec<_> = (0..2 * IN_FLIGHT).map(|n| sandbox.workspace(&format!("ws{n}"), "good")).collect();
    let mut live = Live::start(&sandbox, &["--jobs", "8", "--no-artifacts", "--max-workers", "4"]);
    live.live(&file, 0);
    let (mut submitted, mut answered, mut replaced) = (0, 0, 0);
    let (mut early, mut generations) = (0, BTreeSet::new());
    while answered < JOBS {
        while submitted < JOBS && submitted - answered < IN_FLIGHT {
            live.submit(&workspaces[submitted % workspaces.len()]);
            submitted += 1;
        }
        if answered >= (replaced as usize + 1) * JOBS / 101 && replaced < 100 {
            replaced += 1;
            sandbox.drop_bytes(&versioned(replaced), "good.so");
            // Waiting for every fifth makes sure that many generations really take over, with jobs in flight.
            if replaced % 5 == 0 {
                live.live(&file, replaced);
            }
        } else {
            live.wait("an answer", |line| line["status"].is_string());
        }
        for line in live.seen.drain(..).filter(|line| line["status"].is_string()) {
            generations.insert(good_version(&line));
            answered += 1;
        }
        if early == 0 && answered >= JOBS / 10 {
            early = live.resident_kib();
        }
    }
    let late = live.resident_kib();
    assert_eq!(replaced, 100);
    assert!(generations.len() > 10, "{generations:?}");
    // The allocator keeps a few of the buffers that libraries were copied through; a hundred leaked ones would be far more.
    let library = versioned(0).len() as u64 / 1024;
    assert!(late < early + early / 10 + 4 * library, "the host grew from {early} to {late} KiB");
    assert_eq!(live.finish(), 0);
}

#[test]
fn a_running_job_keeps_its_generation_and_the_generation_drains() {
    let sandbox = Sandbox::new();
    let file = sandbox.drop_bytes(&versioned(1), "good.so");
    let (go, begun) = (sandbox.path().join("go"), sandbox.path().join("slow/output/begun"));
    let slow = sandbox.workspace("slow", "good");
    let meta = json!({"scorer": "good", "params": {"wait_for": go, "announce": begun}});
    sandbox.write("slow/meta.json", meta.to_string());
    let quick = sandbox.workspace("quick", "good");
    let mut live = Live::start(&sandbox, &["--jobs", "2"]);
    live.live(&file, 1);
    live.submit(&slow);
    autoscorer_tests::eventually("the slow job begins", || begun.exists().then_some(()));

    sandbox.drop_bytes(&versioned(2), "good.so");
    live.live(&file, 2);
    let draining = live.event("draining", &file);
    assert_eq!((&draining["jobs"], &draining["scorers"][0]), (&json!(1), &json!("good@7.7.0001")));
    live.assert_good(&quick, 2);

    fs::remove_file(&file).unwrap();
    let retired = live.event("retired", &file);
    assert_eq!(retired["scorers"][0], "good@7.7.0002", "the idle one is gone at once");
    fs::write(&go, "").unwrap();
    let is_answer = |line: &serde_json::Value| line["data"]["workspace"] == slow.to_str().unwrap();
    let is_retired = |line: &serde_json::Value| line["event"] == "retired" && line["scorers"][0] == "good@7.7.0001";
    // The job gives its generation back before its answer is printed, so either may come first.
    live.wait("the slow job ends", |line| is_answer(line) || is_retired(line));
    live.wait("the busy generation retires", |line| is_answer(line) || is_retired(line));
    let answer = live.seen.iter().find(|line| is_answer(line)).unwrap();
    assert_eq!(good_version(answer), 1);
    assert!(live.seen.iter().any(is_retired));
}

#[test]
fn the_number_of_generations_is_capped() {
    let sandbox = Sandbox::new();
    let file = sandbox.custom("good.so");
    let workspace = sandbox.workspace("ws", "good");
    let mut live = Live::start(&sandbox, &["--max-generations", "2", "--isolation", "in-process"]);
    for number in [1, 2] {
        sandbox.drop_bytes(&versioned(number), "good.so");
        live.live(&file, number);
    }
    // The same content is the same library: it costs nothing to bring it back.
    sandbox.drop_bytes(&versioned(1), "good.so");
    live.live(&file, 1);
    sandbox.drop_bytes(&versioned(3), "good.so");
    let refused = live.event("refused", &file);
    insta::assert_snapshot!(sandbox.anonymous(&crate::misbehaving::text(&refused)));
    live.assert_good(&workspace, 1);
}
