//! A caller: makes a call again and again, at the endpoint's pace, until it succeeds or there is no point in going on.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::client::{Client, Failure};
use crate::endpoint::{Endpoint, Service};
use crate::error::JudgeError;
use crate::pace::Pace;
use crate::settings::Settings;

/// Pauses between tries do not grow further.
const LONGEST_GROWTH: u32 = 5;

/// One endpoint's calls.
pub(crate) struct Caller {
    pub pace: Pace,
    client: Client,
    retries: u32,
    patience: Duration,
    calls: AtomicU64,
    repeated: AtomicU64,
}

/// What the calls for one pair or batch have cost.
#[derive(Debug, Default)]
pub(crate) struct Cost {
    pub calls: u32,
    pub latency: Duration,
    pub tokens: u64,
}

impl Caller {
    /// Prepares calls to a service; none is made yet.
    pub(crate) fn new(endpoint: &Endpoint, service: Service, settings: &Settings) -> Result<Self, JudgeError> {
        Ok(Self {
            pace: Pace::new(settings.concurrency, settings.pause),
            client: Client::new(endpoint, service, settings)?,
            retries: settings.retries,
            patience: settings.patience,
            calls: AtomicU64::new(0),
            repeated: AtomicU64::new(0),
        })
    }

    /// Calls until the answer can be read.
    pub(crate) async fn call<T>(
        &self,
        body: &Value,
        cost: &mut Cost,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<T, Failure> {
        let mut tries = Tries { before: Instant::now(), sent: Instant::now(), since: None, failed: 0, busy: 0 };
        let mut last = None;
        loop {
            let Some(slot) = self.pace.enter().await else { return Err(given_up(last)) };
            tries.sent = Instant::now();
            let answer = self.client.post(body).await;
            drop(slot);
            cost.calls += 1;
            cost.latency += tries.sent.elapsed();
            self.calls.fetch_add(1, Ordering::Relaxed);
            let unreadable = || Failure::Passing("the server's answer lacks what was asked for".to_owned());
            let failure = match answer.and_then(|value| read(&value).ok_or_else(unreadable)) {
                Ok(result) => {
                    self.pace.succeeded();
                    return Ok(result);
                }
                Err(failure) => failure,
            };
            let pause = self.pause(&failure, &mut tries)?;
            self.repeated.fetch_add(1, Ordering::Relaxed);
            last = Some(failure);
            sleep(pause).await;
        }
    }

    /// How long to wait before the next try, or the failure if there should be none.
    fn pause(&self, failure: &Failure, tries: &mut Tries) -> Result<Duration, Failure> {
        let pause = match failure {
            Failure::Refused(_) | Failure::Rejected(_) => return Err(failure.clone()),
            Failure::Passing(_) => {
                tries.failed += 1;
                // A server that answers others will answer this one too, sooner or later.
                let lively = self.pace.answered_since(std::mem::replace(&mut tries.before, Instant::now()));
                let most = if lively { self.retries.saturating_mul(2) } else { self.retries };
                (tries.failed <= most).then(|| self.pace.pause(tries.failed.min(LONGEST_GROWTH)))
            }
            Failure::Busy(_, wait) => {
                tries.busy += 1;
                let pause = wait.unwrap_or_else(|| self.pace.pause(tries.busy));
                // A slow server that answers somebody is worth waiting for.
                let bearable = self.pace.quiet() + pause <= self.patience;
                // It means everybody, as a rule, and then nobody is answered any more. A server that has answered another
                // call since this one was made, or made the time before, has turned away this one only, and the others need
                // not wait for it.
                let since = tries.since.replace(tries.sent).unwrap_or(tries.sent);
                let everybody = !self.pace.answered_since(since);
                if let Some(wait) = wait.filter(|_| bearable && everybody) {
                    self.pace.hold(wait);
                }
                bearable.then_some(pause)
            }
        };
        pause.ok_or_else(|| {
            self.pace.gave_up();
            exhausted(failure, tries)
        })
    }

    /// Calls made so far, and how many of them were made again.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.calls.load(Ordering::Relaxed), self.repeated.load(Ordering::Relaxed))
    }
}

/// What was tried for one call.
struct Tries {
    /// When it failed before, or began.
    before: Instant,
    /// When it was made the last time.
    sent: Instant,
    /// When it was made before it was turned away the last time.
    since: Option<Instant>,
    failed: u32,
    busy: u32,
}

fn exhausted(failure: &Failure, tries: &Tries) -> Failure {
    let message = failure.message();
    Failure::Passing(match (failure, tries.failed + tries.busy) {
        (Failure::Busy(_, Some(wait)), _) => format!("{message} and wants to be asked again in {} s", wait.as_secs()),
        (_, 1) => message.to_owned(),
        (_, tries) => format!("{message}, at the last of {tries} tries"),
    })
}

fn given_up(last: Option<Failure>) -> Failure {
    let why = last.map_or(String::new(), |failure| format!(": {}", failure.message()));
    Failure::Passing(format!("the server was given up after many failures in a row{why}"))
}
