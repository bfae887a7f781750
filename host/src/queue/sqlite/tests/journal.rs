//! Events, lists and counts.

use serde_json::json;

use super::*;

#[tokio::test]
async fn events_tell_what_happened_and_count_on_after_a_restart() {
    let store = Fixture::new();
    let id = store.add(job("ann", 2)).await;
    assert_eq!(store.note("scorer.live".to_owned(), json!({ "id": "mean" })).await.unwrap(), 2);
    store.finish(&store.take().await, failed()).await.unwrap();
    assert_eq!(*store.last_event().borrow(), 4);
    let store = store.reopened();
    assert_eq!(*store.last_event().borrow(), 4);
    assert_eq!(store.note("scorer.gone".to_owned(), json!(null)).await.unwrap(), 5);
    let all = store.events(EventFilter::default(), 10).await.unwrap();
    assert_eq!(all.iter().map(|event| event.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert_eq!(all[1].data, json!({ "id": "mean" }));
    let ended = json!({
        "id": id, "state": "failed", "submitter": "ann", "priority": 2, "attempts": 1,
        "error": { "code": "BAD_FORMAT", "message": "a cell is empty" },
    });
    assert_eq!((all[3].kind.as_str(), all[3].job.as_deref(), &all[3].data), ("job.failed", Some(id.as_str()), &ended));
}

#[tokio::test]
async fn events_are_found_by_number_job_and_kind() {
    let store = Fixture::new();
    let ids = [store.add(job("ann", 0)).await, store.add(job("ann", 0)).await];
    store.note("scorer.live".to_owned(), json!({})).await.unwrap();
    store.finish(&store.take().await, done()).await.unwrap();
    let numbers = async |filter, most| -> Vec<i64> {
        store.events(filter, most).await.unwrap().into_iter().map(|event| event.number).collect()
    };
    let any = EventFilter::default;
    assert_eq!(numbers(any(), 2).await, [1, 2]);
    assert_eq!(numbers(EventFilter { after: 3, ..any() }, 9).await, [4, 5]);
    assert_eq!(numbers(EventFilter { job: Some(ids[0].to_string()), ..any() }, 9).await, [1, 4, 5]);
    assert_eq!(numbers(EventFilter { kind: Some("scorer.".to_owned()), ..any() }, 9).await, [3]);
    assert_eq!(numbers(EventFilter { kind: Some("job.%".to_owned()), ..any() }, 9).await, [0; 0]);
    let both = EventFilter { after: 1, job: Some(ids[0].to_string()), kind: Some("job.d".to_owned()) };
    assert_eq!(numbers(both, 9).await, [5]);
}

#[tokio::test]
async fn the_oldest_events_go_and_numbers_never_come_again() {
    let store = Fixture::with(Options { keep_events: 10, ..OPTIONS });
    for _ in 0..600 {
        store.note("scorer.live".to_owned(), json!({})).await.unwrap();
    }
    let kept = store.events(EventFilter::default(), 1000).await.unwrap();
    assert!((10..10 + 256).contains(&kept.len()), "{} are kept", kept.len());
    assert_eq!(kept.last().unwrap().number, 600);
    let store = store.reopened();
    assert_eq!(store.note("scorer.live".to_owned(), json!({})).await.unwrap(), 601);
}

#[tokio::test]
async fn a_refusal_wakes_nobody() {
    let store = Fixture::with(Options { queue_limit: 0, ..OPTIONS });
    let events = store.last_event();
    assert!(store.submit(vec![job("ann", 0)]).await.is_err());
    assert!(!events.has_changed().unwrap());
    store.note("scorer.live".to_owned(), json!({})).await.unwrap();
    assert!(events.has_changed().unwrap());
}

#[tokio::test]
async fn lists_are_filtered_and_cut_into_pages() {
    let store = Fixture::new();
    let ids: Vec<_> =
        [("ann", 0), ("bob", 0), ("ann", 1), ("bob", 0), ("ann", 0)].map(|(who, rank)| job(who, rank)).to_vec();
    let ids: Vec<_> = store.submit(ids).await.unwrap().into_iter().map(|one| one.id).collect();
    store.finish(&store.take().await, done()).await.unwrap();
    let list = async |filter| -> (Vec<usize>, bool) {
        let page = store.list(filter).await.unwrap();
        (page.jobs.iter().map(|job| ids.iter().position(|id| *id == job.id).unwrap()).collect(), page.more)
    };
    let any = || ListFilter { most: 10, ..ListFilter::default() };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(list(any()).await, (vec![4, 3, 2, 1, 0], false));
    assert_eq!(list(ListFilter { most: 2, ..any() }).await, (vec![4, 3], true));
    assert_eq!(list(ListFilter { most: 2, before: Some(ids[3].clone()), ..any() }).await, (vec![2, 1], true));
    assert_eq!(list(ListFilter { most: 2, before: Some(ids[1].clone()), ..any() }).await, (vec![0], false));
    assert!(!list(ListFilter { most: 5, ..any() }).await.1);
    assert_eq!(list(ListFilter { submitter: text("ann"), ..any() }).await.0, [4, 2, 0]);
    assert_eq!(list(ListFilter { state: Some(State::Done), ..any() }).await.0, [2]);
    assert_eq!(list(ListFilter { scorer: text("mean"), ..any() }).await.0, [2]);
    assert_eq!(list(ListFilter { scorer: text("mea"), ..any() }).await.0, [0; 0]);
    let both = ListFilter { submitter: text("ann"), state: Some(State::Queued), before: Some(ids[4].clone()), ..any() };
    assert_eq!(list(both).await.0, [0]);
}

#[tokio::test]
async fn counts_know_every_state_and_the_oldest_that_waits() {
    let store = Fixture::new();
    assert_eq!(store.counts().await.unwrap(), Counts::default());
    let ids = [store.add(with_callback()).await, store.add(job("ann", 0)).await, store.add(job("ann", 0)).await];
    store.finish(&store.take().await, done()).await.unwrap();
    store.take().await;
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.by_state, counts.owed), ([1, 1, 1, 0, 0], 1));
    assert_eq!(counts.oldest_queued, Some(store.get(&ids[2]).await.created));
    store.cancel(&ids[2]).await.unwrap();
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.by_state, counts.oldest_queued), ([0, 1, 1, 0, 1], None));
}
