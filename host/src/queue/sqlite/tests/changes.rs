//! Claims, endings, cancelling, requeueing, forgetting; and what is refused.

use std::task::{Context, Waker};

use super::*;

#[tokio::test]
async fn a_job_is_taken_run_and_done() {
    let store = Fixture::new();
    assert!(store.claim(LONG).await.unwrap().is_none());
    let id = store.add(job("ann", 0)).await;
    let claim = store.take().await;
    assert_eq!((&claim.job.id, claim.job.state, claim.job.attempts), (&id, State::Running, 1));
    assert!(claim.job.started.is_some());
    assert!(store.claim(LONG).await.unwrap().is_none());
    assert_eq!(store.renew(&claim, LONG).await.unwrap(), Beat::Go);
    assert!(store.finish(&claim, done()).await.unwrap());
    let ended = store.reopened();
    let job = ended.get(&id).await;
    assert_eq!((job.state, job.score, job.scored_by.as_deref()), (State::Done, Some(0.1 + 0.2), Some("mean@1.2.0")));
    assert!(job.finished >= job.started && job.error.is_none());
    assert_eq!(ended.result(&id).await.unwrap().as_deref(), Some("{\"score\": 0.1}"));
    assert_eq!(ended.kinds().await, ["job.queued", "job.running", "job.done"]);
}

#[tokio::test]
async fn a_failure_keeps_its_error_and_its_result() {
    let store = Fixture::new();
    let id = store.add(job("ann", 0)).await;
    assert!(store.finish(&store.take().await, failed()).await.unwrap());
    let job = store.get(&id).await;
    let Ending::Failed { error, .. } = failed() else { unreachable!() };
    assert_eq!((job.state, job.score, job.error), (State::Failed, None, Some(error)));
    assert_eq!(store.result(&id).await.unwrap().as_deref(), Some("{}"));
}

#[tokio::test]
async fn a_lost_hold_changes_nothing() {
    let store = Fixture::new();
    let id = store.add(job("ann", 0)).await;
    let old = store.claim(Duration::ZERO).await.unwrap().unwrap();
    assert_eq!(store.recover(Vec::new()).await.unwrap(), 1);
    assert_eq!(store.renew(&old, LONG).await.unwrap(), Beat::Lost);
    let new = store.take().await;
    assert_ne!(old.token, new.token);
    assert_eq!(store.renew(&old, LONG).await.unwrap(), Beat::Lost);
    assert!(!store.finish(&old, done()).await.unwrap());
    assert!(!store.give_back(&old).await.unwrap());
    assert_eq!(store.get(&id).await.state, State::Running);
    assert!(store.finish(&new, failed()).await.unwrap());
    assert!(!store.finish(&new, done()).await.unwrap());
    assert!(!store.give_back(&new).await.unwrap());
    assert_eq!(store.renew(&new, LONG).await.unwrap(), Beat::Lost);
    assert_eq!(store.get(&id).await.state, State::Failed);
    assert_eq!(store.kinds().await.iter().filter(|kind| *kind == "job.failed").count(), 1);
}

#[tokio::test]
async fn a_renewed_lease_is_not_recovered() {
    let store = Fixture::new();
    store.add(job("ann", 0)).await;
    let claim = store.claim(Duration::ZERO).await.unwrap().unwrap();
    assert_eq!(store.renew(&claim, LONG).await.unwrap(), Beat::Go);
    assert_eq!(store.recover(Vec::new()).await.unwrap(), 0);
    assert!(store.finish(&claim, done()).await.unwrap());
}

#[tokio::test]
async fn a_hold_whose_worker_lives_is_not_recovered_however_late_it_is() {
    let store = Fixture::new();
    let ids = [store.add(job("ann", 0)).await, store.add(job("ann", 0)).await];
    let alive = store.claim(Duration::ZERO).await.unwrap().unwrap();
    store.claim(Duration::ZERO).await.unwrap().unwrap();
    assert_eq!(store.recover(vec![alive.token]).await.unwrap(), 1);
    assert_eq!(store.get(&ids[0]).await.state, State::Running);
    assert_eq!(store.get(&ids[1]).await.state, State::Queued);
    assert!(store.finish(&alive, done()).await.unwrap());
}

