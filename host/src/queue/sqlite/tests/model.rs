//! The store against a model of a few lines: whatever is asked in whatever order, both agree on who is next and on how
//! every job stands.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone)]
enum Step {
    Submit { submitter: u8, priority: i32, workspace: u8 },
    Claim { expired: bool },
    Finish(usize),
    GiveBack(usize),
    Recover,
    Cancel(usize),
    Requeue(usize),
    Restart,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..4u8, 0..3i32, 0..20u8)
            .prop_map(|(submitter, priority, workspace)| Step::Submit { submitter, priority, workspace }),
        6 => any::<bool>().prop_map(|expired| Step::Claim { expired }),
        2 => any::<usize>().prop_map(Step::Finish),
        2 => any::<usize>().prop_map(Step::GiveBack),
        1 => Just(Step::Recover),
        1 => any::<usize>().prop_map(Step::Cancel),
        2 => any::<usize>().prop_map(Step::Requeue),
        1 => Just(Step::Restart),
    ];
    prop::collection::vec(step, 1..120)
}

/// What a job must look like.
#[derive(Debug)]
struct Expected {
    id: JobId,
    submitter: String,
    priority: i32,
    workspace: u8,
    place: usize,
    state: State,
    attempts: u32,
    cancelling: bool,
    expired: bool,
}

/// All jobs, and who was served when.
#[derive(Default)]
struct Model {
    jobs: Vec<Expected>,
    places: usize,
    served: HashMap<String, usize>,
    clock: usize,
    /// Every hold there ever was, with the job it is on.
    claims: Vec<(Claim, usize)>,
}

impl Model {
    fn place(&mut self) -> usize {
        self.places += 1;
        self.places
    }

    /// The rule, as it is told to people.
    fn next(&self) -> Option<usize> {
        let is_free =
            |workspace| !self.jobs.iter().any(|job| job.state == State::Running && job.workspace == workspace);
        let may_go = |job: &Expected| job.state == State::Queued && is_free(job.workspace);
        let waiting = self.jobs.iter().enumerate().filter(|(_, job)| may_go(job));
        let rank = |job: &Expected| (-job.priority, self.served.get(&job.submitter).copied().unwrap_or(0), job.place);
        waiting.min_by_key(|(_, job)| rank(job)).map(|(at, _)| at)
    }

    fn lose(&mut self, all: bool) -> usize {
        let lost = self.jobs.iter_mut().filter(|job| job.state == State::Running && (all || job.expired));
        lost.map(|job| {
            job.state = match (job.cancelling, job.attempts) {
                (true, _) => State::Cancelled,
                (false, 3..) => State::Failed,
                _ => State::Queued,
            };
            job.cancelling = false;
        })
        .count()
    }

    /// The job that a hold is on, if the hold counts: no later one, and the job has not left it.
    fn held(&self, claim: usize) -> Option<usize> {
        let (_, job) = self.claims[claim];
        let latest = self.claims.iter().rposition(|(_, other)| *other == job);
        (latest == Some(claim) && self.jobs[job].state == State::Running).then_some(job)
    }
}

