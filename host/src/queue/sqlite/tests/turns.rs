//! Turns in a workspace: one job works there, and those behind it keep no worker waiting.

use super::*;

#[tokio::test]
async fn jobs_of_a_busy_workspace_let_others_go_first_and_keep_their_place() {
    let store = Fixture::new();
    let in_shared = [
        store.add(job_in("shared", "ann", 0)).await,
        store.add(job_in("./shared/", "ann", 0)).await,
        store.add(job_in("shared", "ann", 0)).await,
    ];
    let (other, of_bob) = (store.add(job_in("other", "ann", 0)).await, store.add(job_in("shared", "bob", 0)).await);
    let first = store.take().await;
    assert_eq!(first.job.id, in_shared[0]);
    assert_eq!(store.take().await.job.id, other);
    assert!(store.claim(LONG).await.unwrap().is_none());
    assert!(store.finish(&first, done()).await.unwrap());
    let second = store.take().await;
    assert_eq!(second.job.id, of_bob, "ann has had two turns");
    assert!(store.give_back(&second).await.unwrap());
    store.cancel(&of_bob).await.unwrap();
    let third = store.take().await;
    assert_eq!(third.job.id, in_shared[1]);
    assert!(store.claim(LONG).await.unwrap().is_none());
}

#[tokio::test]
async fn uploads_never_wait_for_each_other() {
    let store = Fixture::new();
    for _ in 0..2 {
        let mut one = job("ann", 0);
        one.order.workspace = Place::Uploaded;
        store.add(one).await;
    }
    store.take().await;
    store.take().await;
}
