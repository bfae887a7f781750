//! The description of the interface, for machines and for people. The page needs nothing from anywhere else.

use std::sync::Arc;

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use utoipa::openapi::OpenApi as Document;

use super::app::App;

const PAGE: &str = include_str!("docs.html");

/// `/openapi.json` and `/docs`.
pub fn routes(document: Document) -> Router<Arc<App>> {
    let text: Arc<str> = document.to_json().unwrap_or_default().into();
    let json = move || {
        let text = text.clone();
        async move { ([(header::CONTENT_TYPE, "application/json")], text.to_string()) }
    };
    Router::new().route("/openapi.json", get(json)).route("/docs", get(page))
}

async fn page() -> impl IntoResponse {
    let policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'";
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, policy)], PAGE)
}
