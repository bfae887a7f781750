//! Places: so many requests are scored at once, so many wait for it, and the rest are told to come back.

use std::sync::Arc;

use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::problem::Problem;
use crate::daemon::said;
use crate::run::Cancel;

/// More requests than this do not wait for a place.
const MOST_WAITING: usize = 512;

/// Places to be scored at once, and places to wait for one.
pub struct Places {
    at_once: Arc<Semaphore>,
    count: u32,
    waiting: Semaphore,
}

impl Places {
    /// So many at once.
    pub fn new(count: u32) -> Self {
        Self { at_once: Arc::new(Semaphore::new(count as usize)), count, waiting: Semaphore::new(MOST_WAITING) }
    }

    /// Does something on a thread where it may take its time. If the client goes away, or the daemon has waited long
    /// enough, it is cancelled; its place is free when it has ended, not before.
    pub async fn work<T: Send + 'static>(
        &self,
        mut abandoned: watch::Receiver<bool>,
        work: impl FnOnce(&Cancel) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let _waiting = self.waiting.try_acquire().map_err(|_| busy())?;
        let place = tokio::select! {
            place = self.place() => place?,
            () = said(&mut abandoned) => return Err(Problem::stopping()),
        };
        let cancel = Cancel::default();
        let given_up = CancelOnDrop(cancel.clone());
        let mut working = tokio::task::spawn_blocking(move || {
            let _place = place;
            work(&cancel)
        });
        let done = tokio::select! {
            done = &mut working => done,
            () = said(&mut abandoned) => {
                drop(given_up);
                working.await
            }
        };
        done.unwrap_or_else(|_| Err(Problem::internal("the host itself failed on this workspace")))
    }

    async fn place(&self) -> Result<OwnedSemaphorePermit, Problem> {
        self.at_once.clone().acquire_owned().await.map_err(|_| Problem::stopping())
    }

    /// Waits until nobody is at work.
    pub async fn empty(&self) {
        // It fails only if the semaphore is closed, which nobody does.
        _ = self.at_once.acquire_many(self.count).await;
    }
}

fn busy() -> Problem {
    Problem::new(StatusCode::TOO_MANY_REQUESTS, "BUSY", "too many requests wait to be scored")
        .hint("submit jobs to the queue instead: POST /api/v1/jobs")
        .retry_after(1)
}

struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.request();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    fn never() -> watch::Receiver<bool> {
        watch::channel(false).1
    }

    #[tokio::test]
    async fn a_client_that_goes_away_does_not_free_the_place_of_work_that_goes_on() {
        let places = Places::new(1);
        let (go, wait) = mpsc::channel::<()>();
        let (begun, has_begun) = tokio::sync::oneshot::channel();
        {
            let deaf = places.work(never(), move |_| {
                begun.send(()).ok();
                Ok(wait.recv().ok())
            });
            let gone = async { has_begun.await.unwrap() };
            tokio::select! {
                _ = deaf => panic!("it cannot end"),
                () = gone => {}
            }
        }
        let free = timeout(Duration::from_millis(100), places.empty()).await;
        assert!(free.is_err(), "the work goes on, and its place is given to another");
        go.send(()).unwrap();
        places.empty().await;
        places.work(never(), |_| Ok(())).await.unwrap();
    }

    #[tokio::test]
    async fn what_is_abandoned_is_cancelled_and_answers() {
        let places = Places::new(1);
        let taken = places.place().await.unwrap();
        let (abandon, abandoned) = watch::channel(true);
        assert!(places.work(abandoned, |_| Ok(())).await.is_err(), "it waits for a place in vain");
        drop((taken, abandon));
        let (abandon, abandoned) = watch::channel(false);
        let hears = places.work(abandoned, move |cancel| {
            abandon.send(true).unwrap();
            while !cancel.requested() {
                std::thread::yield_now();
            }
            Ok(())
        });
        hears.await.unwrap();
    }
}
