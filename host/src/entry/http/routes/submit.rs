//! Submitting: a request becomes a job that is on disk before it is answered.

use std::sync::Arc;

use autoscorer_plugin_api::context::hex;
use axum::Json;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::upload::{self, Upload};
use crate::callback::Target;
use crate::entry::http::answer::{Answer, body};
use crate::entry::http::app::App;
use crate::entry::http::auth::Caller;
use crate::entry::http::body::JsonBody;
use crate::entry::http::problem::{Failure, Problem};
use crate::entry::http::views::{AcceptedView, BatchBody, BatchView, JobBody};
use crate::job::{ScorerName, bytes_of_text, seconds_of_number};
use crate::queue::{JobId, NewJob, Order, Place, Submitted};

/// A client that repeats a request with the same key gets the same job.
pub const KEY: HeaderName = HeaderName::from_static("idempotency-key");

const MOST_JOBS: usize = 1000;

/// Accepts a job: a workspace below the root (JSON), or one that comes with the request (tar, tar.gz, zip, or a form with
/// the fields `job` and `workspace`).
#[utoipa::path(post, path = "/api/v1/jobs", tag = "jobs", security(("token" = ["submit"])),
    params(("Idempotency-Key" = Option<String>, Header, description = "A repeated request gets the same job")),
    request_body(content(
        (JobBody = "application/json"),
        (Vec<u8> = "application/x-tar"), (Vec<u8> = "application/gzip"), (Vec<u8> = "application/zip"),
        (Object = "multipart/form-data"))),
    responses(
        (status = 202, body = Answer<AcceptedView>, headers(("Location", description = "Where to look at the job"))),
        (status = 200, body = Answer<AcceptedView>, description = "It had been accepted under the same key"),
        (status = 400, body = Failure), (status = 401, body = Failure), (status = 403, body = Failure),
        (status = 404, body = Failure), (status = 413, body = Failure), (status = 415, body = Failure),
        (status = 422, body = Failure), (status = 429, body = Failure, description = "The queue is full")))]
pub async fn submit(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Result<Response, Problem> {
    let key = key(request.headers())?;
    let (given, upload) = upload::receive(&app, request).await?;
    let accepted = accept(&app, &caller, given, upload, key).await?;
    let status = if accepted.created { StatusCode::ACCEPTED } else { StatusCode::OK };
    let location = accepted.location.clone();
    Ok((status, [(header::LOCATION, location)], body(accepted)).into_response())
}

/// Accepts a job: the same for clients of the first version.
#[utoipa::path(post, path = "/submit", tag = "classic", security(("token" = ["submit"])), request_body = JobBody, responses(
    (status = 400, body = Failure), (status = 413, body = Failure), (status = 415, body = Failure), (status = 429, body = Failure),
    (status = 202, body = Answer<AcceptedView>),
    (status = 401, body = Failure), (status = 403, body = Failure), (status = 404, body = Failure),
    (status = 422, body = Failure)))]
pub async fn submit_classic(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    JsonBody(given): JsonBody<JobBody>,
) -> Result<(StatusCode, Json<Answer<AcceptedView>>), Problem> {
    let accepted = accept(&app, &caller, given, None, key(&headers)?).await?;
    Ok((StatusCode::ACCEPTED, body(accepted)))
}

/// Accepts many jobs, all or none.
#[utoipa::path(post, path = "/api/v1/jobs/batch", tag = "jobs", security(("token" = ["submit"])),
    params(("Idempotency-Key" = Option<String>, Header, description = "A repeated request gets the same jobs")),
    request_body = BatchBody, responses(
        (status = 202, body = Answer<BatchView>),
        (status = 400, body = Failure), (status = 401, body = Failure), (status = 403, body = Failure),
        (status = 404, body = Failure), (status = 413, body = Failure), (status = 415, body = Failure),
        (status = 422, body = Failure), (status = 429, body = Failure)))]
