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
use crate::queue::{Event, EventFilter, Moment, Store};

/// So many events are taken from the store at a time.
const SOME: usize = 100;

const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Which events are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct EventParams {
    /// `jobs` or `scorers`; both if absent.
    topic: Option<String>,
    /// Those of this job.
    job: Option<String>,
    /// Those after this number; the Last-Event-ID header says the same.
    after: Option<i64>,
    /// `false`: those there are, and then the end.
    follow: Option<bool>,
}

struct Reader {
    store: Arc<dyn Store>,
    news: watch::Receiver<i64>,
    stopping: watch::Receiver<bool>,
    filter: EventFilter,
    follow: bool,
}

/// Events of jobs and scorers as server-sent events. If some that come after Last-Event-ID are kept no more, the first is a
/// `gap`, which says how many are missing, or null where the numbers have begun anew.
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
    let last = *news.borrow();
    let gap = gap(app.store.as_ref(), after, last).await?;
    let after = gap.as_ref().map_or(after, |gap| gap.number);
    let gap = gap.as_ref().map(message);
    let filter = EventFilter { after, job: params.job, kind };
    let follow = params.follow.unwrap_or(true);
    let reader = Reader { store: app.store.clone(), news, stopping: app.stopping.clone(), filter, follow };
    let events = stream::unfold(reader, next).flat_map(stream::iter);
    Ok(Sse::new(stream::iter(gap.map(Ok)).chain(events)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)))
}

/// Says what a client that comes back can no longer be told, and where it goes on. From 0 on means all there are: nobody has
/// seen that one. An event that is yet to come was seen before an older queue was put back; how much was missed is not known.
async fn gap(store: &dyn Store, after: i64, last: i64) -> Result<Option<Event>, Problem> {
    if after <= 0 {
        return Ok(None);
    }
    let first = async |after| -> Result<Option<i64>, Problem> {
        let kept = store.events(EventFilter { after, ..EventFilter::default() }, 1).await?;
        Ok(kept.first().map(|event| event.number))
    };
    let gap = |number, missing: Option<i64>| {
        let data = json!({ "missing": missing });
        Some(Event { number, at: Moment::now(), kind: "gap".to_owned(), job: None, data })
    };
    // The last event may be in the store before it is told of.
    if after > last && first(after - 1).await? != Some(after) {
        return Ok(gap(last, None));
    }
    let before = first(after).await?.map_or(last.max(after), |number| number - 1);
    Ok(gap(before, Some(before - after)).filter(|_| before > after))
}

/// The next events, once there are some. The answer ends with the daemon, or when the store fails: the client comes back.
async fn next(mut reader: Reader) -> Option<(Vec<Result<Message, Infallible>>, Reader)> {
    loop {
        if *reader.stopping.borrow() {
            return None;
        }
        // Whatever the store has told of is there to be read.
        let told = *reader.news.borrow_and_update();
        let events = reader.store.events(reader.filter.clone(), SOME).await.ok()?;
        reader.filter.after = behind(reader.filter.after, &events, told);
        if !events.is_empty() {
            return Some((events.iter().map(|event| Ok(message(event))).collect(), reader));
        }
        if !reader.follow {
            return None;
        }
        tokio::select! {
            changed = reader.news.changed() => changed.ok()?,
            _ = reader.stopping.changed() => {}
        }
    }
}

/// Where to go on: behind the events that came, and behind those that were looked at and not wanted.
fn behind(after: i64, events: &[Event], looked_at: i64) -> i64 {
    let came = events.last().map_or(after, |event| event.number);
    if events.len() < SOME { came.max(looked_at) } else { came }
}

fn message(event: &Event) -> Message {
    let data = json!({"at": event.at, "kind": event.kind, "job": event.job, "data": event.data});
    Message::default().id(event.number.to_string()).event(&event.kind).data(data.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_wanted_is_not_looked_at_again() {
        let event =
            |number| Event { number, at: Moment::now(), kind: "scorer.live".to_owned(), job: None, data: json!({}) };
        let some: Vec<Event> = (1..=SOME as i64).map(event).collect();
        assert_eq!(behind(5, &[], 1000), 1000);
        assert_eq!(behind(5, &[event(7)], 1000), 1000);
        assert_eq!(behind(5, &[event(1001)], 1000), 1001);
        assert_eq!(behind(0, &some, 1000), SOME as i64, "there may be more before the last");
        assert_eq!(behind(2000, &[], 1000), 2000);
    }
}