#[tokio::test]
async fn a_job_whose_workers_die_fails_after_the_last_attempt() {
    let store = Fixture::new();
    let id = store.add(with_callback()).await;
    for attempts in 1..=3 {
        let claim = store.claim(Duration::ZERO).await.unwrap().unwrap();
        assert_eq!(claim.job.attempts, attempts);
        assert_eq!(store.recover(Vec::new()).await.unwrap(), 1);
    }
    let job = store.get(&id).await;
    let error = job.error.unwrap();
    assert_eq!((job.state, error.code), (State::Failed, ErrorCode::ScorerCrashed));
    assert!(error.message.contains("3 times") && error.details.hint.unwrap().contains(id.as_str()));
    assert!(store.claim(LONG).await.unwrap().is_none());
    assert_eq!(store.first_due().await.0.unwrap().job.state, State::Failed);
}

#[tokio::test]
async fn what_ran_when_the_process_ended_runs_again_at_once() {
    let mut store = Fixture::new();
    let id = store.add(job("ann", 0)).await;
    for attempts in 1..=3 {
        assert_eq!(store.take().await.job.attempts, attempts);
        store = store.reopened();
    }
    assert_eq!(store.get(&id).await.state, State::Failed);
    let cancelled = store.add(job("ann", 0)).await;
    store.take().await;
    store.cancel(&cancelled).await.unwrap();
    store = store.reopened();
    assert_eq!(store.get(&cancelled).await.state, State::Cancelled);
    assert_eq!(store.counts().await.unwrap().by_state, [0, 0, 0, 1, 1]);
}

#[tokio::test]
async fn a_job_given_back_is_first_again_and_was_not_tried() {
    let store = Fixture::new();
    let first = store.add(job("ann", 0)).await;
    store.add(job("ann", 0)).await;
    let claim = store.take().await;
    assert!(store.give_back(&claim).await.unwrap());
    let job = store.get(&first).await;
    assert_eq!((job.state, job.attempts, job.started), (State::Queued, 0, None));
    assert_eq!(store.take().await.job.id, first);
}

