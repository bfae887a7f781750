//! An upload: a workspace that comes with its request, and is gone again unless its job is accepted.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use axum::extract::multipart::MultipartError;
use axum::extract::{FromRequest, Multipart, Query, Request};
use axum::http::StatusCode;
use futures_util::StreamExt;
use serde::Deserialize;
use tokio::runtime::Handle;

use crate::daemon::Folders;
use crate::entry::http::app::App;
use crate::entry::http::body::{self, MOST_JSON, not_kept, parse};
use crate::entry::http::problem::Problem;
use crate::entry::http::views::JobBody;
use crate::job::archive::{ArchiveKind, ArchiveLimits, is_full_disk, is_too_large, unpack};
use crate::load::sha256_of;
use crate::queue::JobId;

/// A workspace in the folder of a job that is not accepted yet.
pub struct Upload {
    /// The job's name.
    pub id: JobId,
    /// Of the archive.
    pub sha256: String,
    folders: Folders,
    /// Whether nobody else may know of it.
    is_own: bool,
}

impl Upload {
    /// The job is handed in: whether the folder is its own is the store's to say, so dropping this leaves it.
    pub fn hand_in(&mut self) {
        self.is_own = false;
    }

    /// Removes it; with many files that takes a while.
    pub fn remove(mut self) {
        self.is_own = false;
        remove(&self.folders, &self.id);
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if self.is_own {
            let (folders, id) = (self.folders.clone(), self.id.clone());
            // Its client has gone: nobody waits for it, and a thread that answers others must not.
            if let Ok(runtime) = Handle::try_current() {
                runtime.spawn_blocking(move || remove(&folders, &id));
            }
        }
    }
}

fn remove(folders: &Folders, id: &JobId) {
    // What cannot be removed now is removed at the next start, since no job has its name.
    if let Err(error) = folders.remove(id) {
        tracing::warn!(%error, "an upload that was not accepted cannot be removed");
    }
}

/// A file that is gone when nobody needs it any more.
struct Passing(PathBuf);

impl Drop for Passing {
    fn drop(&mut self) {
        // The folder is emptied at the next start.
        _ = fs::remove_file(&self.0);
    }
}

/// What the parameters of a plain upload may say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct UploadParams {
    scorer: Option<String>,
    params: Option<String>,
    priority: Option<i32>,
    artifacts: Option<bool>,
    time_limit: Option<f64>,
    memory: Option<String>,
    callback: Option<String>,
}

/// The largest form: its workspace, and what else it says.
pub fn most_form(max_upload: u64) -> u64 {
    max_upload.saturating_add(2 * MOST_JSON as u64)
}

/// What is to be done, and the workspace if it came along.
pub async fn receive(app: &App, request: Request) -> Result<(JobBody, Option<Upload>), Problem> {
    let request = body::patient(request, app.settings.client_timeout);
    let content_type = body::content_type(request.headers()).unwrap_or_default().to_ascii_lowercase();
    match content_type.as_str() {
        "application/json" => Ok((parse(&body::read(request, MOST_JSON).await?)?, None)),
        "multipart/form-data" => form(app, request).await,
        "application/x-tar"
        | "application/gzip"
        | "application/x-gzip"
        | "application/zip"
        | "application/octet-stream" => plain(app, request, &content_type).await,
        _ => Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "UNSUPPORTED_MEDIA_TYPE",
            "the body is neither JSON nor an archive",
        )
        .hint("send application/json, application/x-tar, application/gzip, application/zip or multipart/form-data")),
    }
}

async fn plain(app: &App, request: Request, content_type: &str) -> Result<(JobBody, Option<Upload>), Problem> {
    let given = Query::<UploadParams>::try_from_uri(request.uri());
    let Query(given) = given.map_err(|error| Problem::bad_request(error.body_text()))?;
    let params = given.params.as_deref().map(|text| parse(text.as_bytes())).transpose()?.unwrap_or_default();
    let job = JobBody {
        workspace: None,
        scorer: given.scorer,
        params,
        artifacts: given.artifacts.unwrap_or(true),
        priority: given.priority.unwrap_or(0),
        time_limit: given.time_limit,
        memory: given.memory,
        callback: given.callback,
    };
    let archive = passing(app);
    body::check_declared(request.headers(), app.settings.max_upload)?;
    body::save(request.into_body().into_data_stream(), &archive.0, app.settings.max_upload).await?;
    Ok((job, Some(take_in(app, archive, Some(content_type.to_owned())).await?)))
}

