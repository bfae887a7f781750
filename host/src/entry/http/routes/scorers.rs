//! The scorers: which there are, and how new ones come in.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::entry::commands::{list, show};
use crate::entry::http::answer::{Answer, body};
use crate::entry::http::app::App;
use crate::entry::http::body::{JsonBody, Named};
use crate::entry::http::problem::{Failure, Problem};
use crate::job::ScorerName;
use crate::load::file::is_library_name;
use crate::load::{Finding, Refusal, sha256_of};

/// How long a library may take from its arrival to being live or refused.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often the registry is looked at meanwhile.
const TICK: Duration = Duration::from_millis(20);

/// A library to be loaded.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadBody {
    /// A library below the root; it is copied into the folder of custom scorers.
    pub path: String,
}

/// A scorer whose library was taken out.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LiftBody {
    /// The scorer's id.
    pub scorer: String,
}

/// Whether the folder of custom scorers is followed.
#[derive(Debug, Serialize, ToSchema)]
pub struct WatchView {
    /// Whether it is.
    pub watching: bool,
    /// The folder.
    pub folder: String,
}

async fn all(app: &App) -> Json<Answer<Value>> {
    body(list::document(app.engine.registry()))
}

/// All scorers, the libraries they come from, and the files that were refused.
#[utoipa::path(get, path = "/api/v1/scorers", tag = "scorers", security(("token" = ["read"])), responses(
    (status = 200, body = Answer<Object>), (status = 401, body = Failure), (status = 403, body = Failure)))]
pub async fn get_all(State(app): State<Arc<App>>) -> Json<Answer<Value>> {
    all(&app).await
}

/// The same for clients of the first version.
#[utoipa::path(get, path = "/scorers", tag = "classic", security(("token" = ["read"])), responses(
    (status = 200, body = Answer<Object>), (status = 401, body = Failure), (status = 403, body = Failure)))]
pub async fn get_all_classic(State(app): State<Arc<App>>) -> Json<Answer<Value>> {
    all(&app).await
}

/// One scorer with its parameters.
#[utoipa::path(get, path = "/api/v1/scorers/{id}", operation_id = "get_scorer", tag = "scorers", security(("token" = ["read"])), params(("id" = String, Path)), responses(
    (status = 200, body = Answer<Object>), (status = 401, body = Failure), (status = 403, body = Failure),
    (status = 404, body = Failure)))]
pub async fn get(State(app): State<Arc<App>>, Named(id): Named<String>) -> Result<Json<Answer<Value>>, Problem> {
    let name: ScorerName = id.parse().map_err(|_| Problem::not_found("there is no such scorer"))?;
    Ok(body(show::document(app.engine.registry(), &name)?))
}

/// What nobody looks at cannot be looked at again.
fn check_followed(app: &App) -> Result<(), Problem> {
    if app.following.is_following() {
        return Ok(());
    }
    Err(Problem::conflict("the folder of custom scorers is not followed").hint("POST /api/v1/scorers/watch first"))
}

async fn load_library(app: &App, given: LoadBody) -> Result<Json<Answer<Value>>, Problem> {
    check_followed(app)?;
    let source = library_below(app.root.path(), &given.path)?;
    let folder = app.engine.custom_scorers().to_owned();
    let name = source.file_name().unwrap_or_default().to_owned();
    let target = folder.join(&name);
    // Two may load the same file at once.
    let aside = folder.join(format!(".{}.{}.loading", name.to_string_lossy(), Uuid::now_v7()));
    let (registry, to) = (app.engine.registry().clone(), target.clone());
    let copied = tokio::task::spawn_blocking(move || {
        std::fs::create_dir_all(&folder)?;
        std::fs::copy(source, &aside)?;
        let sha256 = std::fs::File::open(&aside).and_then(sha256_of)?;
        // What was said of the file before is not said of this one.
        registry.forgive(&to);
        std::fs::rename(aside, to)?;
        Ok(sha256)
    });
    let copied: std::io::Result<String> = copied.await.map_err(|error| Problem::internal(error.to_string()))?;
    let sha256 = copied.map_err(|error| Problem::internal(format!("the library cannot be copied: {error}")))?;
    app.following.reload();
    settled(app, &target, &sha256).await
}

