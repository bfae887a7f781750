//! Submitting: a request becomes a job that is on disk before it is answered.

use std::collections::HashSet;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use indexmap::IndexSet;
use tokio::task::spawn_blocking;

use super::new_job::{Key, new_job};
use super::upload::{self, Upload};
use crate::entry::http::answer::{Answer, body};
use crate::entry::http::app::App;
use crate::entry::http::auth::Caller;
use crate::entry::http::body::{ByName, JsonBody};
use crate::entry::http::problem::{Failure, Problem};
use crate::entry::http::views::{AcceptedView, BatchBody, BatchView, JobBody};
use crate::queue::{NewJob, Place, Submitted};

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
        (status = 422, body = Failure), (status = 429, body = Failure, description = "The queue is full"),
        (status = 503, body = Failure, description = "The disk is full; it may be tried again")))]
pub async fn submit(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Result<Response, Problem> {
    let key = Key::of(request.headers())?;
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
    let accepted = accept(&app, &caller, given, None, Key::of(&headers)?).await?;
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
    let key = Key::of(&headers)?;
    if given.jobs.is_empty() || given.jobs.len() > MOST_JOBS {
        return Err(Problem::unprocessable(format!("a batch has 1 to {MOST_JOBS} jobs")));
    }
    let keys = key.map(|key| key.of_batch(&given)).transpose()?;
    let mut jobs = Vec::new();
    for (number, ByName(one)) in given.jobs.into_iter().enumerate() {
        let key = keys.as_ref().map(|key| key.of_item(number));
        jobs.push(new_job(&app, &caller, one, None, key)?);
    }
    check_workspaces(&app, &caller, &jobs).await?;
    let jobs = hand_in(&app, jobs).await?.into_iter().map(accepted).collect();
    Ok((StatusCode::ACCEPTED, body(BatchView { jobs })))
}

async fn accept(
    app: &Arc<App>,
    caller: &Caller,
    given: JobBody,
    upload: Option<Upload>,
    key: Option<Key>,
) -> Result<AcceptedView, Problem> {
    let checked = match new_job(app, caller, given, upload.as_ref(), key) {
        Ok(job) => check_workspaces(app, caller, std::slice::from_ref(&job)).await.map(|()| job),
        Err(problem) => Err(problem),
    };
    match (checked, upload) {
        (Ok(job), Some(upload)) => accept_upload(app.clone(), job, upload).await,
        (Ok(job), None) => only(hand_in(app, vec![job]).await?),
        (Err(problem), upload) => {
            discard(upload).await;
            Err(problem)
        }
    }
}

/// A client that goes away ends its request wherever that is; what happens to a job and its folder has to happen to both, so
/// it is no part of the request.
async fn accept_upload(app: Arc<App>, job: NewJob, mut upload: Upload) -> Result<AcceptedView, Problem> {
    let accepting = tokio::spawn(async move {
        // From here on the folder may be an accepted job's: in doubt it stays, and the next start looks again.
        upload.hand_in();
        let submitted = hand_in(&app, vec![job]).await;
        let is_taken = match &submitted {
            Ok(submitted) => submitted.iter().any(|one| one.created),
            Err(_) => !matches!(app.store.job(&upload.id).await, Ok(None)),
        };
        if !is_taken {
            discard(Some(upload)).await;
        }
        only(submitted?)
    });
    accepting.await.unwrap_or_else(|_| Err(Problem::internal("the daemon failed on this request")))
}

/// Removes an upload before the answer, so that whoever was refused finds nothing left.
async fn discard(upload: Option<Upload>) {
    if let Some(upload) = upload {
        // A thread that panics leaves a folder, which the next start removes.
        _ = spawn_blocking(move || upload.remove()).await;
    }
}

/// Every workspace that is named has to be there, each looked at once. A request that is repeated is answered as it was,
/// whatever has become of its workspace.
async fn check_workspaces(app: &Arc<App>, caller: &Caller, jobs: &[NewJob]) -> Result<(), Problem> {
    let keys: Vec<String> = jobs.iter().filter_map(|job| job.key.clone()).collect();
    let known = if keys.is_empty() { HashSet::new() } else { app.store.used_keys(&caller.name, keys).await? };
    let is_new = |job: &&NewJob| job.key.as_ref().is_none_or(|key| !known.contains(key));
    let names: IndexSet<String> = jobs.iter().filter(is_new).filter_map(named).collect();
    if names.is_empty() {
        return Ok(());
    }
    let app = app.clone();
    let looking = spawn_blocking(move || names.iter().try_for_each(|name| app.root.resolve(name).map(drop)));
    Ok(looking.await.map_err(|_| Problem::internal("the workspaces could not be looked at"))??)
}

fn named(job: &NewJob) -> Option<String> {
    match &job.order.workspace {
        Place::Path(name) => Some(name.clone()),
        Place::Uploaded => None,
    }
}

async fn hand_in(app: &App, jobs: Vec<NewJob>) -> Result<Vec<Submitted>, Problem> {
    if app.is_stopping() {
        return Err(Problem::stopping());
    }
    Ok(app.store.submit(jobs).await?)
}

fn only(submitted: Vec<Submitted>) -> Result<AcceptedView, Problem> {
    submitted.into_iter().next().map(accepted).ok_or_else(|| Problem::internal("the store lost a job"))
}

fn accepted(one: Submitted) -> AcceptedView {
    let (id, location) = (one.id.to_string(), format!("/api/v1/jobs/{}", one.id));
    AcceptedView { task_id: id.clone(), id, location, created: one.created }
}
