//! What came of a job: its result, its log, and the callbacks about it.
#![allow(unused_qualifications, reason = "utoipa's macro qualifies what it is given")]

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::jobs::{find, job_id};
use crate::daemon::{LogLine, read_log};
use crate::entry::http::answer::{Answer, body};
use crate::entry::http::app::App;
use crate::entry::http::body::{Named, Params};
use crate::entry::http::problem::{Failure, Problem};
use crate::entry::http::views::DeliveryView;
use crate::queue::{Job, JobId, State as JobState};

/// What a scorer has said.
#[derive(Debug, Serialize, ToSchema)]
pub struct LogView {
    /// The job.
    pub id: String,
    /// In the order in which they were said.
    #[schema(value_type = Vec<Object>)]
    pub lines: Vec<LogLine>,
}

/// Callbacks about a job.
#[derive(Debug, Serialize, ToSchema)]
pub struct DeliveriesView {
    /// Every attempt.
    pub deliveries: Vec<DeliveryView>,
}

/// Which job is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TaskParams {
    /// The job.
    task_id: String,
}

/// The recorded result of a job, if it has one.
pub async fn recorded(app: &App, id: &JobId) -> Result<(Job, Value), Problem> {
    let job = find(app, id).await?;
    let text = app.store.result(id).await?.ok_or_else(|| match (job.state, &job.error) {
        (JobState::Failed, Some(error)) => Problem::conflict(format!("the job failed: {error}")),
        (state, _) => Problem::conflict(format!("the job is {}; it has no result", state.as_str())),
    })?;
    let result = serde_json::from_str(&text).map_err(|error| Problem::internal(error.to_string()))?;
    Ok((job, result))
}

/// The standard result of a job that is done, or of one that failed in its scorer.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/result", tag = "jobs", security(("token" = ["read"])), params(("id" = String, Path)), responses(
    (status = 200, body = Answer<Object>),
    (status = 401, body = Failure), (status = 403, body = Failure), (status = 404, body = Failure),
    (status = 409, body = Failure, description = "There is no result (yet)")))]
pub async fn result(State(app): State<Arc<App>>, Named(id): Named<String>) -> Result<Json<Answer<Value>>, Problem> {
    Ok(body(recorded(&app, &job_id(&id)?).await?.1))
}

/// The result of a job: the same for clients of the first version.
#[utoipa::path(get, path = "/result", tag = "classic", security(("token" = ["read"])), params(TaskParams), responses(
    (status = 200, body = Answer<Object>),
    (status = 400, body = Failure), (status = 401, body = Failure), (status = 403, body = Failure),
    (status = 404, body = Failure), (status = 409, body = Failure)))]
pub async fn result_classic(
    State(app): State<Arc<App>>,
    Params(params): Params<TaskParams>,
) -> Result<Json<Answer<Value>>, Problem> {
    Ok(body(recorded(&app, &job_id(&params.task_id)?).await?.1))
}

async fn log_of(app: &App, id: &str) -> Result<Json<Answer<LogView>>, Problem> {
    let job = find(app, &job_id(id)?).await?;
    let path = app.folders.log(&job.id);
    let lines = tokio::task::spawn_blocking(move || read_log(&path)).await;
    let lines = lines.map_err(|error| Problem::internal(error.to_string()))?;
    let lines = lines.map_err(|error| Problem::internal(format!("the log cannot be read: {error}")))?;
    Ok(body(LogView { id: job.id.to_string(), lines }))
}

/// What the scorer of a job has said so far.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/logs", tag = "jobs", security(("token" = ["read"])), params(("id" = String, Path)), responses(
    (status = 200, body = Answer<LogView>),
    (status = 401, body = Failure), (status = 403, body = Failure), (status = 404, body = Failure)))]
pub async fn logs(State(app): State<Arc<App>>, Named(id): Named<String>) -> Result<Json<Answer<LogView>>, Problem> {
    log_of(&app, &id).await
}

/// What the scorer of a job has said: the same for clients of the first version.
#[utoipa::path(get, path = "/logs", tag = "classic", security(("token" = ["read"])), params(TaskParams), responses(
    (status = 200, body = Answer<LogView>),
    (status = 400, body = Failure), (status = 401, body = Failure), (status = 403, body = Failure),
    (status = 404, body = Failure)))]
pub async fn logs_classic(
    State(app): State<Arc<App>>,
    Params(params): Params<TaskParams>,
) -> Result<Json<Answer<LogView>>, Problem> {
    log_of(&app, &params.task_id).await
}

/// Every attempt to tell about the end of a job.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/deliveries", tag = "jobs", security(("token" = ["read"])), params(("id" = String, Path)), responses(
    (status = 200, body = Answer<DeliveriesView>),
    (status = 401, body = Failure), (status = 403, body = Failure), (status = 404, body = Failure)))]
pub async fn deliveries(
    State(app): State<Arc<App>>,
    Named(id): Named<String>,
) -> Result<Json<Answer<DeliveriesView>>, Problem> {
    let job = find(&app, &job_id(&id)?).await?;
    let attempts = app.store.deliveries(&job.id).await?;
    Ok(body(DeliveriesView { deliveries: attempts.into_iter().map(DeliveryView::from).collect() }))
}
