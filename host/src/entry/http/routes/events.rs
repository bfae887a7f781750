//! Events as they happen, over one long answer. A client that comes back says what it saw last, and misses nothing.
#![allow(unused_qualifications, reason = "utoipa's macro qualifies what it is given")]

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event as Message, KeepAlive, Sse};
use futures_util::{Stream, StreamExt, stream};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::watch;
use utoipa::IntoParams;

use crate::entry::http::app::App;
use crate::entry::http::body::Params;
use crate::entry::http::problem::{Failure, Problem};
use crate::queue::{Event, EventFilter, Store};

/// So many events are taken from the store at a time.
const SOME: usize = 100;

const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Which events are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct EventParams {
    /// `jobs` or `scorers`; both if absent.
    topic: Option<String>,
    /// Those of this job.
    job: Option<String>,
    /// Those after this number; the Last-Event-ID header says the same.
    after: Option<i64>,
}

struct Reader {
    store: Arc<dyn Store>,
    news: watch::Receiver<i64>,
    stopping: watch::Receiver<bool>,
    filter: EventFilter,
}

/// Events of jobs and scorers as server-sent events.
#[utoipa::path(get, path = "/api/v1/events", tag = "events", security(("token" = ["read"])),
    params(EventParams, ("Last-Event-ID" = Option<String>, Header)),
    responses(
        (status = 200, body = String, content_type = "text/event-stream"),
        (status = 400, body = Failure), (status = 401, body = Failure), (status = 403, body = Failure)))]
pub async fn follow(
    State(app): State<Arc<App>>,
    Params(params): Params<EventParams>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Message, Infallible>>>, Problem> {
    let kind = match params.topic.as_deref() {
        None => None,
        Some("jobs") => Some("job.".to_owned()),
        Some("scorers") => Some("scorer.".to_owned()),
        Some(_) => return Err(Problem::bad_request("topic: expected jobs or scorers")),
    };
    let news = app.store.last_event();
    let seen = headers.get("last-event-id").map(|value| value.to_str().ok().and_then(|text| text.parse().ok()));
    let after = match (seen, params.after) {
        (Some(None), _) => return Err(Problem::bad_request("Last-Event-ID: expected the id of an event")),
        (Some(Some(seen)), _) => seen,
        (None, Some(after)) => after,
        (None, None) => *news.borrow(),
    };
    let filter = EventFilter { after, job: params.job, kind };
    let reader = Reader { store: app.store.clone(), news, stopping: app.stopping.clone(), filter };
    let events = stream::unfold(reader, next).flat_map(stream::iter);
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// The next events, once there are some. The answer ends with the daemon, or when the store fails: the client comes back.
async fn next(mut reader: Reader) -> Option<(Vec<Result<Message, Infallible>>, Reader)> {
    loop {
        if *reader.stopping.borrow() {
            return None;
        }
        reader.news.mark_unchanged();
        let events = reader.store.events(reader.filter.clone(), SOME).await.ok()?;
        if let Some(last) = events.last() {
            reader.filter.after = last.number;
            return Some((events.iter().map(|event| Ok(message(event))).collect(), reader));
        }
        tokio::select! {
            changed = reader.news.changed() => changed.ok()?,
            _ = reader.stopping.changed() => {}
        }
    }
}

fn message(event: &Event) -> Message {
    let data = json!({"at": event.at, "kind": event.kind, "job": event.job, "data": event.data});
    Message::default().id(event.number.to_string()).event(&event.kind).data(data.to_string())
}
