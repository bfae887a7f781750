//! Pages of other origins: what their browsers have to be told, so that those that are allowed can ask.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// What a page may do, and may send along.
const RULES: [(HeaderName, &str); 3] = [
    (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, POST, DELETE"),
    (header::ACCESS_CONTROL_ALLOW_HEADERS, "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, Range"),
    (header::ACCESS_CONTROL_MAX_AGE, "600"),
];

/// What a page may read of an answer, beyond what every page may.
const SHOWN: &str = "Location, Retry-After, ETag, Content-Range, Accept-Ranges, X-Request-Id";

/// The origin of a request, if it is one of those that are allowed.
pub fn allowed(origins: &[String], headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    let text = origin.to_str().ok()?;
    origins.iter().any(|one| one.eq_ignore_ascii_case(text)).then(|| origin.clone())
}

/// Whether a browser asks only if it may ask.
pub fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// It may.
pub fn go_ahead() -> Response {
    (StatusCode::NO_CONTENT, RULES).into_response()
}

/// Lets a page of an allowed origin read an answer. Whoever keeps answers must not show one page's to another.
pub fn admit(origins: &[String], origin: Option<HeaderValue>, headers: &mut HeaderMap) {
    if !origins.is_empty() {
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
    }
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(SHOWN));
    }
}
