//! Looking at jobs, and changing them.
#![allow(unused_qualifications, reason = "utoipa's macro qualifies what it is given")]

use std::sync::Arc;

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::daemon::Scope;
use crate::entry::http::answer::{Answer, body};
use crate::entry::http::app::App;
use crate::entry::http::auth::Caller;
use crate::entry::http::body::{Named, Params};
use crate::entry::http::problem::{Failure, Problem};
use crate::entry::http::views::{JobView, PageView};
use crate::queue::{Changed, Job, JobId, ListFilter, State as JobState};

const MOST: usize = 500;
const USUAL: usize = 50;

/// Which jobs are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListParams {
    /// queued, running, done, failed or cancelled.
    #[param(value_type = Option<String>)]
    state: Option<JobState>,
    /// Those of this submitter.
    submitter: Option<String>,
    /// Those that this scorer ran.
    scorer: Option<String>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
    /// At most so many; up to 500.
    limit: Option<usize>,
}

/// The name of a job in a path.
pub fn job_id(text: &str) -> Result<JobId, Problem> {
    JobId::parse(text).ok_or_else(unknown)
}

/// There is no such job.
pub fn unknown() -> Problem {
    Problem::not_found("there is no such job").hint("GET /api/v1/jobs lists the jobs there are")
}

/// A job that must be there.
pub async fn find(app: &App, id: &JobId) -> Result<Job, Problem> {
    app.store.job(id).await?.ok_or_else(unknown)
}

/// A job as clients see it now.
pub fn seen(app: &App, job: &Job) -> JobView {
    JobView::new(job, app.running.progress(&job.id))
}

/// Lists jobs, the latest first.
#[utoipa::path(get, path = "/api/v1/jobs", operation_id = "list_jobs", tag = "jobs", security(("token" = ["read"])), params(ListParams), responses(
    (status = 200, body = Answer<PageView>),
    (status = 400, body = Failure), (status = 401, body = Failure), (status = 403, body = Failure)))]
pub async fn list(
    State(app): State<Arc<App>>,
    Params(params): Params<ListParams>,
) -> Result<Json<Answer<PageView>>, Problem> {
    let most = params.limit.unwrap_or(USUAL);
    if !(1..=MOST).contains(&most) {
        return Err(Problem::bad_request(format!("limit: expected 1 to {MOST}")));
    }
    let wrong = || Problem::bad_request("cursor: expected next_cursor of the page before");
    let before = params.cursor.as_deref().map(|text| JobId::parse(text).ok_or_else(wrong)).transpose()?;
    let filter = ListFilter { state: params.state, submitter: params.submitter, scorer: params.scorer, before, most };
    let page = app.store.list(filter).await?;
    let next_cursor = page.jobs.last().filter(|_| page.more).map(|job| job.id.to_string());
    Ok(body(PageView { jobs: page.jobs.iter().map(|job| seen(&app, job).listed()).collect(), next_cursor }))
}

/// A job.
#[utoipa::path(get, path = "/api/v1/jobs/{id}", operation_id = "get_job", tag = "jobs", security(("token" = ["read"])), params(("id" = String, Path)), responses(
    (status = 200, body = Answer<JobView>),
    (status = 401, body = Failure), (status = 403, body = Failure), (status = 404, body = Failure)))]
pub async fn get(State(app): State<Arc<App>>, Named(id): Named<String>) -> Result<Json<Answer<JobView>>, Problem> {
    one(&app, &id).await
}

async fn one(app: &App, id: &str) -> Result<Json<Answer<JobView>>, Problem> {
    let job = find(app, &job_id(id)?).await?;
    Ok(body(seen(app, &job)))
}

/// A job: the same for clients of the first version.
#[utoipa::path(get, path = "/tasks/{id}", tag = "classic", security(("token" = ["read"])), params(("id" = String, Path)), responses(
    (status = 200, body = Answer<JobView>),
    (status = 401, body = Failure), (status = 403, body = Failure), (status = 404, body = Failure)))]
pub async fn task(State(app): State<Arc<App>>, Named(id): Named<String>) -> Result<Json<Answer<JobView>>, Problem> {
    one(&app, &id).await
}

/// Stops a job: one that waits at once, one that runs as soon as its scorer can be stopped.
#[utoipa::path(post, path = "/api/v1/jobs/{id}/cancel", tag = "jobs", security(("token" = ["submit"])), params(("id" = String, Path)), responses(
    (status = 200, body = Answer<JobView>),
    (status = 401, body = Failure), (status = 403, body = Failure), (status = 404, body = Failure),
    (status = 409, body = Failure, description = "It has ended already")))]
pub async fn cancel(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Named(id): Named<String>,
) -> Result<Json<Answer<JobView>>, Problem> {
    let id = own(&app, &caller, &id).await?;
    let changed = app.store.cancel(&id).await?;
    // One that has ended may have been queued and begun again meanwhile: nobody asked for that run to stop.
    if matches!(changed, Changed::Changed(_)) {
        app.running.cancel(&id);
    }
    shown(&app, changed, "cancelled")
}

/// Puts a job that has ended into the queue again.
#[utoipa::path(post, path = "/api/v1/jobs/{id}/requeue", tag = "jobs", security(("token" = ["submit"])), params(("id" = String, Path)), responses(
    (status = 200, body = Answer<JobView>),
    (status = 401, body = Failure), (status = 403, body = Failure), (status = 404, body = Failure),
    (status = 409, body = Failure, description = "It has not ended"),
    (status = 429, body = Failure, description = "The queue is full")))]
pub async fn requeue(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Named(id): Named<String>,
) -> Result<Json<Answer<JobView>>, Problem> {
    let id = own(&app, &caller, &id).await?;
    let changed = app.store.requeue(&id).await?;
    shown(&app, changed, "put into the queue again")
}

/// Everybody may change their own jobs; those of others only an admin.
async fn own(app: &App, caller: &Caller, id: &str) -> Result<JobId, Problem> {
    let job = find(app, &job_id(id)?).await?;
    if job.submitter != caller.name && caller.scope < Scope::Admin {
        let message = format!("the job belongs to '{}'", job.submitter);
        return Err(Problem::new(StatusCode::FORBIDDEN, "FORBIDDEN", message).hint("use its token, or an admin's"));
    }
    Ok(job.id)
}

fn shown(app: &App, changed: Changed, what: &str) -> Result<Json<Answer<JobView>>, Problem> {
    match changed {
        Changed::Changed(job) => Ok(body(seen(app, &job))),
        Changed::Unknown => Err(unknown()),
        Changed::Refused(state) => Err(Problem::conflict(format!("a job that is {} cannot be {what}", state.as_str()))),
    }
}
