//! The watchman: names every request, looks where it comes from, catches what falls, and writes down how it ended.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use uuid::Uuid;

use super::answer::REQUEST_ID;
use super::app::App;
use super::cors;
use super::problem::Problem;

const NAME: HeaderName = HeaderName::from_static("x-request-id");

/// Headers of which nobody knows which one counts, if there are two.
static ONCE: [HeaderName; 6] = [
    header::HOST,
    header::ORIGIN,
    header::AUTHORIZATION,
    header::CONTENT_TYPE,
    HeaderName::from_static("idempotency-key"),
    HeaderName::from_static("last-event-id"),
];

static METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];

/// Around every request.
pub async fn watch(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let id = request_id(request.headers());
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let origins = &app.settings.allow_origin;
    let origin = cors::allowed(origins, request.headers());
    let answer = async {
        match check_source(&app, request.headers()) {
            Ok(()) if origin.is_some() && cors::is_preflight(&request) => cors::go_ahead(),
            Ok(()) => AssertUnwindSafe(next.run(request)).catch_unwind().await.unwrap_or_else(|_| {
                Problem::internal("the daemon failed on this request")
                    .hint("report it to the maintainers")
                    .into_response()
            }),
            Err(problem) => problem.into_response(),
        }
    };
    let mut response = REQUEST_ID.scope(id.clone(), answer).await;
    let status = response.status().as_u16();
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(NAME, value);
    }
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    cors::admit(origins, origin, response.headers_mut());
    let took = start.elapsed();
    app.metrics.answered(counted_as(&method), &route, status, took);
    tracing::info!(request = id, %method, path, status, milliseconds = took.as_secs_f64() * 1e3, "answered");
    response
}

/// Anybody can make up methods, and each would be counted for ever.
fn counted_as(method: &Method) -> &'static str {
    METHODS.iter().find(|known| *known == method).map_or("other", Method::as_str)
}

/// A client's own name for its request, if it is one that can be written into a log.
fn request_id(headers: &HeaderMap) -> String {
    let sane = |text: &&str| {
        !text.is_empty() && text.len() <= 64 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    let given = headers.get(NAME).and_then(|value| value.to_str().ok()).filter(sane);
    given.map_or_else(|| Uuid::now_v7().to_string(), str::to_owned)
}

/// A page of another site must not reach the daemon through a browser on this machine, whatever name it gives it.
fn check_source(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    let settings = &app.settings;
    let allowed = |list: &[String], value: &str| list.iter().any(|one| one.eq_ignore_ascii_case(value));
    if let Some(name) = ONCE.iter().find(|name| headers.get_all(*name).iter().nth(1).is_some()) {
        return Err(refused(StatusCode::BAD_REQUEST, &format!("the request has the header '{name}' twice")));
    }
    let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("\u{fffd}"));
    let host = text(header::HOST).unwrap_or_default();
    let name = host_name(host);
    let known = is_local(name) || allowed(&settings.allow_host, name);
    if (settings.is_loopback() || !settings.allow_host.is_empty()) && !known {
        return Err(refused(StatusCode::MISDIRECTED_REQUEST, "the Host header names another server")
            .hint("call it by localhost, or allow the name with --allow-host"));
    }
    let Some(origin) = text(header::ORIGIN) else { return Ok(()) };
    let same = origin.split_once("://").is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(host));
    if same || allowed(&settings.allow_origin, origin) {
        return Ok(());
    }
    Err(refused(StatusCode::FORBIDDEN, "the request comes from a web page of another origin")
        .hint("allow the origin with --allow-origin"))
}

fn refused(status: StatusCode, message: &str) -> Problem {
    Problem::new(status, "FORBIDDEN_SOURCE", message)
}

/// The name in a Host header, without its port.
fn host_name(host: &str) -> &str {
    let is_port = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) => name,
        _ => host,
    }
}

fn is_local(name: &str) -> bool {
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost")
        || address.parse::<std::net::IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}
