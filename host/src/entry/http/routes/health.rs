//! Whether the daemon lives, whether it takes work, and what it counts.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use serde::Serialize;
use utoipa::ToSchema;

use crate::entry::http::answer::{Answer, body};
use crate::entry::http::app::App;
use crate::entry::http::problem::{Failure, Problem};

/// How the daemon is.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// Always "ok".
    pub status: &'static str,
    /// The version of this program.
    pub version: &'static str,
}

/// How ready the daemon is.
#[derive(Debug, Serialize, ToSchema)]
pub struct Readiness {
    /// Always "ready".
    pub status: &'static str,
    /// Scorers that can be used.
    pub scorers: usize,
    /// Jobs that wait.
    pub queued: u64,
    /// Jobs that run.
    pub running: u64,
}

fn health() -> Json<Answer<Health>> {
    body(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// Whether the daemon lives.
#[utoipa::path(get, path = "/healthz", tag = "health", responses((status = 200, body = Answer<Health>)))]
pub async fn healthz() -> Json<Answer<Health>> {
    health()
}

/// Whether the daemon lives.
#[utoipa::path(get, path = "/livez", tag = "health", responses((status = 200, body = Answer<Health>)))]
pub async fn livez() -> Json<Answer<Health>> {
    health()
}

/// Whether the daemon takes work: its store answers and can be written, it has scorers, and it is not about to end.
#[utoipa::path(get, path = "/readyz", tag = "health", responses(
    (status = 200, body = Answer<Readiness>),
    (status = 503, body = Failure, description = "It is stopping, or its store fails")))]
pub async fn readyz(State(app): State<Arc<App>>) -> Result<Json<Answer<Readiness>>, Problem> {
    if app.is_stopping() {
        return Err(Problem::stopping());
    }
    if app.store.trouble().is_some() {
        return Err(Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "UNAVAILABLE",
            "the store of jobs cannot be written",
        )
        .hint("look into the daemon's log, and at the space on its disk")
        .retry_after(5));
    }
    let counts = app.store.counts().await?;
    let scorers = app.engine.registry().snapshot().iter().count();
    if scorers == 0 {
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", "there are no scorers")
            .hint("name the folder of built-in plugins with --plugins"));
    }
    let [queued, running, ..] = counts.by_state;
    Ok(body(Readiness { status: "ready", scorers, queued, running }))
}

/// What is counted, as Prometheus reads it.
#[utoipa::path(get, path = "/metrics", tag = "health", security(("token" = ["read"])), responses(
    (status = 200, body = String, content_type = "application/openmetrics-text"),
    (status = 401, body = Failure), (status = 403, body = Failure)))]
pub async fn metrics(State(app): State<Arc<App>>) -> Result<impl IntoResponse, Problem> {
    app.tally.catch_up().await?;
    let counts = app.store.counts().await?;
    let text = app.metrics.text(&counts, app.running.count(), app.connections.open());
    Ok(([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text))
}
