//! A problem: why a request gets no data, with a status, a code, and what to do next.

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::answer::Meta;
use crate::queue::QueueError;

/// What went wrong.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct ErrorView {
    /// For machines: one of the scoring codes, or one of this interface.
    pub code: String,
    /// For people.
    pub message: String,
    /// The stage that failed.
    pub stage: Option<String>,
    /// Where, why, and what to do next.
    #[schema(value_type = Object)]
    pub details: Value,
    /// Whether the same request may succeed later.
    pub retryable: bool,
}

/// An answer without data.
#[derive(Debug, Serialize, ToSchema)]
pub struct Failure {
    /// Always false.
    pub ok: bool,
    /// What went wrong.
    pub error: ErrorView,
    /// About this answer.
    pub meta: Meta,
}

/// Why a request gets no data.
#[derive(Debug, Clone)]
pub struct Problem {
    status: StatusCode,
    error: Box<ErrorView>,
    header: Option<(HeaderName, HeaderValue)>,
}

impl Problem {
    /// A problem of this interface.
    pub fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        let error = ErrorView {
            code: code.to_owned(),
            message: message.into(),
            stage: Some("request".to_owned()),
            details: json!({}),
            retryable: matches!(status.as_u16(), 408 | 429 | 503),
        };
        Self { status, error: Box::new(error), header: None }
    }

    /// What to do next.
    #[must_use]
    pub fn hint(mut self, hint: &str) -> Self {
        self.error.details["hint"] = hint.into();
        self
    }

    /// When to try again.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.header = Some((header::RETRY_AFTER, HeaderValue::from(seconds)));
        self
    }

    /// A part was asked for that a file of this size does not have.
    pub fn no_such_part(size: u64) -> Self {
        let message = format!("the file has {size} bytes");
        let problem = Self::new(StatusCode::RANGE_NOT_SATISFIABLE, "RANGE_NOT_SATISFIABLE", message);
        let range = HeaderValue::try_from(format!("bytes */{size}"));
        Self { header: range.ok().map(|range| (header::CONTENT_RANGE, range)), ..problem }
    }

    /// There is no such thing.
    pub fn not_found(what: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "NOT_FOUND", what)
    }

    /// The request makes no sense.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BAD_REQUEST", message)
    }

    /// It cannot be done in this state.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "CONFLICT", message)
    }

    /// The request is understood, and wrong.
    pub fn unprocessable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "INVALID_REQUEST", message)
    }

    /// The host itself failed.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "UNHANDLED_ERROR", message)
    }

    /// There is no room for what was sent.
    pub fn full_disk() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "DISK_FULL", "the disk of the daemon is full; nothing was accepted")
            .hint("the same request may be repeated once its operator has made room")
            .retry_after(30)
    }

    /// The same problem, of something that is larger than it may be.
    #[must_use]
    pub fn of_too_much(mut self) -> Self {
        self.status = StatusCode::PAYLOAD_TOO_LARGE;
        self.error.code = "PAYLOAD_TOO_LARGE".to_owned();
        self
    }

    /// The daemon is about to end.
    pub fn stopping() -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", "the daemon is stopping").retry_after(5)
    }
}

/// The error of a job, as clients see it.
pub fn view(error: &ScoreError) -> ErrorView {
    ErrorView {
        code: error.code.to_string(),
        message: error.message.clone(),
        stage: error.stage.clone(),
        details: serde_json::to_value(&error.details).unwrap_or_default(),
        retryable: matches!(error.code, ErrorCode::JudgeError | ErrorCode::LoadError | ErrorCode::Cancelled),
    }
}

impl From<ScoreError> for Problem {
    fn from(error: ScoreError) -> Self {
        let status = match error.code {
            ErrorCode::WorkspaceNotFound | ErrorCode::ScorerNotFound => StatusCode::NOT_FOUND,
            ErrorCode::MissingFile
            | ErrorCode::BadFormat
            | ErrorCode::ParseError
            | ErrorCode::TypeError
            | ErrorCode::Mismatch
            | ErrorCode::InvalidParams
            | ErrorCode::ScoreError
            | ErrorCode::MemoryLimit => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorCode::Cancelled => StatusCode::CONFLICT,
            ErrorCode::TimeoutError => StatusCode::GATEWAY_TIMEOUT,
            ErrorCode::LoadError | ErrorCode::ScorerPanic | ErrorCode::ScorerCrashed | ErrorCode::JudgeError => {
                StatusCode::BAD_GATEWAY
            }
            ErrorCode::UnhandledError => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self { status, error: Box::new(view(&error)), header: None }
    }
}

impl From<QueueError> for Problem {
    fn from(error: QueueError) -> Self {
        let message = error.to_string();
        match error {
            QueueError::Full { .. } => Self::new(StatusCode::TOO_MANY_REQUESTS, "QUEUE_FULL", message)
                .hint("wait until jobs have ended; 'serve --queue-limit' sets the bound")
                .retry_after(5),
            QueueError::KeyReused { .. } => Self::new(StatusCode::UNPROCESSABLE_ENTITY, "KEY_REUSED", message)
                .hint("use a new Idempotency-Key for every new request"),
            QueueError::Failed(_) => {
                tracing::error!(error = message, "the store failed");
                Self::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "STORE_FAILED",
                    "the store of jobs failed; nothing was changed",
                )
                .hint("the log of the daemon says why; the request may be repeated")
                .retry_after(5)
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let failure = Failure { ok: false, error: *self.error, meta: Meta::now() };
        let mut response = (self.status, Json(failure)).into_response();
        let headers = response.headers_mut();
        headers.extend(self.header);
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
