//! Callbacks that are owed, and the log of attempts.

use super::*;

fn attempt(status: Option<u16>, again: Option<Moment>) -> Attempt {
    let delivered = status == Some(200);
    Attempt { status, error: (!delivered).then(|| "refused".to_owned()), again, delivered }
}

#[tokio::test]
async fn a_callback_is_owed_from_the_end_until_it_is_delivered() {
    let store = Fixture::new();
    let id = store.add(with_callback()).await;
    let claim = store.take().await;
    assert!(matches!(store.first_due().await, (None, None)));
    store.finish(&claim, done()).await.unwrap();
    let store = store.reopened();
    let (Some(owed), None) = store.first_due().await else { panic!() };
    assert_eq!((owed.url.as_str(), &owed.job.id, owed.job.state), ("http://there/hook", &id, State::Done));
    assert_eq!(owed.attempts, 0);

    let later = Moment::now().plus(LONG);
    store.attempted(owed.number, attempt(Some(503), Some(later))).await.unwrap();
    assert!(matches!(store.first_due().await, (None, Some(next)) if next == later));
    let past = Moment::now().minus(LONG);
    store.attempted(owed.number, attempt(None, Some(past))).await.unwrap();
    assert_eq!(store.first_due().await.0.unwrap().attempts, 2);
    store.attempted(owed.number, attempt(Some(200), Some(later))).await.unwrap();
    assert!(matches!(store.first_due().await, (None, None)));
    assert_eq!(store.counts().await.unwrap().owed, 0);

    let log = store.deliveries(&id).await.unwrap();
    let seen: Vec<_> = log.iter().map(|one| (one.number, one.attempt, one.status, one.delivered)).collect();
    let number = owed.number;
    assert_eq!(seen, [(number, 1, Some(503), false), (number, 2, None, false), (number, 3, Some(200), true)]);
    assert_eq!((log[0].error.as_deref(), &log[2].error), (Some("refused"), &None));
}

#[tokio::test]
async fn one_that_is_given_up_is_not_tried_again() {
    let store = Fixture::new();
    let id = store.add(with_callback()).await;
    store.cancel(&id).await.unwrap();
    let owed = store.first_due().await.0.unwrap();
    assert_eq!(owed.job.state, State::Cancelled);
    store.attempted(owed.number, attempt(None, None)).await.unwrap();
    store.attempted(owed.number, attempt(None, Some(Moment::now()))).await.unwrap();
    assert!(matches!(store.first_due().await, (None, None)));
    assert_eq!(store.deliveries(&id).await.unwrap().len(), 2);
    assert!(matches!(store.attempted(99, attempt(None, None)).await, Err(QueueError::Failed(_))));
    assert!(store.deliveries(&JobId::new()).await.unwrap().is_empty());
}

#[tokio::test]
async fn the_one_that_is_due_the_longest_comes_first() {
    let store = Fixture::new();
    let ids = [store.add(with_callback()).await, store.add(with_callback()).await];
    store.cancel(&ids[0]).await.unwrap();
    store.cancel(&ids[1]).await.unwrap();
    let (both, None) = store.due(0, 10).await.unwrap() else { panic!() };
    let (rest, None) = store.due(1, 10).await.unwrap() else { panic!() };
    assert_eq!(rest.iter().map(|delivery| delivery.job.id.clone()).collect::<Vec<_>>(), [ids[1].clone()]);
    assert_eq!(both.iter().map(|delivery| delivery.job.id.clone()).collect::<Vec<_>>(), ids);
    let first = &both[0];
    let later = Moment::now().plus(LONG);
    store.attempted(first.number, attempt(None, Some(later))).await.unwrap();
    let (Some(second), Some(next)) = store.first_due().await else { panic!() };
    assert_eq!((second.job.id, next), (ids[1].clone(), later));
}

#[tokio::test]
async fn requeueing_withdraws_what_is_owed_and_the_next_end_owes_its_own() {
    let store = Fixture::new();
    let id = store.add(with_callback()).await;
    store.cancel(&id).await.unwrap();
    let first = store.first_due().await.0.unwrap();
    store.requeue(&id).await.unwrap();
    assert!(matches!(store.first_due().await, (None, None)));
    // One that was under way meanwhile does not bring it back.
    store.attempted(first.number, attempt(None, Some(Moment::now()))).await.unwrap();
    assert!(matches!(store.first_due().await, (None, None)));
    store.finish(&store.take().await, done()).await.unwrap();
    let second = store.first_due().await.0.unwrap();
    assert_ne!(first.number, second.number);
    assert_eq!((second.attempts, second.job.state), (0, State::Done));
}
