//! What every handler knows: the engine, the store, and what the daemon was told.

use std::sync::Arc;

use parking_lot::RwLock;
use tokio::sync::{Semaphore, watch};

use super::auth::Gate;
use crate::daemon::{Folders, Root, Running, ServeSettings};
use crate::engine::Engine;
use crate::queue::Store;
use crate::registry::Following;
use crate::run::Cancel;
use crate::telemetry::metrics::Metrics;

use super::problem::Problem;
use axum::http::StatusCode;

/// More requests than this do not wait for a place to be scored.
const MOST_WAITING: usize = 512;

/// What every handler knows.
pub struct App {
    /// What scores.
    pub engine: Arc<Engine>,
    /// The way to have the folder looked at.
    pub following: Following,
    /// What keeps the jobs.
    pub store: Arc<dyn Store>,
    /// Where uploads and logs are.
    pub folders: Folders,
    /// Where other workspaces are.
    pub root: Root,
    /// What runs now.
    pub running: Arc<Running>,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Who may do what; replaced when the file of tokens is read again.
    pub gate: RwLock<Arc<Gate>>,
    /// What the daemon was told.
    pub settings: ServeSettings,
    /// Whether the daemon is about to end.
    pub stopping: watch::Receiver<bool>,
    /// Places to be scored at once.
    pub places: Semaphore,
    /// Places to wait for one.
    pub waiting: Semaphore,
}

impl App {
    /// So many may wait.
    pub fn waiting() -> Semaphore {
        Semaphore::new(MOST_WAITING)
    }

    /// Whether the daemon is about to end.
    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Does something with the engine on a thread where it may take its time. If the client goes away, it is cancelled.
    pub async fn compute<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self, &Cancel) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let busy = || {
            Problem::new(StatusCode::TOO_MANY_REQUESTS, "BUSY", "too many requests wait to be scored")
                .hint("submit jobs to the queue instead: POST /api/v1/jobs")
                .retry_after(1)
        };
        let _waiting = self.waiting.try_acquire().map_err(|_| busy())?;
        let _place = self.places.acquire().await.map_err(|_| Problem::stopping())?;
        let cancel = Cancel::default();
        let _given_up = CancelOnDrop(cancel.clone());
        let app = self.clone();
        let working = tokio::task::spawn_blocking(move || work(&app, &cancel));
        working.await.unwrap_or_else(|_| Err(Problem::internal("the host itself failed on this workspace")))
    }
}

struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.request();
    }
}