fn library_below(root: &FilePath, name: &str) -> Result<PathBuf, Problem> {
    let outside = || Problem::not_found("there is no such library below the root");
    let path = std::fs::canonicalize(root.join(name)).map_err(|_| outside())?;
    if !path.starts_with(root) || !path.is_file() {
        return Err(outside());
    }
    if !is_library_name(&path) {
        return Err(Problem::unprocessable("the file's name is no library's").hint("a library's name ends with .so"));
    }
    Ok(path)
}

/// Waits until a file is live or refused.
async fn settled(app: &App, file: &FilePath, sha256: &str) -> Result<Json<Answer<Value>>, Problem> {
    let deadline = Instant::now() + PATIENCE;
    let registry = app.engine.registry();
    while Instant::now() < deadline {
        // A file that was replaced while it was looked at is looked at again.
        let is_final = |refusal: &Refusal| refusal.file == file && *refusal.finding != Finding::changed();
        if let Some(refusal) = registry.refusals().into_iter().find(is_final) {
            return Err(refusal.as_error().into());
        }
        let generations = registry.generations();
        let live = generations.iter().find(|(one, _)| one.source == file && one.sha256() == Some(sha256));
        if let Some((generation, state)) = live {
            return Ok(body(json!({"state": state, "subject": generation.subject()})));
        }
        sleep(TICK).await;
    }
    Err(Problem::new(StatusCode::GATEWAY_TIMEOUT, "TIMEOUT_ERROR", "the library is neither live nor refused yet")
        .hint("GET /api/v1/scorers tells what becomes of it; is the folder followed?"))
}

/// Loads a library below the root, and tells what became of it.
#[utoipa::path(post, path = "/api/v1/scorers/load", tag = "scorers", security(("token" = ["admin"])), request_body = LoadBody, responses(
    (status = 400, body = Failure), (status = 413, body = Failure), (status = 415, body = Failure),
    (status = 200, body = Answer<Object>), (status = 401, body = Failure), (status = 403, body = Failure),
    (status = 404, body = Failure), (status = 409, body = Failure, description = "The folder is not followed"), (status = 422, body = Failure),
    (status = 502, body = Failure, description = "The library was refused")))]
pub async fn load(
    State(app): State<Arc<App>>,
    JsonBody(given): JsonBody<LoadBody>,
) -> Result<Json<Answer<Value>>, Problem> {
    load_library(&app, given).await
}

/// The same for clients of the first version.
#[utoipa::path(post, path = "/scorers/load", tag = "classic", security(("token" = ["admin"])), request_body = LoadBody, responses(
    (status = 400, body = Failure), (status = 413, body = Failure), (status = 415, body = Failure),
    (status = 200, body = Answer<Object>), (status = 401, body = Failure), (status = 403, body = Failure),
    (status = 404, body = Failure), (status = 409, body = Failure, description = "The folder is not followed"), (status = 422, body = Failure), (status = 502, body = Failure)))]
pub async fn load_classic(
    State(app): State<Arc<App>>,
    JsonBody(given): JsonBody<LoadBody>,
) -> Result<Json<Answer<Value>>, Problem> {
    load_library(&app, given).await
}

/// Looks at the folder now, and tries again what was refused.
#[utoipa::path(post, path = "/api/v1/scorers/reload", tag = "scorers", security(("token" = ["admin"])), responses(
    (status = 202, body = Answer<Object>), (status = 401, body = Failure), (status = 403, body = Failure),
    (status = 409, body = Failure, description = "The folder is not followed")))]
pub async fn reload(State(app): State<Arc<App>>) -> Result<(StatusCode, Json<Answer<Value>>), Problem> {
    check_followed(&app)?;
    app.following.reload();
    Ok((StatusCode::ACCEPTED, all(&app).await))
}

/// The same for clients of the first version.
#[utoipa::path(post, path = "/scorers/reload", tag = "classic", security(("token" = ["admin"])), responses(
    (status = 202, body = Answer<Object>), (status = 401, body = Failure), (status = 403, body = Failure),
    (status = 409, body = Failure, description = "The folder is not followed")))]