#[tokio::test]
async fn a_claim_that_nobody_waits_for_goes_back() {
    let store = Fixture::new();
    let id = store.add(job("ann", 0)).await;
    let mut events = store.last_event();
    {
        let go = hold_up(&store);
        let mut asked = store.claim(LONG);
        assert!(asked.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        go.send(()).unwrap();
        // Committed, but the answer is never looked at.
        events.wait_for(|last| *last >= 2).await.unwrap();
    }
    events.wait_for(|last| *last >= 3).await.unwrap();
    let job = store.get(&id).await;
    assert_eq!((job.state, job.attempts), (State::Queued, 0));
}

#[tokio::test]
async fn cancelling_stops_what_waits_and_tells_what_runs() {
    let store = Fixture::new();
    let (waits, runs) = (job("ann", 0), job("ann", 1));
    store.submit(vec![waits.clone(), runs.clone()]).await.unwrap();
    let claim = store.take().await;
    assert_eq!(claim.job.id, runs.id);
    let Changed::Changed(job) = store.cancel(&waits.id).await.unwrap() else { panic!() };
    assert_eq!((job.state, job.finished.is_some()), (State::Cancelled, true));
    assert!(store.claim(LONG).await.unwrap().is_none());
    for _ in 0..2 {
        let Changed::Changed(job) = store.cancel(&runs.id).await.unwrap() else { panic!() };
        assert_eq!((job.state, job.cancelling), (State::Running, true));
    }
    assert_eq!(store.renew(&claim, LONG).await.unwrap(), Beat::Cancel);
    assert!(store.finish(&claim, Ending::Cancelled).await.unwrap());
    let job = store.get(&runs.id).await;
    assert_eq!((job.state, job.cancelling), (State::Cancelled, false));
    assert!(matches!(store.cancel(&runs.id).await.unwrap(), Changed::Refused(State::Cancelled)));
    assert!(matches!(store.cancel(&JobId::new()).await.unwrap(), Changed::Unknown));
    let expected = ["job.queued", "job.queued", "job.running", "job.cancelled", "job.cancelling", "job.cancelled"];
    assert_eq!(store.kinds().await, expected);
}

#[tokio::test]
async fn a_job_to_be_stopped_is_not_queued_again() {
    let store = Fixture::new();
    let id = store.add(job("ann", 0)).await;
    let claim = store.take().await;
    store.cancel(&id).await.unwrap();
    assert!(store.give_back(&claim).await.unwrap());
    assert_eq!(store.get(&id).await.state, State::Cancelled);
}

#[tokio::test]
async fn requeueing_makes_it_new_at_the_end_of_the_line() {
    let store = Fixture::with(Options { queue_limit: 2, ..OPTIONS });
    let id = store.add(job("ann", 0)).await;
    assert!(matches!(store.requeue(&id).await.unwrap(), Changed::Refused(State::Queued)));
    let claim = store.take().await;
    assert!(matches!(store.requeue(&id).await.unwrap(), Changed::Refused(State::Running)));
    assert!(matches!(store.requeue(&JobId::new()).await.unwrap(), Changed::Unknown));
    store.finish(&claim, failed()).await.unwrap();
    let others = [store.add(job("ann", 0)).await, store.add(job("ann", 0)).await];
    assert!(matches!(store.requeue(&id).await, Err(QueueError::Full { limit: 2 })));
    assert_eq!(store.get(&id).await.state, State::Failed);
    assert!(store.result(&id).await.unwrap().is_some());
    assert_eq!(store.take().await.job.id, others[0]);
    let Changed::Changed(job) = store.requeue(&id).await.unwrap() else { panic!() };
    assert_eq!((job.state, job.attempts), (State::Queued, 0));
    assert!(job.error.is_none() && job.finished.is_none() && job.started.is_none() && job.scored_by.is_none());
    assert_eq!(store.result(&id).await.unwrap(), None);
    assert_eq!(store.kinds().await.last().unwrap(), "job.requeued");
    assert_eq!(store.take().await.job.id, others[1]);
    let again = store.take().await;
    assert_eq!((&again.job.id, again.job.attempts), (&id, 1));
    assert!(!store.finish(&claim, done()).await.unwrap());
    assert!(store.finish(&again, done()).await.unwrap());
}

#[tokio::test]
async fn what_ended_long_ago_is_forgotten_unless_its_callback_is_owed() {
    let store = Fixture::new();
    let jobs = [with_key("ann", "k", "f"), with_callback(), job("ann", 0), job("bob", -1)];
    let ids: Vec<_> = store.submit(jobs.to_vec()).await.unwrap().into_iter().map(|one| one.id).collect();
    for _ in 0..3 {
        assert!(store.finish(&store.take().await, done()).await.unwrap());
    }
    let later = Moment::now().plus(LONG);
    assert!(store.forget(Moment::now().minus(LONG), 10).await.unwrap().is_empty());
    assert_eq!(store.forget(later, 1).await.unwrap(), [ids[0].clone()]);
    assert_eq!(store.forget(later, 10).await.unwrap(), [ids[2].clone()]);
    assert!(store.forget(later, 10).await.unwrap().is_empty());
    assert_eq!(store.result(&ids[0]).await.unwrap(), None);
    assert!(store.job(&ids[0]).await.unwrap().is_none() && store.job(&ids[1]).await.unwrap().is_some());
    let owed = store.first_due().await.0.unwrap();
    store
        .attempted(owed.number, Attempt { status: Some(200), error: None, again: None, delivered: true })
        .await
        .unwrap();
    assert_eq!(store.forget(later, 10).await.unwrap(), [ids[1].clone()]);
    assert_eq!(store.counts().await.unwrap().by_state, [1, 0, 0, 0, 0]);
    // The key went with the job.
    assert!(store.submit(vec![with_key("ann", "k", "g")]).await.unwrap()[0].created);
}