async fn form(app: &App, request: Request) -> Result<(JobBody, Option<Upload>), Problem> {
    let broken = |error: MultipartError| match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => body::too_large(app.settings.max_upload),
        _ => body::broken(&error),
    };
    body::check_declared(request.headers(), most_form(app.settings.max_upload))?;
    let mut form =
        Multipart::from_request(request, &()).await.map_err(|error| Problem::bad_request(error.body_text()))?;
    let (mut job, mut archive) = (None, None);
    while let Some(field) = form.next_field().await.map_err(broken)? {
        match field.name().unwrap_or_default() {
            "job" if job.is_none() => {
                let mut text = Vec::new();
                let mut field = field;
                while let Some(piece) = field.next().await {
                    text.extend_from_slice(&piece.map_err(broken)?);
                    if text.len() > MOST_JSON {
                        return Err(body::too_large(MOST_JSON as u64));
                    }
                }
                job = Some(parse(&text)?);
            }
            "workspace" if archive.is_none() => {
                let (kind, file) = (field.content_type().map(str::to_owned), passing(app));
                body::save(field, &file.0, app.settings.max_upload).await?;
                archive = Some((file, kind));
            }
            other => {
                let name: String = other.chars().take(50).collect();
                return Err(Problem::bad_request(format!("the form has an unexpected field {name:?}"))
                    .hint("send the fields 'job' (JSON) and 'workspace' (an archive), once each"));
            }
        }
    }
    let (file, kind) = archive.ok_or_else(|| Problem::bad_request("the form has no field 'workspace'"))?;
    let job = job.unwrap_or_else(|| JobBody { artifacts: true, ..JobBody::default() });
    Ok((job, Some(take_in(app, file, kind).await?)))
}

fn passing(app: &App) -> Passing {
    Passing(app.folders.incoming().join(format!("{}.archive", JobId::new())))
}

async fn take_in(app: &App, archive: Passing, content_type: Option<String>) -> Result<Upload, Problem> {
    let folders = app.folders.clone();
    let working = tokio::task::spawn_blocking(move || unpacked(&archive, content_type.as_deref(), folders));
    working.await.map_err(|_| Problem::internal("the upload could not be unpacked"))?
}

fn unpacked(archive: &Passing, content_type: Option<&str>, folders: Folders) -> Result<Upload, Problem> {
    let mut start = [0; 512];
    let open = || File::open(&archive.0).map_err(|error| not_kept(&error));
    let read = std::io::Read::read(&mut open()?, &mut start).map_err(|error| not_kept(&error))?;
    let kind = ArchiveKind::detect(content_type, &start[..read])?;
    let sha256 = sha256_of(open()?).map_err(|error| not_kept(&error))?;
    let upload = Upload { id: JobId::new(), sha256, folders, is_own: true };
    match fill(&upload, &archive.0, kind) {
        Ok(()) => Ok(upload),
        Err(problem) => {
            upload.remove();
            Err(problem)
        }
    }
}

fn fill(upload: &Upload, archive: &Path, kind: ArchiveKind) -> Result<(), Problem> {
    upload.folders.make_job(&upload.id).map_err(|error| not_kept(&error))?;
    let workspace = upload.folders.workspace(&upload.id);
    unpack(archive, kind, &workspace, &ArchiveLimits::default()).map_err(|error| match error {
        error if is_full_disk(&error) => {
            tracing::error!(%error, "an upload cannot be unpacked");
            Problem::full_disk()
        }
        error if is_too_large(&error) => Problem::from(error).of_too_much(),
        error => error.into(),
    })
}