async fn step(store: Fixture, model: &mut Model, step: Step) -> Fixture {
    match step {
        Step::Submit { submitter, priority, workspace } => {
            let new = job_in(&format!("w{workspace}"), &format!("s{submitter}"), priority);
            let (submitter, place) = (new.submitter.clone(), model.place());
            let id = store.add(new).await;
            let (state, attempts, cancelling, expired) = (State::Queued, 0, false, false);
            let job = Expected { id, submitter, priority, workspace, place, state, attempts, cancelling, expired };
            model.jobs.push(job);
        }
        Step::Claim { expired } => {
            let claim = store.claim(if expired { Duration::ZERO } else { LONG }).await.unwrap();
            let next = model.next();
            assert_eq!(claim.as_ref().map(|claim| &claim.job.id), next.map(|at| &model.jobs[at].id));
            let (Some(claim), Some(at)) = (claim, next) else { return store };
            model.clock += 1;
            let job = &mut model.jobs[at];
            (job.state, job.attempts, job.expired) = (State::Running, job.attempts + 1, expired);
            model.served.insert(job.submitter.clone(), model.clock);
            model.claims.push((claim, at));
        }
        Step::Finish(pick) if !model.claims.is_empty() => {
            let pick = pick % model.claims.len();
            let held = model.held(pick);
            assert_eq!(store.finish(&model.claims[pick].0, done()).await.unwrap(), held.is_some());
            if let Some(at) = held {
                (model.jobs[at].state, model.jobs[at].cancelling) = (State::Done, false);
            }
        }
        Step::GiveBack(pick) if !model.claims.is_empty() => {
            let pick = pick % model.claims.len();
            let held = model.held(pick);
            assert_eq!(store.give_back(&model.claims[pick].0).await.unwrap(), held.is_some());
            if let Some(job) = held.map(|at| &mut model.jobs[at]) {
                if job.cancelling {
                    (job.state, job.cancelling) = (State::Cancelled, false);
                } else {
                    (job.state, job.attempts) = (State::Queued, job.attempts - 1);
                }
            }
        }
        Step::Recover => assert_eq!(store.recover(Vec::new()).await.unwrap(), model.lose(false)),
        Step::Cancel(pick) if !model.jobs.is_empty() => {
            let pick = pick % model.jobs.len();
            let job = &mut model.jobs[pick];
            let changed = store.cancel(&job.id).await.unwrap();
            assert_eq!(matches!(changed, Changed::Refused(state) if state == job.state), job.state.is_final());
            match job.state {
                State::Queued => job.state = State::Cancelled,
                State::Running => job.cancelling = true,
                _ => {}
            }
        }
        Step::Requeue(pick) if !model.jobs.is_empty() => {
            let (pick, place) = (pick % model.jobs.len(), model.place());
            let job = &mut model.jobs[pick];
            let changed = store.requeue(&job.id).await.unwrap();
            assert_eq!(matches!(changed, Changed::Changed(_)), job.state.is_final());
            if job.state.is_final() {
                (job.state, job.attempts, job.place) = (State::Queued, 0, place);
            }
        }
        Step::Restart => {
            model.lose(true);
            return store.reopened();
        }
        Step::Finish(_) | Step::GiveBack(_) | Step::Cancel(_) | Step::Requeue(_) => {}
    }
    store
}

async fn compare(store: &Sqlite, model: &Model) {
    let counts = store.counts().await.unwrap();
    for state in State::ALL {
        assert_eq!(counts.of(state), model.jobs.iter().filter(|job| job.state == state).count() as u64, "{state:?}");
    }
    for expected in &model.jobs {
        let job = store.job(&expected.id).await.unwrap().unwrap();
        assert_eq!(
            (job.state, job.attempts, job.cancelling),
            (expected.state, expected.attempts, expected.cancelling),
            "{expected:?}"
        );
        assert_eq!(store.result(&job.id).await.unwrap().is_some(), job.state == State::Done);
        assert_eq!(job.finished.is_some(), job.state.is_final());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_store_agrees_with_the_model(steps in steps()) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let (mut store, mut model) = (Fixture::new(), Model::default());
            for one in steps {
                store = step(store, &mut model, one).await;
            }
            compare(&store, &model).await;
            // Whoever still waits comes out in the right order.
            for _ in 0..=model.jobs.len() {
                store = step(store, &mut model, Step::Claim { expired: false }).await;
            }
        });
    }
}

#[tokio::test]
async fn submitters_take_turns_and_priorities_go_first() {
    let store = Fixture::new();
    for (submitter, priority) in [("ann", 0), ("ann", 0), ("ann", 0), ("bob", 0), ("bob", 0), ("eve", 1), ("eve", 0)] {
        store.add(job(submitter, priority)).await;
    }
    let mut order = Vec::new();
    while let Some(claim) = store.claim(LONG).await.unwrap() {
        order.push(claim.job.submitter);
    }
    assert_eq!(order, ["eve", "ann", "bob", "eve", "ann", "bob", "ann"]);
}
