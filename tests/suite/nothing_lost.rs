//! Nothing is lost: whatever kills the daemon, every acknowledged job ends exactly once, and there is no other.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::thread;

use autoscorer_tests::{Client, Sandbox, Server, eventually};
use serde_json::{Value, json};

const JOBS: usize = 2_000;
const KILLS: usize = 10;
const CLIENTS: usize = 4;
const WORKSPACES: usize = 8;

/// Where the daemon is now, and what it has acknowledged.
struct Scene {
    address: RwLock<SocketAddr>,
    next: AtomicUsize,
    acknowledged: Mutex<BTreeMap<usize, String>>,
}

/// Submits until all jobs are acknowledged. A request without an answer is made again with the same key.
fn submit(scene: &Scene) {
    let mut client = Client::new(*scene.address.read().unwrap());
    loop {
        let number = scene.next.fetch_add(1, Ordering::Relaxed);
        if number >= JOBS {
            return;
        }
        let job = json!({"workspace": format!("ws{}", number % WORKSPACES), "artifacts": false}).to_string();
        let key = format!("job-{number}");
        let headers = [("content-type", "application/json"), ("idempotency-key", key.as_str())];
        let id =
            eventually("an acknowledgement", || match client.try_request("POST", "/api/v1/jobs", &headers, &job) {
                Ok(answer) if [200, 202].contains(&answer.status) => {
                    Some(answer.json()["data"]["id"].as_str().unwrap().to_owned())
                }
                Ok(answer) => panic!("{} {}", answer.status, answer.text()),
                Err(_) => {
                    client = Client::new(*scene.address.read().unwrap());
                    None
                }
            });
        scene.acknowledged.lock().unwrap().insert(number, id);
    }
}

/// Kills the daemon at random points: chance says after how many acknowledgements, and the load where it is then.
fn kill_again_and_again(scene: &Scene, server: &mut Server, sandbox: &Sandbox) {
    for round in 1..=KILLS {
        let chance = RandomState::new().hash_one(round) as usize % 150;
        let enough = JOBS * round / (KILLS + 1) + chance;
        eventually("enough jobs", || (scene.acknowledged.lock().unwrap().len() >= enough).then_some(()));
        server.kill();
        server.restart(sandbox);
        *scene.address.write().unwrap() = server.address;
    }
}

#[test]
fn ten_kills_lose_no_job_and_run_none_twice() {
    let sandbox = Sandbox::new();
    for number in 0..WORKSPACES {
        sandbox.workspace(&format!("ws{number}"), "classification_f1");
    }
    // A job may be the one that runs at every single kill, and has to live through all of them.
    let mut server = Server::start(&sandbox, &["--max-attempts", "12"]);
    let scene =
        Scene { address: RwLock::new(server.address), next: AtomicUsize::new(0), acknowledged: Mutex::default() };
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| submit(&scene))).collect();
        kill_again_and_again(&scene, &mut server, &sandbox);
        clients.into_iter().for_each(|client| client.join().unwrap());
    });
    let acknowledged = scene.acknowledged.into_inner().unwrap();
    let expected: BTreeSet<&String> = acknowledged.values().collect();
    assert_eq!((acknowledged.len(), expected.len()), (JOBS, JOBS));
    let mut client = server.client();
    let waiting = |client: &mut Client, state: &str| {
        let page = client.get(&format!("/api/v1/jobs?limit=1&state={state}")).data(200);
        !page["jobs"].as_array().unwrap().is_empty()
    };
    eventually("every job has ended", || {
        (!waiting(&mut client, "queued") && !waiting(&mut client, "running")).then_some(())
    });
    let jobs = all_jobs(&mut client);
    let ids: BTreeSet<&String> = jobs.keys().collect();
    assert_eq!(ids, expected, "other jobs than those that were acknowledged");
    for (id, job) in &jobs {
        assert_eq!((&job["state"], &job["score"]), (&json!("done"), &json!(0.6666666666666666)), "{id}: {job:#}");
    }
    let lives = lives(&server, &mut client);
    assert_eq!(lives.len(), JOBS);
    for (id, life) in &lives {
        assert_ran_once_at_a_time_and_ended_once(id, life);
    }
}

/// `running` twice in a row would be two workers at once; anything behind an end would be a second life.
fn assert_ran_once_at_a_time_and_ended_once(id: &str, life: &[String]) {
    let (end, before) = life.split_last().unwrap();
    let starts = before.chunks(2).all(|pair| pair == ["job.queued", "job.running"]);
    assert!(end == "job.done" && starts && !before.is_empty(), "{id}: {life:?}");
    // A start for each kill, and the one that came to an end.
    assert!(before.len() / 2 <= KILLS + 1, "{id}: {life:?}");
}

fn all_jobs(client: &mut Client) -> BTreeMap<String, Value> {
    let (mut jobs, mut cursor) = (BTreeMap::new(), String::new());
    loop {
        let page = client.get(&format!("/api/v1/jobs?limit=500{cursor}")).data(200);
        for job in page["jobs"].as_array().unwrap() {
            let id = job["id"].as_str().unwrap().to_owned();
            assert_eq!(jobs.insert(id, job.clone()), None, "a job stands on two pages");
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return jobs,
        }
    }
}

/// What happened to each job, by the journal from the first start to the last event: that is the end of one more job.
fn lives(server: &Server, client: &mut Client) -> BTreeMap<String, Vec<String>> {
    let last = server.submit(client, "ws0");
    let mut lives: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for event in client.events("/api/v1/events?topic=jobs&after=0", None) {
        let job = event.data["job"].as_str().unwrap().to_owned();
        if (event.kind.as_str(), &job) == ("job.done", &last) {
            break;
        }
        lives.entry(job).or_default().push(event.kind);
    }
    lives.remove(&last).expect("the last job is in the journal");
    lives
}
