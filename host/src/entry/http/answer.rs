//! The envelope of every JSON answer: `{ok, data | error, meta}`.

use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

use crate::telemetry::time;

tokio::task_local! {
    /// The name of the request that is being answered.
    pub static REQUEST_ID: String;
}

/// What every answer says about itself.
#[derive(Debug, Serialize, ToSchema)]
pub struct Meta {
    /// When it was made, in UTC.
    pub timestamp: String,
    /// The version of this program.
    pub version: &'static str,
    /// The name of the request, for the log.
    pub request_id: String,
}

impl Meta {
    /// For the request that is being answered.
    pub fn now() -> Self {
        let request_id = REQUEST_ID.try_with(String::clone).unwrap_or_default();
        Self { timestamp: time::now(), version: env!("CARGO_PKG_VERSION"), request_id }
    }
}

/// An answer with data.
#[derive(Debug, Serialize, ToSchema)]
pub struct Answer<D> {
    /// Always true.
    pub ok: bool,
    /// What was asked for.
    pub data: D,
    /// About this answer.
    pub meta: Meta,
}

/// The body of an answer with data.
pub fn body<D: Serialize>(data: D) -> Json<Answer<D>> {
    Json(Answer { ok: true, data, meta: Meta::now() })
}
