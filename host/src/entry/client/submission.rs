//! A submission: work under one key, handed in once however often the connection breaks.

use std::time::{Duration, Instant};

use autoscorer_plugin_api::error::ScoreError;
use reqwest::{Method, RequestBuilder};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::time::sleep;
use uuid::Uuid;

use super::pack::pack;
use super::refusal::{is_absent, is_unreachable};
use super::server::Server;

/// A connection that broke is made again for this long.
const PATIENCE: Duration = Duration::from_secs(20);

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// So many jobs go into one batch.
const MOST_JOBS: usize = 1000;

/// What is handed in.
pub struct Submission {
    /// The fields that all jobs share.
    pub order: Map<String, Value>,
    /// Under this key it is accepted once.
    pub key: String,
}

/// A job that was accepted.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Accepted {
    /// Its name.
    pub id: String,
    /// Whether it is new.
    pub created: bool,
}

#[derive(Deserialize)]
struct Batch {
    jobs: Vec<Accepted>,
}

impl Submission {
    /// Under the user's key, or under one of its own.
    pub fn new(order: Map<String, Value>, key: Option<String>) -> Self {
        Self { order, key: key.unwrap_or_else(|| Uuid::now_v7().to_string()) }
    }

    /// Hands in workspaces below the daemon's root: each thousand of them all or none.
    pub async fn by_path(&self, server: &Server, workspaces: &[String]) -> Result<Vec<Accepted>, ScoreError> {
        let job = |workspace: &String| {
            let mut job = self.order.clone();
            job.insert("workspace".to_owned(), json!(workspace));
            Value::Object(job)
        };
        if let [workspace] = workspaces {
            return Ok(vec![
                self.hand_in(server, "/api/v1/jobs", &self.key, "application/json", job(workspace).to_string().into())
                    .await?,
            ]);
        }
        let mut accepted = Vec::new();
        for (number, some) in workspaces.chunks(MOST_JOBS).enumerate() {
            let key = if number == 0 { self.key.clone() } else { format!("{}/part{number}", self.key) };
            let body = json!({"jobs": some.iter().map(job).collect::<Vec<_>>()}).to_string();
            let batch: Batch =
                self.hand_in(server, "/api/v1/jobs/batch", &key, "application/json", body.into()).await?;
            accepted.extend(batch.jobs);
        }
        Ok(accepted)
    }

    /// Hands in a folder of this machine.
    pub async fn by_upload(&self, server: &Server, workspace: &str, number: usize) -> Result<Accepted, ScoreError> {
        let boundary = Uuid::now_v7().simple().to_string();
        let mut body = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"job\"\r\nContent-Type: application/json\r\n\r\n{}\r\n\
             --{boundary}\r\nContent-Disposition: form-data; name=\"workspace\"; filename=\"workspace.tar.gz\"\r\n\
             Content-Type: application/gzip\r\n\r\n",
            Value::Object(self.order.clone())
        )
        .into_bytes();
        body.extend(pack(workspace)?);
        body.extend(format!("\r\n--{boundary}--\r\n").into_bytes());
        let key = if number == 0 { self.key.clone() } else { format!("{}/{number}", self.key) };
        let kind = format!("multipart/form-data; boundary={boundary}");
        self.hand_in(&server.for_upload(body.len())?, "/api/v1/jobs", &key, &kind, body.into()).await
    }

    /// The same request under the same key, until an answer comes: whether the first one arrived does not matter.
    async fn hand_in<T: serde::de::DeserializeOwned>(
        &self,
        server: &Server,
        path: &str,
        key: &str,
        kind: &str,
        body: axum::body::Bytes,
    ) -> Result<T, ScoreError> {
        let call = || -> RequestBuilder {
            let call = server.call(Method::POST, path, &[]);
            call.header("content-type", kind).header("idempotency-key", key).body(body.clone())
        };
        let (start, mut pause, mut arrived) = (Instant::now(), FIRST_PAUSE, false);
        loop {
            let error = match server.ask(call()).await {
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            // A daemon that was never there will not come; one that went away half-way may be starting anew.
            arrived |= !is_absent(&error);
            if !arrived || !is_unreachable(&error) || start.elapsed() > PATIENCE {
                return Err(error);
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}
