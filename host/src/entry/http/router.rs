//! Which path leads where, and who may take it.

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{OpenApi as Document, RefOr};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::app::App;
use super::problem::Problem;
use super::routes::{artifacts, events, health, jobs, output, score, scorers, submit, upload};
use super::{auth, docs, watchman};

#[derive(OpenApi)]
#[openapi(
    info(title = "autoscorer", description = "Scores workspaces with hot-loaded plugins"),
    modifiers(&Tokens),
    tags(
        (name = "score", description = "Scoring now"),
        (name = "jobs", description = "Scoring later: accepted means on disk"),
        (name = "events", description = "What happens, as it happens"),
        (name = "scorers", description = "The scorers, and how new ones come in"),
        (name = "health", description = "How the daemon is"),
        (name = "classic", description = "The paths of the first version")
    )
)]
struct Api;

struct Tokens;

impl Modify for Tokens {
    fn modify(&self, document: &mut Document) {
        let scheme = SecurityScheme::Http(HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build());
        document.components.get_or_insert_default().add_security_scheme("token", scheme);
    }
}

type Routes = OpenApiRouter<Arc<App>>;

fn open() -> Routes {
    OpenApiRouter::new().routes(routes!(health::healthz)).routes(routes!(health::livez)).routes(routes!(health::readyz))
}

fn reading() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(health::metrics))
        .routes(routes!(jobs::list))
        .routes(routes!(jobs::get))
        .routes(routes!(jobs::task))
        .routes(routes!(output::result))
        .routes(routes!(output::result_classic))
        .routes(routes!(output::logs))
        .routes(routes!(output::logs_classic))
        .routes(routes!(output::deliveries))
        .routes(routes!(artifacts::list))
        .routes(routes!(artifacts::get))
        .routes(routes!(events::follow))
        .routes(routes!(scorers::get_all))
        .routes(routes!(scorers::get_all_classic))
        .routes(routes!(scorers::get))
        .routes(routes!(scorers::watching))
        .routes(routes!(scorers::watching_classic))
}

fn submitting() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(score::score))
        .routes(routes!(score::score_classic))
        .routes(routes!(score::test))
        .routes(routes!(score::test_classic))
        .routes(routes!(submit::submit))
        .routes(routes!(submit::submit_classic))
        .routes(routes!(submit::batch))
        .routes(routes!(jobs::cancel))
        .routes(routes!(jobs::requeue))
}

fn administering() -> Routes {
    OpenApiRouter::new()
        .routes(routes!(scorers::load))
        .routes(routes!(scorers::load_classic))
        .routes(routes!(scorers::reload))
        .routes(routes!(scorers::reload_classic))
        .routes(routes!(scorers::lift))
        .routes(routes!(scorers::watch, scorers::unwatch))
        .routes(routes!(scorers::watch_classic, scorers::unwatch_classic))
}

/// Every answer has a description: the usual name of its status, where no other is given.
fn describe(document: &mut Document) {
    let operations = document.paths.paths.values_mut().flat_map(|path| {
        [&mut path.get, &mut path.put, &mut path.post, &mut path.delete].into_iter().filter_map(Option::as_mut)
    });
    for (status, response) in operations.flat_map(|operation| &mut operation.responses.responses) {
        if let RefOr::T(response) = response
            && response.description.is_empty()
        {
            let name = status.parse().ok().and_then(|status: StatusCode| status.canonical_reason());
            response.description = name.unwrap_or(status).to_owned();
        }
    }
}

/// The description of the interface.
pub fn document() -> Document {
    let mut all = OpenApiRouter::<Arc<App>>::with_openapi(Api::openapi());
    for part in [open(), reading(), submitting(), administering()] {
        all = all.merge(part);
    }
    let mut document = all.into_openapi();
    describe(&mut document);
    document
}

/// The router of an app.
pub fn router(app: Arc<App>) -> Router {
    let scoped = |routes: Routes| -> Router<Arc<App>> { routes.into() };
    let reading = scoped(reading()).route_layer(from_fn_with_state(app.clone(), auth::read));
    let submitting = scoped(submitting()).route_layer(from_fn_with_state(app.clone(), auth::submit));
    let administering = scoped(administering()).route_layer(from_fn_with_state(app.clone(), auth::admin));
    scoped(open())
        .merge(docs::routes(document()))
        .merge(reading)
        .merge(submitting)
        .merge(administering)
        .fallback(nowhere)
        .method_not_allowed_fallback(not_like_this)
        // Of a form; what is in it has its own limits.
        .layer(DefaultBodyLimit::max(upload::most_form(app.settings.max_upload) as usize))
        .layer(from_fn_with_state(app.clone(), watchman::watch))
        .with_state(app)
}

async fn nowhere() -> Problem {
    Problem::not_found("there is nothing at this path").hint("GET /openapi.json and /docs tell what there is")
}

async fn not_like_this() -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", "this path knows no such method")
        .hint("GET /openapi.json and /docs tell what there is")
}
