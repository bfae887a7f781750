//! The artifacts of a job: a list, and each of them whole or in part.

use std::fs::OpenOptions;
use std::io::{self, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use autoscorer_plugin_api::outcome::Artifact;
use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use indexmap::IndexMap;
use rustix::fs::OFlags;
use serde::Serialize;
use serde_json::Value;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt};
use utoipa::ToSchema;

use super::jobs::job_id;
use super::output::recorded;
use super::vouched::Vouched;
use crate::entry::http::answer::{Answer, body};
use crate::entry::http::app::App;
use crate::entry::http::body::Named;
use crate::entry::http::problem::{Failure, Problem};
use crate::queue::{Job, Place};

const BLOCK: usize = 64 << 10;

/// What a file is does not depend on who asks.
static VOUCHED: Vouched = Vouched::new();

/// The artifacts of a job.
#[derive(Debug, Serialize, ToSchema)]
pub struct ArtifactsView {
    /// Name -> path, size, sha256, content_type.
    #[schema(value_type = Object)]
    pub artifacts: IndexMap<String, Artifact>,
}

fn artifacts_of(result: &Value) -> IndexMap<String, Artifact> {
    serde_json::from_value(result["artifacts"].clone()).unwrap_or_default()
}

/// Lists the artifacts of a job.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/artifacts", operation_id = "list_artifacts", tag = "jobs", security(("token" = ["read"])), params(("id" = String, Path)), responses(
    (status = 200, body = Answer<ArtifactsView>),
    (status = 401, body = Failure), (status = 403, body = Failure), (status = 404, body = Failure),
    (status = 409, body = Failure, description = "There is no result (yet)")))]
pub async fn list(
    State(app): State<Arc<App>>,
    Named(id): Named<String>,
) -> Result<Json<Answer<ArtifactsView>>, Problem> {
    let (_, result) = recorded(&app, &job_id(&id)?).await?;
    Ok(body(ArtifactsView { artifacts: artifacts_of(&result) }))
}

/// An artifact, whole or in part. Its ETag is its sha256; what was replaced since is gone.
#[utoipa::path(get, path = "/api/v1/jobs/{id}/artifacts/{name}", operation_id = "get_artifact", tag = "jobs", security(("token" = ["read"])),
    params(("id" = String, Path), ("name" = String, Path),
        ("Range" = Option<String>, Header), ("If-None-Match" = Option<String>, Header)),
    responses(
        (status = 200, body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 206, body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 304, description = "The client has it"),
        (status = 401, body = Failure), (status = 403, body = Failure), (status = 404, body = Failure),
        (status = 409, body = Failure, description = "There is no result (yet)"),
        (status = 410, body = Failure, description = "The workspace was scored again since, or is gone"),
        (status = 416, body = Failure)))]
