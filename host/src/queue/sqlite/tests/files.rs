//! The file: who may open it, and what it may be.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

fn reason(path: &Path) -> String {
    match Sqlite::open(path, OPTIONS) {
        Err(QueueError::Failed(reason)) => reason,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it was opened"),
    }
}

#[tokio::test]
async fn a_second_one_is_kept_out_until_the_first_has_closed() {
    let store = Fixture::new();
    let id = store.add(job("ann", 0)).await;
    store.take().await;
    assert!(reason(&store.path()).contains("another autoscorer has"));
    assert_eq!(store.get(&id).await.state, State::Running);
    store.reopened();
}

#[test]
fn the_folder_is_made_and_the_file_is_its_owners_only() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a/b/queue.db");
    let store = Sqlite::open(&path, OPTIONS).unwrap();
    for name in ["queue.db", "queue.db-wal", "queue.db.lock"] {
        let mode = fs::metadata(path.with_file_name(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{name}");
    }
    drop(store);
    assert!(!path.with_file_name("queue.db-wal").exists());
}

#[test]
fn a_newer_file_is_refused_and_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("queue.db");
    drop(Sqlite::open(&path, OPTIONS).unwrap());
    let db = Connection::open(&path).unwrap();
    db.pragma_update(None, "user_version", 99).unwrap();
    drop(db);
    let before = fs::read(&path).unwrap();
    let reason = reason(&path);
    assert!(reason.contains("newer autoscorer") && reason.contains("99"), "{reason}");
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn another_programs_database_is_refused_and_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("queue.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE bookmarks (url TEXT)").unwrap();
    let before = fs::read(&path).unwrap();
    assert!(reason(&path).contains("another program"));
    assert!(fs::read(&path).unwrap() == before);
}

#[test]
fn what_is_no_database_is_refused_and_left_alone() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("queue.db");
    fs::write(&path, "these are my notes\n".repeat(100)).unwrap();
    assert!(reason(&path).contains("damaged"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "these are my notes\n".repeat(100));
    assert!(reason(folder.path()).contains(folder.path().to_str().unwrap()));
}

#[tokio::test]
async fn a_damaged_file_is_refused_and_left_alone() {
    let store = Fixture::new();
    for _ in 0..50 {
        store.add(NewJob { fingerprint: "f".repeat(1000), ..job("ann", 0) }).await;
    }
    let path = store.path();
    let Fixture { folder, store } = store;
    drop(store);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[4096 * 4..middle].fill(0xA5);
    fs::write(&path, &bytes).unwrap();
    assert!(reason(&path).contains("damaged"));
    bytes.truncate(middle);
    fs::write(&path, &bytes).unwrap();
    assert!(reason(&path).contains("damaged"));
    assert!(fs::read(&path).unwrap() == bytes);
    drop(folder);
}

#[tokio::test]
async fn what_was_asked_before_closing_is_done() {
    let store = Fixture::new();
    for _ in 0..20 {
        drop(store.submit(vec![job("ann", 0)]));
    }
    let store = store.reopened();
    assert_eq!(store.counts().await.unwrap().of(State::Queued), 20);
}

/// The files as they lie there in the middle of a commit are what a killed process leaves behind.
#[tokio::test]
async fn a_process_killed_within_a_commit_leaves_what_was_answered_and_nothing_else() {
    let store = Fixture::new();
    let (ran, waits) = (store.add(job("ann", 1)).await, store.add(job("ann", 0)).await);
    store.take().await;
    let (inside, go) = (mpsc::channel::<()>(), mpsc::channel::<()>());
    let unanswered = store.writer.ask(move |db| {
        // So much that SQLite writes a part of it before the commit.
        let large = |_| NewJob { fingerprint: "x".repeat(1 << 20), ..job("bob", 2) };
        let jobs: Vec<_> = (0..8).map(large).collect();
        let submitted = super::super::submit::submit(db, &jobs, 100)?;
        inside.0.send(()).unwrap();
        Ok((submitted, go.1.recv().ok()))
    });
    inside.1.recv().unwrap();
    let left = TempDir::new().unwrap();
    for name in ["queue.db", "queue.db-wal"] {
        fs::copy(store.path().with_file_name(name), left.path().join(name)).unwrap();
    }
    assert!(fs::metadata(left.path().join("queue.db-wal")).unwrap().len() > 1 << 20);
    go.0.send(()).unwrap();
    unanswered.await.unwrap();

    let after = Sqlite::open(&left.path().join("queue.db"), OPTIONS).unwrap();
    assert_eq!(after.counts().await.unwrap().by_state, [2, 0, 0, 0, 0]);
    let again = [after.claim(LONG).await.unwrap().unwrap(), after.claim(LONG).await.unwrap().unwrap()];
    assert_eq!(again.map(|claim| (claim.job.id, claim.job.attempts)), [(ran, 2), (waits, 1)]);
}
