//! The body of a request: read within limits, then understood.

use std::error::Error;
use std::fmt;
use std::io;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use futures_util::{Stream, StreamExt, stream};
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;
use tokio::time::timeout;

use super::app::App;
use super::problem::Problem;
use crate::job::archive::lacks_room;

/// The largest JSON body.
pub const MOST_JSON: usize = 4 << 20;

/// A client may be slow, but not slower than this on the whole, in bytes a second…
const SLOWEST: f64 = (16 << 10) as f64;

/// …once it has had the time for so many pieces.
const FIRST_PIECES: u32 = 6;

/// How long a small body may take as a whole.
const WHOLE: Duration = Duration::from_secs(30);

/// A JSON body of a known type.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Arc<App>> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &Arc<App>) -> Result<Self, Problem> {
        if !is(request.headers(), "application/json") {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "UNSUPPORTED_MEDIA_TYPE",
                "the body is not said to be JSON",
            )
            .hint("send 'Content-Type: application/json'"));
        }
        let bytes = read(patient(request, app.settings.client_timeout), MOST_JSON).await?;
        parse(&bytes).map(Self)
    }
}

/// Understands a JSON object.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    serde_json::from_slice(bytes).map(|ByName(object)| object).map_err(|error| {
        if error.is_data() {
            Problem::unprocessable(format!("the body is JSON, but not what is expected: {error}"))
        } else {
            Problem::bad_request(format!("the body is no JSON: {error}"))
        }
    })
}

/// An object whose members have names: a list of their values, in whatever order the members have here, is none.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct ByName<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByName<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(members))
            }
        }

        deserializer.deserialize_map(Members(PhantomData)).map(Self)
    }
}

/// The parameters behind the question mark.
pub struct Params<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let query = Query::try_from_uri(&parts.uri);
        query.map(|Query(params)| Self(params)).map_err(|error| Problem::bad_request(error.body_text()))
    }
}

/// The names in a path. One that is no text names nothing.
pub struct Named<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Named<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let path = axum::extract::Path::from_request_parts(parts, state).await;
        path.map(|path| Self(path.0)).map_err(|_| Problem::not_found("there is nothing at this path"))
    }
}

/// Whether the body is said to be of a type.
pub fn is(headers: &HeaderMap, kind: &str) -> bool {
    content_type(headers).is_some_and(|given| given.eq_ignore_ascii_case(kind))
}

/// What the body is said to be, without parameters.
pub fn content_type(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    Some(text.split(';').next().unwrap_or(text).trim())
}

/// A request whose body fails when its client takes too long for the next piece, or for all of them.
pub fn patient(request: Request, patience: Duration) -> Request {
    request.map(|body| {
        let pace = Pace { start: Instant::now(), size: 0, patience };
        let pieces = stream::try_unfold((body.into_data_stream(), pace), |(mut pieces, mut pace)| async move {
            let too_slow = || io::Error::from(io::ErrorKind::TimedOut);
            let piece = timeout(pace.patience, pieces.next()).await.map_err(|_| too_slow())?;
            let Some(piece) = piece.transpose().map_err(io::Error::other)? else { return Ok(None) };
            pace.size += piece.len();
            if pace.is_too_slow() { Err(too_slow()) } else { Ok(Some((piece, (pieces, pace)))) }
        });
        Body::from_stream(pieces)
    })
}

/// How fast a body comes.
struct Pace {
    start: Instant,
    size: usize,
    patience: Duration,
}

impl Pace {
    fn is_too_slow(&self) -> bool {
        let taken = self.start.elapsed();
        taken > self.patience * FIRST_PIECES && (self.size as f64) < SLOWEST * taken.as_secs_f64()
    }
}

/// A body that is said to be too large is refused before any of it is sent.
pub fn check_declared(headers: &HeaderMap, most: u64) -> Result<(), Problem> {
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|length| length > most) { Err(too_large(most)) } else { Ok(()) }
}

/// Reads a small body into memory.
pub async fn read(request: Request, most: usize) -> Result<Vec<u8>, Problem> {
    check_declared(request.headers(), most as u64)?;
    let mut bytes = Vec::new();
    let reading = async {
        let mut stream = request.into_body().into_data_stream();
        while let Some(piece) = stream.next().await {
            let piece = piece.map_err(|error| broken(&error))?;
            if bytes.len() + piece.len() > most {
                return Err(too_large(most as u64));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(())
    };
    timeout(WHOLE, reading).await.map_err(|_| too_slow())??;
    Ok(bytes)
}

/// Writes a large body to a file and gives its size.
pub async fn save<E: Error + 'static>(
    mut stream: impl Stream<Item = Result<Bytes, E>> + Unpin,
    path: &Path,
    most: u64,
) -> Result<u64, Problem> {
    let mut file = File::create(path).await.map_err(|error| not_kept(&error))?;
    let mut size = 0;
    while let Some(piece) = stream.next().await {
        let piece = piece.map_err(|error| broken(&error))?;
        size += piece.len() as u64;
        if size > most {
            return Err(too_large(most));
        }
        file.write_all(&piece).await.map_err(|error| not_kept(&error))?;
    }
    file.flush().await.map_err(|error| not_kept(&error))?;
    Ok(size)
}

/// What was sent cannot be written down.
pub fn not_kept(error: &io::Error) -> Problem {
    tracing::error!(%error, "an upload cannot be kept");
    if lacks_room(error) { Problem::full_disk() } else { Problem::internal("the upload cannot be kept") }
}

/// Why a body could not be read to its end.
pub fn broken(error: &(dyn Error + 'static)) -> Problem {
    let mut causes = std::iter::successors(Some(error), |&error| error.source());
    let slow = |cause: &(dyn Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::TimedOut)
    };
    if causes.any(slow) { too_slow() } else { Problem::bad_request(format!("the body broke off: {error}")) }
}

/// A body beyond its limit.
pub fn too_large(most: u64) -> Problem {
    let message = format!("the body is larger than {most} bytes");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "PAYLOAD_TOO_LARGE", message)
        .hint("send less, or raise 'serve --max-upload'")
}

fn too_slow() -> Problem {
    Problem::new(StatusCode::REQUEST_TIMEOUT, "REQUEST_TIMEOUT", "the body comes too slowly")
}
