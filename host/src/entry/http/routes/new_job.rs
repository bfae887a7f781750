//! A new job: what a client asks for, checked as far as it can be before the job runs.

use autoscorer_plugin_api::context::hex;
use axum::http::{HeaderMap, HeaderName};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::upload::Upload;
use crate::callback::Target;
use crate::entry::http::app::App;
use crate::entry::http::auth::Caller;
use crate::entry::http::problem::Problem;
use crate::entry::http::views::{BatchBody, JobBody};
use crate::job::{ScorerName, bytes_of_text, seconds_of_number};
use crate::queue::{JobId, NewJob, Order, Place};

const KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Parameters are kept with every job; what is larger is data, and belongs into the workspace.
const MOST_PARAMS: usize = 64 << 10;

/// A client that repeats a request with the same key gets the same job.
#[derive(Debug, Clone)]
pub struct Key {
    text: String,
    /// The hash of the batch that the job is a part of: the same job in another batch is another request.
    batch: String,
}

impl Key {
    /// The key of a request, if it has one.
    pub fn of(headers: &HeaderMap) -> Result<Option<Self>, Problem> {
        let Some(key) = headers.get(KEY) else { return Ok(None) };
        let sane = |text: &&str| (1..=200).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        let key = key.to_str().ok().filter(sane);
        key.map(|key| Some(Self { text: key.to_owned(), batch: String::new() }))
            .ok_or_else(|| Problem::bad_request("the Idempotency-Key is not 1 to 200 visible ASCII characters"))
    }

    /// The same key, of this batch.
    pub fn of_batch(self, batch: &BatchBody) -> Result<Self, Problem> {
        Ok(Self { batch: hex(&Sha256::digest(json(batch)?)), ..self })
    }

    /// The key of one job of a batch. No client's key holds a blank, so none is taken for it.
    pub fn of_item(&self, number: usize) -> Self {
        Self { text: format!("{} {number}", self.text), batch: self.batch.clone() }
    }
}

/// Checks all but whether the workspace is there.
pub fn new_job(
    app: &App,
    caller: &Caller,
    given: JobBody,
    upload: Option<&Upload>,
    key: Option<Key>,
) -> Result<NewJob, Problem> {
    let memory_limit = check(app, &given)?;
    let fingerprint = fingerprint(&given, upload, key.as_ref())?;
    let workspace = match (given.workspace, upload) {
        (Some(_), Some(_)) => return Err(wrong("workspace", "none, since one was uploaded")),
        (None, None) => return Err(wrong("workspace", "the path of a workspace below the root")),
        (None, Some(_)) => Place::Uploaded,
        (Some(name), None) => Place::Path(name),
    };
    Ok(NewJob {
        id: upload.map_or_else(JobId::new, |upload| upload.id.clone()),
        submitter: caller.name.clone(),
        priority: given.priority,
        order: Order {
            workspace,
            scorer: given.scorer,
            params: given.params,
            artifacts: given.artifacts,
            time_limit: given.time_limit,
            memory_limit,
        },
        callback: given.callback,
        key: key.map(|key| key.text),
        fingerprint,
    })
}

/// Checks what was given, and gives the memory limit in bytes.
fn check(app: &App, given: &JobBody) -> Result<Option<u64>, Problem> {
    if !(-100..=100).contains(&given.priority) {
        return Err(wrong("priority", "a whole number from -100 to 100"));
    }
    if let Some(scorer) = &given.scorer {
        scorer.parse::<ScorerName>().map_err(|expected| wrong("scorer", &expected))?;
    }
    if let Some(seconds) = given.time_limit {
        seconds_of_number(seconds).map_err(|expected| wrong("time_limit", &expected))?;
    }
    let size = json(&given.params)?.len();
    if size > MOST_PARAMS {
        let message = format!("params: expected at most {MOST_PARAMS} bytes of JSON, found {size}");
        return Err(Problem::unprocessable(message).hint("put what is large into a file of the workspace"));
    }
    if let Some(url) = &given.callback {
        check_callback(app, url)?;
    }
    given.memory.as_deref().map(bytes_of_text).transpose().map_err(|expected| wrong("memory", &expected))
}

fn wrong(name: &str, expected: &str) -> Problem {
    Problem::unprocessable(format!("{name}: expected {expected}"))
}

fn check_callback(app: &App, url: &str) -> Result<(), Problem> {
    if app.settings.callback_secret.is_none() {
        return Err(Problem::unprocessable("callback: this daemon has no secret to sign callbacks with")
            .hint("set AUTOSCORER_CALLBACK_SECRET for the daemon, or poll the job"));
    }
    let target = Target::parse(url, app.settings.allow_private_callbacks);
    target.map(drop).map_err(|reason| Problem::unprocessable(format!("callback: {reason}")))
}

/// What the whole request was.
fn fingerprint(given: &JobBody, upload: Option<&Upload>, key: Option<&Key>) -> Result<String, Problem> {
    let content = upload.map(|upload| upload.sha256.as_str()).unwrap_or_default();
    let batch = key.map(|key| key.batch.as_str()).unwrap_or_default();
    Ok(hex(&Sha256::digest(format!("{}\n{content}\n{batch}", json(given)?))))
}

fn json(value: &impl Serialize) -> Result<String, Problem> {
    serde_json::to_string(value).map_err(|error| Problem::internal(error.to_string()))
}
