//! Events: one long answer, begun again where it broke, so that nothing is missed.

use std::time::{Duration, Instant};

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use reqwest::{Method, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::sleep;

use super::refusal::{is_unreachable, unreachable};
use super::server::Server;

/// A daemon that is gone for longer is not waited for.
const PATIENCE: Duration = Duration::from_secs(60);

const PAUSE: Duration = Duration::from_millis(500);

/// A line longer than this is no event of ours.
const LONGEST_LINE: usize = 4 << 20;

/// Something that happened.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Told {
    /// When.
    pub at: String,
    /// `job.queued`, `job.done`, …
    pub kind: String,
    /// The job it is about.
    pub job: Option<String>,
    /// What there is to say.
    pub data: Value,
}

/// The events of jobs, from a moment on.
pub struct Events<'s> {
    server: &'s Server,
    query: Vec<(&'static str, String)>,
    seen: Option<String>,
    answer: Option<Response>,
    unread: Vec<u8>,
    /// Whether anything came since the answer began.
    heard: bool,
}

impl<'s> Events<'s> {
    /// Those of one job from its beginning, or those of all jobs from now on.
    pub fn new(server: &'s Server, job: Option<&str>) -> Self {
        let mut query = vec![("topic", "jobs".to_owned())];
        query.extend(job.map(|job| ("job", job.to_owned())));
        Self { server, query, seen: job.map(|_| "0".to_owned()), answer: None, unread: Vec::new(), heard: false }
    }

    /// Those of one job that there are.
    pub fn kept(server: &'s Server, job: &str) -> Self {
        let mut events = Self::new(server, Some(job));
        events.query.push(("follow", "false".to_owned()));
        events
    }

    /// Begins to listen; what happens from here on is told.
    pub async fn listen(&mut self) -> Result<(), ScoreError> {
        let mut call = self.server.call(Method::GET, "/api/v1/events", &self.query);
        if let Some(seen) = &self.seen {
            call = call.header("last-event-id", seen);
        }
        self.unread.clear();
        self.heard = false;
        self.answer = Some(self.server.send(call).await?);
        Ok(())
    }

    /// The next event, once there is one.
    pub async fn next(&mut self) -> Result<Told, ScoreError> {
        let mut lost: Option<Instant> = None;
        loop {
            let error = match self.read_on().await {
                Ok(Some(told)) => return Ok(told),
                // The answer has ended with the daemon.
                Ok(None) => None,
                Err(error) if is_unreachable(&error) => Some(error),
                Err(error) => return Err(error),
            };
            self.answer = None;
            if self.heard {
                lost = None;
            }
            if lost.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                return Err(error.unwrap_or_else(|| ends_again(&self.server.name())));
            }
            sleep(PAUSE).await;
        }
    }

    /// The next event of this answer; none at its end.
    pub async fn read_on(&mut self) -> Result<Option<Told>, ScoreError> {
        if self.answer.is_none() {
            self.listen().await?;
        }
        loop {
            while let Some(event) = self.take() {
                if let Some(told) = self.understand(&event) {
                    return Ok(Some(told));
                }
            }
            let Some(answer) = &mut self.answer else { return Ok(None) };
            let piece = answer.chunk().await.map_err(|error| unreachable(&self.server.name(), &error))?;
            let Some(piece) = piece.filter(|_| self.unread.len() < LONGEST_LINE) else { return Ok(None) };
            self.heard = true;
            self.unread.extend_from_slice(&piece);
        }
    }

    /// The next whole event: the lines up to an empty one.
    fn take(&mut self) -> Option<String> {
        let end = self.unread.windows(2).position(|two| two == b"\n\n")?;
        let event: Vec<u8> = self.unread.drain(..end + 2).collect();
        Some(String::from_utf8_lossy(&event).into_owned())
    }

    /// Comments, which keep the connection alive, say nothing.
    fn understand(&mut self, event: &str) -> Option<Told> {
        let field =
            |name: &str| event.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).map(str::trim);
        let told = serde_json::from_str(field("data")?).ok()?;
        self.seen = field("id").map(str::to_owned).or(self.seen.take());
        Some(told)
    }
}

fn ends_again(server: &str) -> ScoreError {
    ScoreError::new(ErrorCode::UnhandledError, format!("the events of {server} end again and again, and tell nothing"))
        .hint("a proxy before the daemon may end answers that are silent for a moment; look at its settings")
        .at_stage("server")
}
