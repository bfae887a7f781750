//! The round: takes the callbacks that are owed to the courier, several at once, until the daemon stops.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::{Id, JoinSet};
use tokio::time::{sleep, timeout};

use super::courier::Courier;
use super::target::Target;
use crate::queue::{Delivery, Moment, QueueError, Store};

/// How many are under way at once.
const AT_ONCE: usize = 8;
/// How many of them to one host, so that one that does not answer keeps no other waiting.
const PER_HOST: usize = 2;
/// How many are looked at in one go for one that may go.
const IN_VIEW: usize = 64;
/// After a look at more than that, the next one waits a little: it may have been at very many.
const BREATH: Duration = Duration::from_millis(100);
/// How long to wait after the store has failed.
const RECOVERY: Duration = Duration::from_secs(5);
/// However long there is nothing to do, the clock may have been set meanwhile.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// Those under way at the end may get so far. What is cut off is made again later, under the same number.
const FAREWELL: Duration = Duration::from_secs(2);

/// Makes the callbacks that are owed until `stop` says so.
pub async fn run(store: Arc<dyn Store>, courier: Courier, mut stop: watch::Receiver<bool>) {
    let mut round = Round { store, courier: Arc::new(courier), tasks: JoinSet::new(), under_way: HashMap::new() };
    let mut events = round.store.last_event();
    while !*stop.borrow() {
        // Seen before looking: what comes between the look and the wait ends the wait.
        events.borrow_and_update();
        let wait = round.start_what_is_due().await;
        tokio::select! {
            Some(ended) = round.tasks.join_next_with_id() => round.forget(ended),
            changed = events.changed(), if round.has_room() => if changed.is_err() { sleep(wait).await },
            () = sleep(wait), if round.has_room() => {}
            changed = stop.changed() => if changed.is_err() { break },
        }
    }
    let _ = timeout(FAREWELL, async { while round.tasks.join_next().await.is_some() {} }).await;
}

struct Round {
    store: Arc<dyn Store>,
    courier: Arc<Courier>,
    tasks: JoinSet<()>,
    /// The number and the host of each.
    under_way: HashMap<Id, (i64, String)>,
}

impl Round {
    fn has_room(&self) -> bool {
        self.under_way.len() < AT_ONCE
    }

    /// Starts what may go, and gives the time until there may be more.
    async fn start_what_is_due(&mut self) -> Duration {
        if !self.has_room() {
            return LONGEST_WAIT;
        }
        match self.look_through().await {
            Ok(next) => next.map_or(LONGEST_WAIT, |next| next.since(Moment::now()).min(LONGEST_WAIT)),
            Err(error) => {
                tracing::error!(%error, "callbacks that are owed cannot be looked at");
                RECOVERY
            }
        }
    }

    /// Looks at all that are due, as long as there is room: hosts that do not answer may have any number of them before
    /// the first one of another host. Gives the moment when more will be due.
    async fn look_through(&mut self) -> Result<Option<Moment>, QueueError> {
        let mut looked_at = 0;
        loop {
            let (due, next) = self.store.due(looked_at, IN_VIEW).await?;
            let count = due.len();
            due.into_iter().for_each(|delivery| self.start(delivery));
            if count < IN_VIEW || !self.has_room() {
                if looked_at > 0 {
                    sleep(BREATH).await;
                }
                return Ok(next);
            }
            looked_at += count;
        }
    }

    /// Starts one, unless it is under way or has to wait for others.
    fn start(&mut self, delivery: Delivery) {
        let host = Target::parse(&delivery.url, true).map(|target| target.host().to_owned()).unwrap_or_default();
        let known = self.under_way.values().any(|(number, _)| *number == delivery.number);
        let to_host = self.under_way.values().filter(|(_, other)| *other == host).count();
        if known || to_host >= PER_HOST || !self.has_room() {
            return;
        }
        let number = delivery.number;
        let task = self.tasks.spawn(make(self.store.clone(), self.courier.clone(), delivery, host.clone()));
        self.under_way.insert(task.id(), (number, host));
    }

    fn forget(&mut self, ended: Result<(Id, ()), tokio::task::JoinError>) {
        let id = match ended {
            Ok((id, ())) => id,
            Err(error) => {
                tracing::error!(%error, "a callback was not made");
                error.id()
            }
        };
        self.under_way.remove(&id);
    }
}

/// Makes one attempt and records it.
async fn make(store: Arc<dyn Store>, courier: Arc<Courier>, delivery: Delivery, host: String) {
    let attempt = courier.attempt(&delivery).await;
    let (job, number, status) = (&delivery.job.id, delivery.number, attempt.status);
    let error = attempt.error.as_deref().unwrap_or_default();
    match (attempt.delivered, &attempt.again) {
        (true, _) => tracing::info!(%job, delivery = number, host, status, "callback delivered"),
        (false, Some(again)) => tracing::warn!(%job, delivery = number, host, status, %again, error, "callback failed"),
        (false, None) => tracing::error!(%job, delivery = number, host, status, error, "callback given up"),
    }
    if let Err(error) = store.attempted(number, attempt).await {
        tracing::error!(%error, %job, delivery = number, "an attempt cannot be recorded; it will be repeated");
        // It is due still: without a pause it would be made again at once.
        sleep(RECOVERY).await;
    }
}