pub async fn reload_classic(State(app): State<Arc<App>>) -> Result<(StatusCode, Json<Answer<Value>>), Problem> {
    check_followed(&app)?;
    app.following.reload();
    Ok((StatusCode::ACCEPTED, all(&app).await))
}

/// Puts a library back that was taken out because its jobs kept failing.
#[utoipa::path(post, path = "/api/v1/scorers/lift", tag = "scorers", security(("token" = ["admin"])), request_body = LiftBody, responses(
    (status = 400, body = Failure), (status = 413, body = Failure), (status = 415, body = Failure),
    (status = 200, body = Answer<Object>), (status = 401, body = Failure), (status = 403, body = Failure),
    (status = 404, body = Failure), (status = 422, body = Failure)))]
pub async fn lift(
    State(app): State<Arc<App>>,
    JsonBody(given): JsonBody<LiftBody>,
) -> Result<Json<Answer<Value>>, Problem> {
    let registry = app.engine.registry().clone();
    let scorer = given.scorer.clone();
    let lifted = tokio::task::spawn_blocking(move || registry.lift(&scorer)).await;
    match lifted.map_err(|error| Problem::internal(error.to_string()))? {
        Ok(0) => Err(Problem::not_found("no library with this scorer was taken out")),
        Ok(_) => Ok(all(&app).await),
        Err(refusal) => Err(refusal.as_error().into()),
    }
}

fn watch_view(app: &App) -> Json<Answer<WatchView>> {
    let folder = app.engine.custom_scorers().display().to_string();
    body(WatchView { watching: app.following.is_following(), folder })
}

/// Whether the folder of custom scorers is followed.
#[utoipa::path(get, path = "/api/v1/scorers/watch", tag = "scorers", security(("token" = ["read"])), responses(
    (status = 200, body = Answer<WatchView>), (status = 401, body = Failure), (status = 403, body = Failure)))]
pub async fn watching(State(app): State<Arc<App>>) -> Json<Answer<WatchView>> {
    watch_view(&app)
}

/// Follows the folder of custom scorers.
#[utoipa::path(post, path = "/api/v1/scorers/watch", tag = "scorers", security(("token" = ["admin"])), responses(
    (status = 200, body = Answer<WatchView>), (status = 401, body = Failure), (status = 403, body = Failure)))]
pub async fn watch(State(app): State<Arc<App>>) -> Json<Answer<WatchView>> {
    app.following.follow(true);
    watch_view(&app)
}

/// Leaves the scorers as they are, whatever happens in the folder.
#[utoipa::path(delete, path = "/api/v1/scorers/watch", tag = "scorers", security(("token" = ["admin"])), responses(
    (status = 200, body = Answer<WatchView>), (status = 401, body = Failure), (status = 403, body = Failure)))]
pub async fn unwatch(State(app): State<Arc<App>>) -> Json<Answer<WatchView>> {
    app.following.follow(false);
    watch_view(&app)
}

/// The same for clients of the first version.
#[utoipa::path(get, path = "/scorers/watch", tag = "classic", security(("token" = ["read"])), responses(
    (status = 200, body = Answer<WatchView>), (status = 401, body = Failure), (status = 403, body = Failure)))]
pub async fn watching_classic(State(app): State<Arc<App>>) -> Json<Answer<WatchView>> {
    watch_view(&app)
}

/// The same for clients of the first version.
#[utoipa::path(post, path = "/scorers/watch", tag = "classic", security(("token" = ["admin"])), responses(
    (status = 200, body = Answer<WatchView>), (status = 401, body = Failure), (status = 403, body = Failure)))]
pub async fn watch_classic(State(app): State<Arc<App>>) -> Json<Answer<WatchView>> {
    app.following.follow(true);
    watch_view(&app)
}

/// The same for clients of the first version.
#[utoipa::path(delete, path = "/scorers/watch", tag = "classic", security(("token" = ["admin"])), responses(
    (status = 200, body = Answer<WatchView>), (status = 401, body = Failure), (status = 403, body = Failure)))]
pub async fn unwatch_classic(State(app): State<Arc<App>>) -> Json<Answer<WatchView>> {
    app.following.follow(false);
    watch_view(&app)
}
