//! Names whose addresses change between two looks.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Public by its number, and nobody has it: a connection to it comes to nothing.
const NOBODY: &str = "[2000::1]:0";

/// A courier for whom a name means the first address once, and this machine from then on.
fn fooled(first: &str, looks: &Arc<AtomicUsize>) -> Courier {
    let (first, looks): (SocketAddr, _) = (first.parse().unwrap(), looks.clone());
    let names = Checked::asking(false, move |_| {
        let look = looks.fetch_add(1, Ordering::Relaxed);
        let found = if look == 0 { first } else { "127.0.0.1:0".parse().unwrap() };
        Box::pin(async move { Ok(vec![found]) })
    });
    Courier::with(Duration::from_millis(200), Some(SECRET), names).unwrap()
}

#[tokio::test]
async fn a_name_that_changes_its_address_after_the_check_leads_nowhere_inside() {
    let mut receiver = Receiver::new(&[]).await;
    let looks = Arc::new(AtomicUsize::new(0));
    let courier = fooled(NOBODY, &looks);
    let owed = delivery(&format!("http://changing.example:{}/", receiver.port));
    let first = courier.attempt(&owed).await;
    assert!(!first.delivered && first.again.is_some(), "{first:?}");
    assert_eq!(looks.load(Ordering::Relaxed), 1, "what was checked is what is called: no second look");
    let second = courier.attempt(&owed).await;
    assert!(second.error.unwrap().contains("an address of the host is private"));
    assert_eq!(looks.load(Ordering::Relaxed), 2, "every attempt looks anew");
    assert!(receiver.requests.try_recv().is_err());
}
