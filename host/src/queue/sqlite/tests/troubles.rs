//! What the store does when its file fails it: a commit, a write, a row, or the thread itself.

use std::task::{Context, Waker};

use super::*;

/// Asks without waiting for the answer.
fn ask<T>(answer: &mut Answer<'_, T>) {
    assert!(answer.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
}

/// A change that lets its commit fail, with all that is done together with it. It begins, says so, and waits.
fn poison(store: &Sqlite, begun: mpsc::Sender<()>, go: mpsc::Receiver<()>) -> Answer<'static, ()> {
    store.writer.ask(move |db| {
        db.execute_batch("PRAGMA defer_foreign_keys = ON; INSERT INTO result (job, text) VALUES (-1, '')")?;
        begun.send(()).ok();
        go.recv().ok();
        Ok(())
    })
}

#[tokio::test]
async fn a_claim_whose_commit_failed_does_not_take_the_job_from_the_next_one() {
    let store = Fixture::new();
    let id = store.add(job("ann", 0)).await;
    let (begun, has_begun) = mpsc::channel();
    let (go, wait) = mpsc::channel();
    let together = hold_up(&store);
    let mut failing = store.claim(LONG);
    ask(&mut failing);
    let poisoned = poison(&store, begun, wait);
    together.send(()).unwrap();
    has_begun.recv().unwrap();
    let mut next = store.claim(LONG);
    ask(&mut next);
    go.send(()).unwrap();
    assert!(failing.await.is_err() && poisoned.await.is_err());
    let claim = next.await.unwrap().unwrap();
    assert_eq!(store.renew(&claim, LONG).await.unwrap(), Beat::Go);
    assert_eq!(store.get(&id).await.state, State::Running);
    assert!(store.finish(&claim, done()).await.unwrap());
}

#[tokio::test]
async fn trouble_is_known_from_a_commit_that_failed_until_a_write_works() {
    let store = Fixture::new();
    let (begun, _has_begun) = mpsc::channel();
    let (go, wait) = mpsc::channel();
    go.send(()).unwrap();
    assert_eq!(store.trouble(), None);
    poison(&store, begun, wait).await.unwrap_err();
    assert!(store.trouble().unwrap().contains("FOREIGN KEY"));
    // A commit that writes nothing proves nothing.
    assert_eq!(store.recover(Vec::new()).await.unwrap(), 0);
    assert!(store.trouble().is_some());
    store.check().await.unwrap();
    assert_eq!(store.trouble(), None);
}

#[tokio::test]
async fn a_check_finds_out_that_nothing_can_be_written_and_that_it_can_again() {
    let store = Fixture::new();
    let run = |sql: &'static str| store.writer.ask(move |db| Ok(db.execute_batch(sql)?));
    store.check().await.unwrap();
    run("CREATE TRIGGER full BEFORE UPDATE ON counter BEGIN SELECT raise(ABORT, 'no room'); END").await.unwrap();
    for _ in 0..2 {
        store.check().await.unwrap_err();
        assert!(store.trouble().unwrap().contains("no room"));
    }
    run("DROP TRIGGER full").await.unwrap();
    assert!(store.trouble().is_some());
    store.check().await.unwrap();
    assert_eq!(store.trouble(), None);
}

#[tokio::test]
async fn a_thread_that_dies_is_noticed_by_all() {
    let store = Fixture::new();
    let mut events = store.last_event();
    drop(store.writer.ask(|_| -> Result<(), QueueError> { panic!("on purpose") }));
    assert!(events.changed().await.is_err());
    store.check().await.unwrap_err();
    assert!(store.trouble().unwrap().contains("restart the daemon"));
}

#[tokio::test]
async fn a_job_that_cannot_be_read_fails_and_the_ones_behind_it_go_on() {
    let store = Fixture::new();
    let (broken, whole) = (store.add(with_callback()).await, store.add(job("ann", 0)).await);
    let damage = "UPDATE job SET task = '{\"workspace\"' WHERE id = ?1";
    let named = broken.clone();
    store.writer.ask(move |db| Ok(db.execute(damage, [named.as_str()])?)).await.unwrap();
    assert_eq!(store.take().await.job.id, whole);
    let job = store.get(&broken).await;
    let error = job.error.unwrap();
    assert_eq!((job.state, error.code), (State::Failed, ErrorCode::UnhandledError));
    assert!(error.message.contains("cannot be read"), "{error:?}");
    let page = store.list(ListFilter { most: 10, ..ListFilter::default() }).await.unwrap();
    assert_eq!(page.jobs.len(), 2);
    assert_eq!(store.first_due().await.0.unwrap().job.id, broken);
    let damage = "UPDATE job SET error = '[' WHERE id = ?1";
    let named = broken.clone();
    store.writer.ask(move |db| Ok(db.execute(damage, [named.as_str()])?)).await.unwrap();
    assert!(store.get(&broken).await.error.unwrap().message.contains("any more"));
}
