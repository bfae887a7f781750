//! Scoring now: the answer is the result.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::entry::http::answer::{Answer, body};
use crate::entry::http::app::App;
use crate::entry::http::body::JsonBody;
use crate::entry::http::problem::{Failure, Problem};
use crate::job::{Request, bytes_of_text, seconds_of_number};
use crate::run::Cancel;
use crate::save::ResultFile;

/// A workspace to be scored now.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScoreBody {
    /// The workspace, relative to the root.
    pub workspace: String,
    /// The scorer, if not the one in meta.json.
    #[serde(default)]
    pub scorer: Option<String>,
    /// Parameters that override those of meta.json.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub params: Map<String, Value>,
    /// Whether artifacts are wanted.
    #[serde(default)]
    pub artifacts: Option<bool>,
    /// Seconds it may take.
    #[serde(default)]
    pub time_limit: Option<f64>,
    /// Memory it may use, such as "2Gi".
    #[serde(default)]
    pub memory: Option<String>,
}

impl ScoreBody {
    fn request(self, app: &App) -> Result<Request, Problem> {
        let scorer = self.scorer.as_deref().map(str::parse).transpose();
        let time = self.time_limit.map(seconds_of_number).transpose();
        let memory = self.memory.as_deref().map(bytes_of_text).transpose();
        let wrong = |name: &str, expected: String| Problem::unprocessable(format!("{name}: expected {expected}"));
        Ok(Request {
            workspace: app.root.resolve(&self.workspace)?.display().to_string(),
            scorer: scorer.map_err(|expected| wrong("scorer", expected))?,
            params: self.params,
            artifacts: self.artifacts.unwrap_or(true),
            time_limit: time.map_err(|expected| wrong("time_limit", expected))?,
            memory_limit: memory.map_err(|expected| wrong("memory", expected))?,
            ..Request::default()
        })
    }
}

type Scored = Result<Json<Answer<ResultFile>>, Problem>;

fn answer(result: ResultFile) -> Scored {
    match result.error {
        Some(error) => Err(error.into()),
        None => Ok(body(result)),
    }
}

async fn score_now(app: &Arc<App>, given: ScoreBody) -> Scored {
    let scored = |app: &App, cancel: &Cancel| Ok(app.engine.score(&given.request(app)?, cancel).result);
    let result = app.compute(scored).await?;
    app.metrics.scored(&result);
    answer(result)
}

/// Scores a workspace now, and writes its result.
#[utoipa::path(post, path = "/api/v1/score", tag = "score", security(("token" = ["submit"])), request_body = ScoreBody, responses(
    (status = 200, body = Answer<Object>, description = "The standard result"),
    (status = 400, body = Failure), (status = 401, body = Failure), (status = 403, body = Failure),
    (status = 404, body = Failure), (status = 413, body = Failure), (status = 415, body = Failure),
    (status = 422, body = Failure, description = "The data or the parameters are wrong"),
    (status = 502, body = Failure, description = "The scorer failed"),
    (status = 504, body = Failure, description = "The time limit was reached")))]
pub async fn score(State(app): State<Arc<App>>, JsonBody(given): JsonBody<ScoreBody>) -> Scored {
    score_now(&app, given).await
}

/// Scores a workspace now: the same for clients of the first version.
#[utoipa::path(post, path = "/score", tag = "classic", security(("token" = ["submit"])), request_body = ScoreBody, responses(
    (status = 400, body = Failure), (status = 413, body = Failure), (status = 415, body = Failure), (status = 502, body = Failure), (status = 504, body = Failure),
    (status = 200, body = Answer<Object>, description = "The standard result"),
    (status = 401, body = Failure), (status = 403, body = Failure), (status = 404, body = Failure),
    (status = 422, body = Failure)))]
pub async fn score_classic(State(app): State<Arc<App>>, JsonBody(given): JsonBody<ScoreBody>) -> Scored {
    score_now(&app, given).await
}

async fn test_now(app: &Arc<App>, given: ScoreBody) -> Scored {
    let scored = |app: &App, cancel: &Cancel| Ok(app.engine.rescore(&given.request(app)?, cancel)?);
    answer(app.compute(scored).await?)
}

/// Scores a workspace without leaving anything in it: to try a scorer out.
#[utoipa::path(post, path = "/api/v1/scorers/test", tag = "scorers", security(("token" = ["submit"])), request_body = ScoreBody, responses(
    (status = 400, body = Failure), (status = 413, body = Failure), (status = 415, body = Failure), (status = 502, body = Failure), (status = 504, body = Failure),
    (status = 200, body = Answer<Object>, description = "The standard result"),
    (status = 401, body = Failure), (status = 403, body = Failure), (status = 404, body = Failure),
    (status = 422, body = Failure)))]
pub async fn test(State(app): State<Arc<App>>, JsonBody(given): JsonBody<ScoreBody>) -> Scored {
    test_now(&app, given).await
}

/// The same for clients of the first version.
#[utoipa::path(post, path = "/scorers/test", tag = "classic", security(("token" = ["submit"])), request_body = ScoreBody, responses(
    (status = 400, body = Failure), (status = 413, body = Failure), (status = 415, body = Failure), (status = 502, body = Failure), (status = 504, body = Failure),
    (status = 200, body = Answer<Object>, description = "The standard result"),
    (status = 401, body = Failure), (status = 403, body = Failure), (status = 404, body = Failure),
    (status = 422, body = Failure)))]
pub async fn test_classic(State(app): State<Arc<App>>, JsonBody(given): JsonBody<ScoreBody>) -> Scored {
    test_now(&app, given).await
}
