//! A word that is said once, to all who wait for it: that the daemon stops, or that its patience is at an end.

use tokio::sync::watch;

/// Waits until a word is said; for ever, if nobody is there to say it.
pub async fn said(word: &mut watch::Receiver<bool>) {
    if word.wait_for(|said| *said).await.is_err() {
        std::future::pending::<()>().await;
    }
}
