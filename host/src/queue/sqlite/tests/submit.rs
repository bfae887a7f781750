//! Submitting: all or none, once for each key, up to a bound; and together with others in one commit.

use futures_util::future::join_all;

use super::*;

#[tokio::test]
async fn a_job_is_kept_as_it_was_handed_in() {
    let store = Fixture::new();
    let new = NewJob { callback: Some("http://there".to_owned()), ..job("ann", -7) };
    let id = store.add(new.clone()).await;
    let store = store.reopened();
    let job = store.get(&id).await;
    assert_eq!((job.id, job.submitter.as_str(), job.priority), (new.id, "ann", -7));
    assert_eq!((job.order, job.callback), (new.order, new.callback));
    assert_eq!((job.state, job.attempts, job.cancelling), (State::Queued, 0, false));
    assert!(job.started.is_none() && job.finished.is_none() && job.score.is_none() && job.error.is_none());
    assert!(job.created <= Moment::now());
    assert_eq!(store.result(&id).await.unwrap(), None);
    assert!(store.job(&JobId::new()).await.unwrap().is_none());
}

#[tokio::test]
async fn the_same_key_is_accepted_once_also_within_one_batch_and_after_a_restart() {
    let store = Fixture::new();
    let first = with_key("ann", "k", "f");
    let answers = store.submit(vec![first.clone(), with_key("ann", "k", "f")]).await.unwrap();
    assert_eq!(answers.iter().map(|one| one.created).collect::<Vec<_>>(), [true, false]);
    assert_eq!(answers[1].id, first.id);
    let store = store.reopened();
    let again = store.submit(vec![with_key("ann", "k", "f")]).await.unwrap();
    assert_eq!(again, [Submitted { id: first.id, created: false }]);
    assert!(store.submit(vec![with_key("bob", "k", "other")]).await.unwrap()[0].created);
    assert_eq!(store.counts().await.unwrap().of(State::Queued), 2);
}

#[tokio::test]
async fn a_key_of_another_request_refuses_the_whole_batch() {
    let store = Fixture::new();
    store.add(with_key("ann", "k", "f")).await;
    let refused = store.submit(vec![job("ann", 0), with_key("ann", "k", "g"), job("ann", 0)]).await;
    assert!(matches!(refused, Err(QueueError::KeyReused { key }) if key == "k"));
    assert_eq!(store.counts().await.unwrap().of(State::Queued), 1);
    assert_eq!(store.kinds().await, ["job.queued"]);
}

#[tokio::test]
async fn the_bound_refuses_all_of_a_batch_but_no_replay() {
    let store = Fixture::with(Options { queue_limit: 3, ..OPTIONS });
    store.submit(vec![with_key("ann", "k", "f"), job("ann", 0)]).await.unwrap();
    let refused = store.submit(vec![job("bob", 0), job("bob", 0)]).await;
    assert!(matches!(refused, Err(QueueError::Full { limit: 3 })));
    assert_eq!(store.counts().await.unwrap().of(State::Queued), 2);
    store.submit(vec![with_key("ann", "k", "f"), job("bob", 0)]).await.unwrap();
    assert!(matches!(store.submit(vec![job("bob", 0)]).await, Err(QueueError::Full { .. })));
    assert!(!store.submit(vec![with_key("ann", "k", "f")]).await.unwrap()[0].created);
    store.take().await;
    store.submit(vec![job("bob", 0)]).await.unwrap();
}

#[tokio::test]
async fn an_empty_batch_and_a_name_that_is_taken() {
    let store = Fixture::new();
    assert!(store.submit(Vec::new()).await.unwrap().is_empty());
    let one = job("ann", 0);
    store.add(one.clone()).await;
    assert!(matches!(store.submit(vec![job("bob", 0), one]).await, Err(QueueError::Failed(_))));
    assert_eq!(store.counts().await.unwrap().of(State::Queued), 1);
}

#[tokio::test]
async fn what_waits_is_committed_together_and_a_refused_one_harms_no_other() {
    let store = Fixture::with(Options { queue_limit: 5, ..OPTIONS });
    let go = hold_up(&store);
    let asked: Vec<_> = (0..8).map(|_| store.submit(vec![job("ann", 0)])).collect();
    go.send(()).unwrap();
    let answers = join_all(asked).await;
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 5);
    assert!(answers[5..].iter().all(|answer| matches!(answer, Err(QueueError::Full { limit: 5 }))));
    assert_eq!(store.counts().await.unwrap().of(State::Queued), 5);
}

#[tokio::test]
async fn a_commit_that_is_lost_refuses_all_that_shared_it() {
    let store = Fixture::new();
    let go = hold_up(&store);
    let before = store.submit(vec![job("ann", 0)]);
    // As SQLite itself does when the disk fails.
    let lost = store.writer.ask(|db| Ok(db.execute_batch("ROLLBACK")?));
    let after = store.submit(vec![job("ann", 0)]);
    go.send(()).unwrap();
    assert!(matches!(before.await, Err(QueueError::Failed(_))));
    assert!(matches!(lost.await, Err(QueueError::Failed(_))));
    assert!(matches!(after.await, Err(QueueError::Failed(reason)) if reason.contains("nothing was changed")));
    assert_eq!(*store.last_event().borrow(), 0);
    assert_eq!(store.counts().await.unwrap(), Counts::default());
    store.add(job("ann", 0)).await;
}

#[tokio::test]
async fn a_full_disk_refuses_and_takes_jobs_again_when_there_is_room() {
    let store = Fixture::new();
    let pages = |most: u32| {
        store.writer.ask(move |db| Ok(db.query_row(&format!("PRAGMA max_page_count = {most}"), [], |_| Ok(()))?))
    };
    pages(60).await.unwrap();
    let large = || NewJob { fingerprint: "x".repeat(9000), ..job("ann", 0) };
    let mut accepted = Vec::new();
    let refused = loop {
        match store.submit(vec![large()]).await {
            Ok(submitted) => accepted.push(submitted[0].id.clone()),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, QueueError::Failed(reason) if reason.contains("full")));
    pages(1_000_000).await.unwrap();
    accepted.push(store.add(large()).await);
    let store = store.reopened();
    assert_eq!(store.counts().await.unwrap().of(State::Queued), accepted.len() as u64);
    for id in accepted {
        assert_eq!(store.take().await.job.id, id);
    }
}