pub async fn batch(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    JsonBody(given): JsonBody<BatchBody>,
) -> Result<(StatusCode, Json<Answer<BatchView>>), Problem> {
    let key = key(&headers)?;
    if given.jobs.is_empty() || given.jobs.len() > MOST_JOBS {
        return Err(Problem::unprocessable(format!("a batch has 1 to {MOST_JOBS} jobs")));
    }
    let mut jobs = Vec::new();
    for (number, one) in given.jobs.into_iter().enumerate() {
        let key = key.as_ref().map(|key| format!("{key}/{number}"));
        jobs.push(new_job(&app, &caller, one, None, key)?);
    }
    let jobs = hand_in(&app, jobs).await?.into_iter().map(accepted).collect();
    Ok((StatusCode::ACCEPTED, body(BatchView { jobs })))
}

async fn accept(
    app: &App,
    caller: &Caller,
    given: JobBody,
    upload: Option<Upload>,
    key: Option<String>,
) -> Result<AcceptedView, Problem> {
    let job = new_job(app, caller, given, upload.as_ref(), key)?;
    let submitted = hand_in(app, vec![job]).await?;
    let one = submitted.into_iter().next().ok_or_else(|| Problem::internal("the store lost a job"))?;
    if let Some(upload) = upload.filter(|_| one.created) {
        upload.keep();
    }
    Ok(accepted(one))
}

async fn hand_in(app: &App, jobs: Vec<NewJob>) -> Result<Vec<Submitted>, Problem> {
    if app.is_stopping() {
        return Err(Problem::stopping());
    }
    Ok(app.store.submit(jobs).await?)
}

fn accepted(one: Submitted) -> AcceptedView {
    let (id, location) = (one.id.to_string(), format!("/api/v1/jobs/{}", one.id));
    AcceptedView { task_id: id.clone(), id, location, created: one.created }
}

/// Checks all that can be checked before the job runs.
fn new_job(
    app: &App,
    caller: &Caller,
    given: JobBody,
    upload: Option<&Upload>,
    key: Option<String>,
) -> Result<NewJob, Problem> {
    let wrong = |name: &str, expected: &str| Problem::unprocessable(format!("{name}: expected {expected}"));
    if !(-100..=100).contains(&given.priority) {
        return Err(wrong("priority", "a whole number from -100 to 100"));
    }
    if let Some(scorer) = &given.scorer {
        scorer.parse::<ScorerName>().map_err(|expected| wrong("scorer", &expected))?;
    }
    if let Some(seconds) = given.time_limit {
        seconds_of_number(seconds).map_err(|expected| wrong("time_limit", &expected))?;
    }
    let memory = given.memory.as_deref().map(bytes_of_text).transpose();
    let memory_limit = memory.map_err(|expected| wrong("memory", &expected))?;
    if let Some(url) = &given.callback {
        check_callback(app, url)?;
    }
    let workspace = match (&given.workspace, upload) {
        (Some(_), Some(_)) => return Err(wrong("workspace", "none, since one was uploaded")),
        (None, None) => return Err(wrong("workspace", "the path of a workspace below the root")),
        (None, Some(_)) => Place::Uploaded,
        (Some(name), None) => {
            app.root.resolve(name)?;
            Place::Path(name.clone())
        }
    };
    let content = upload.map(|upload| upload.sha256.as_str()).unwrap_or_default();
    let request = serde_json::to_string(&given).map_err(|error| Problem::internal(error.to_string()))?;
    let fingerprint = hex(&Sha256::digest(format!("{request}\n{content}")));
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
        key,
        fingerprint,
    })
}

fn check_callback(app: &App, url: &str) -> Result<(), Problem> {
    if app.settings.callback_secret.is_none() {
        return Err(Problem::unprocessable("callback: this daemon has no secret to sign callbacks with")
            .hint("set AUTOSCORER_CALLBACK_SECRET for the daemon, or poll the job"));
    }
    let target = Target::parse(url, app.settings.allow_private_callbacks);
    target.map(drop).map_err(|reason| Problem::unprocessable(format!("callback: {reason}")))
}

fn key(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(key) = headers.get(KEY) else { return Ok(None) };
    let sane = |text: &&str| (1..=200).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    let key = key.to_str().ok().filter(sane);
    key.map(|key| Some(key.to_owned()))
        .ok_or_else(|| Problem::bad_request("the Idempotency-Key is not 1 to 200 visible ASCII characters"))
}