pub async fn get(
    State(app): State<Arc<App>>,
    Named((id, name)): Named<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (job, result) = recorded(&app, &job_id(&id)?).await?;
    let artifact = artifacts_of(&result).swap_remove(&name);
    let artifact = artifact
        .ok_or_else(|| Problem::not_found("the job has no such artifact").hint("GET …/artifacts lists those it has"))?;
    let etag = format!("\"{}\"", artifact.sha256);
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let same =
        |list: &str| list.split(',').any(|one| [etag.as_str(), "*"].contains(&one.trim().trim_start_matches("W/")));
    if text(header::IF_NONE_MATCH).is_some_and(same) {
        return Ok((StatusCode::NOT_MODIFIED, [(header::ETAG, etag)]).into_response());
    }
    let (file, size) = {
        let (app, artifact) = (app.clone(), artifact.clone());
        let opening = tokio::task::spawn_blocking(move || open(&app, &job, &artifact));
        opening.await.map_err(|_| gone())??
    };
    let wanted = text(header::RANGE).filter(|_| text(header::IF_RANGE).is_none_or(|one| one == etag));
    let part = wanted.map(|range| part(range, size)).transpose()?.flatten();
    let (from, to) = part.unwrap_or((0, size));
    let content = stream_of(file, from, to - from).await.map_err(|error| Problem::internal(error.to_string()))?;
    let status = if part.is_some() { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    let mut response = (status, content).into_response();
    let mut set = |name, value: String| {
        if let Ok(value) = value.parse() {
            response.headers_mut().insert(name, value);
        }
    };
    set(header::ETAG, etag);
    set(header::CONTENT_TYPE, artifact.content_type);
    set(header::CONTENT_LENGTH, (to - from).to_string());
    set(header::ACCEPT_RANGES, "bytes".to_owned());
    // A scorer's page must not act in the name of whoever looks at it.
    set(
        header::CONTENT_SECURITY_POLICY,
        "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:".to_owned(),
    );
    if part.is_some() {
        set(header::CONTENT_RANGE, format!("bytes {from}-{}/{size}", to - 1));
    }
    Ok(response)
}

fn path_of(app: &App, job: &Job, artifact: &Artifact) -> Result<PathBuf, Problem> {
    let workspace = match &job.order.workspace {
        Place::Path(name) => app.root.resolve(name).map_err(|_| gone())?,
        Place::Uploaded => app.folders.workspace(&job.id),
    };
    let workspace = std::fs::canonicalize(workspace).map_err(|_| gone())?;
    let path = std::fs::canonicalize(workspace.join(&artifact.path)).map_err(|_| gone())?;
    if path.starts_with(&workspace) { Ok(path) } else { Err(gone()) }
}

/// Opens a file that still is what the result says.
fn open(app: &App, job: &Job, artifact: &Artifact) -> Result<(File, u64), Problem> {
    let path = path_of(app, job, artifact)?;
    let opened = || -> io::Result<Option<(File, u64)>> {
        // Whoever can write to the workspace can put a pipe there, which would let its reader wait for ever.
        let file = OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
        let metadata = file.metadata()?;
        let is_same = metadata.is_file() && VOUCHED.sha256(&file, &metadata)? == artifact.sha256;
        Ok(is_same.then(|| (File::from_std(file), metadata.len())))
    };
    opened().ok().flatten().ok_or_else(gone)
}

fn gone() -> Problem {
    Problem::new(StatusCode::GONE, "GONE", "the artifact is no longer what the result says, or is not there any more")
        .hint("the workspace was scored again since; requeue the job to make it anew")
}

/// The part of a file that a Range header asks for; `None` for a header that is none of ours, which is to be ignored.
fn part(range: &str, size: u64) -> Result<Option<(u64, u64)>, Problem> {
    let Some((from, to)) = range.strip_prefix("bytes=").filter(|r| !r.contains(',')).and_then(|r| r.split_once('-'))
    else {
        return Ok(None);
    };
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let (from, to) = match (number(from), number(to)) {
        (Some(from), Some(to)) if from <= to => (from, to.saturating_add(1).min(size)),
        (Some(from), None) if to.trim().is_empty() => (from, size),
        (None, Some(last)) if from.trim().is_empty() && last > 0 => (size.saturating_sub(last), size),
        _ => return Ok(None),
    };
    if from < to { Ok(Some((from, to))) } else { Err(Problem::no_such_part(size)) }
}

async fn stream_of(mut file: File, from: u64, length: u64) -> io::Result<Body> {
    file.seek(SeekFrom::Start(from)).await?;
    let blocks = stream::try_unfold((file, length), |(mut file, left)| async move {
        let mut block = vec![0; BLOCK.min(left as usize)];
        if block.is_empty() {
            return Ok(None);
        }
        let read = file.read(&mut block).await?;
        if read == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        block.truncate(read);
        Ok(Some((Bytes::from(block), (file, left - read as u64))))
    });
    Ok(Body::from_stream(blocks))
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn parts_of_ten_bytes() {
        let of = |range: &str| part(range, 10).map_err(drop);
        assert_eq!(of("bytes=0-4"), Ok(Some((0, 5))));
        assert_eq!(of("bytes=5-"), Ok(Some((5, 10))));
        assert_eq!(of("bytes=-3"), Ok(Some((7, 10))));
        assert_eq!(of("bytes=-30"), Ok(Some((0, 10))));
        assert_eq!(of("bytes=8-99"), Ok(Some((8, 10))));
        for ignored in ["bytes=0-1,3-4", "lines=1-2", "bytes=b-a", "bytes=4-2", "bytes=-", "bytes=-0"] {
            assert_eq!(of(ignored), Ok(None), "{ignored}");
        }
        assert_eq!(of("bytes=10-"), Err(()));
    }
}
