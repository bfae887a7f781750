//! The courier: makes one attempt to deliver a callback, and says what came of it and when to try again.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Response};
use serde::Serialize;

use autoscorer_plugin_api::error::ScoreError;

use super::backoff::{Backoff, retry_after};
use super::resolve::Checked;
use super::signature::{Key, SIGNATURE};
use super::target::Target;
use crate::queue::{Attempt, Delivery, Job, JobId, Moment, State};
use crate::telemetry::cause::root_cause;

const DELIVERY: &str = "x-autoscorer-delivery";
const TIMEOUT: Duration = Duration::from_secs(10);
/// So much of an answer is taken in, so that a receiver sees its answer read; nobody looks at it.
const LONGEST_ANSWER: usize = 4 << 10;
const LONGEST_READ: Duration = Duration::from_secs(1);
/// Why nothing is sent without a secret.
const UNSIGNED: &str = "this daemon has no secret to sign callbacks with (AUTOSCORER_CALLBACK_SECRET)";

/// Makes callbacks.
pub struct Courier {
    http: Client,
    /// Missing certificates are no reason not to call others.
    https: Result<Client, String>,
    /// Without one, nothing can be signed, and so nothing is sent.
    key: Option<Key>,
    pub(super) allow_private: bool,
    pub(super) backoff: Backoff,
}

impl Courier {
    /// A courier that signs with a secret; without one, every attempt fails with the reason, so that what is still owed is
    /// given up in the end. Private addresses are called only if that is allowed.
    pub fn new(secret: Option<&str>, allow_private: bool) -> Result<Self, String> {
        Self::with(TIMEOUT, secret, Checked::new(allow_private))
    }

    /// The same, with another time for one attempt, and another way to look names up.
    pub(super) fn with(timeout: Duration, secret: Option<&str>, names: Checked) -> Result<Self, String> {
        if secret.is_some_and(str::is_empty) {
            return Err("the secret is empty".to_owned());
        }
        let allow_private = names.allow_private;
        // The one who installs it first has installed the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = || {
            Client::builder()
                .user_agent(concat!("autoscorer/", env!("CARGO_PKG_VERSION")))
                .timeout(timeout)
                .connect_timeout(timeout)
                .dns_resolver(names.clone())
                // Each of these would call an address that nobody has checked.
                .redirect(reqwest::redirect::Policy::none())
                .no_proxy()
                .pool_max_idle_per_host(0)
        };
        Ok(Self {
            // A machine without any certificates can still call plain addresses.
            http: builder().tls_certs_only([]).build().map_err(|error| root_cause(&error))?,
            https: builder().build().map_err(|error| root_cause(&error)),
            key: secret.map(Key::new).transpose()?,
            allow_private,
            backoff: Backoff::default(),
        })
    }

    /// Makes one attempt.
    pub async fn attempt(&self, delivery: &Delivery) -> Attempt {
        let target = match Target::parse(&delivery.url, self.allow_private) {
            Ok(target) => target,
            Err(reason) => return self.failed(delivery, None, reason, None),
        };
        match self.send(&target, delivery).await {
            Err(reason) => self.failed(delivery, None, reason, None),
            Ok(answer) => {
                let (status, asked) = (answer.status(), retry_after(answer.headers(), SystemTime::now()));
                take_in(answer).await;
                if status.is_success() {
                    return Attempt { status: Some(status.as_u16()), error: None, again: None, delivered: true };
                }
                self.failed(delivery, Some(status.as_u16()), said(status.as_u16()), asked)
            }
        }
    }

    async fn send(&self, target: &Target, delivery: &Delivery) -> Result<Response, String> {
        let key = self.key.as_ref().ok_or(UNSIGNED)?;
        let client = match (&self.https, target.is_https()) {
            (Ok(https), true) => https,
            (Err(reason), true) => return Err(format!("https cannot be used: {reason}")),
            (_, false) => &self.http,
        };
        let body = serde_json::to_vec(&Message::new(delivery)).map_err(|error| error.to_string())?;
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let request = client
            .post(target.url().clone())
            .header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
            .header(DELIVERY, delivery.number)
            .header(SIGNATURE, key.sign(seconds, &body))
            .body(body);
        request.send().await.map_err(|error| unanswered(&error))
    }

    /// It is tried again unless the receiver would say the same again, or has been asked often enough.
    fn failed(&self, delivery: &Delivery, status: Option<u16>, error: String, asked: Option<Duration>) -> Attempt {
        let attempts = delivery.attempts.saturating_add(1);
        let wait = if status.is_some_and(is_final) { None } else { self.backoff.wait(attempts, asked) };
        let error = match wait {
            Some(_) => error,
            None => format!("{error}; given up after {attempts} attempt{}", if attempts == 1 { "" } else { "s" }),
        };
        Attempt { status, error: Some(error), again: wait.map(|wait| Moment::now().plus(wait)), delivered: false }
    }
}

/// Whether the receiver has understood the message and does not want it, now or later. What its operator may still mend
/// (a wrong path, a key, a redirection) is none of these.
fn is_final(status: u16) -> bool {
    matches!(status, 400 | 405 | 410 | 411 | 413 | 414 | 415 | 422)
}

fn said(status: u16) -> String {
    match status {
        300..=399 => format!("the receiver answers {status}, a redirection, which is not followed"),
        _ => format!("the receiver answers {status}"),
    }
}

fn unanswered(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no answer in time".to_owned();
    }
    let what = if error.is_connect() { "no connection" } else { "no answer" };
    format!("{what}: {}", root_cause(error))
}

/// Reads a little of an answer for a little while.
async fn take_in(mut answer: Response) {
    let read = async {
        let mut count = 0;
        while let Ok(Some(chunk)) = answer.chunk().await {
            count += chunk.len();
            if count > LONGEST_ANSWER {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(LONGEST_READ, read).await;
}

/// What a receiver gets.
#[derive(Serialize)]
struct Message<'a> {
    event: String,
    delivery: i64,
    job: Ended<'a>,
}

/// The job, as far as a receiver needs it; the rest is behind the API.
#[derive(Serialize)]
struct Ended<'a> {
    id: &'a JobId,
    state: State,
    score: Option<f64>,
    scored_by: Option<&'a str>,
    error: Option<&'a ScoreError>,
    submitter: &'a str,
    created: Moment,
    finished: Option<Moment>,
}

impl<'a> Message<'a> {
    fn new(delivery: &'a Delivery) -> Self {
        let job: &Job = &delivery.job;
        Self {
            event: format!("job.{}", job.state.as_str()),
            delivery: delivery.number,
            job: Ended {
                id: &job.id,
                state: job.state,
                score: job.score,
                scored_by: job.scored_by.as_deref(),
                error: job.error.as_ref(),
                submitter: &job.submitter,
                created: job.created,
                finished: job.finished,
            },
        }
    }
}
