//! What every handler knows: the engine, the store, and what the daemon was told.

use std::sync::Arc;

use parking_lot::RwLock;
use tokio::sync::watch;

use super::auth::Gate;
use super::places::Places;
use super::problem::Problem;
use super::server::Connections;
use crate::daemon::{Folders, Root, Running, ServeSettings, Tally};
use crate::engine::Engine;
use crate::queue::Store;
use crate::registry::Following;
use crate::run::Cancel;
use crate::telemetry::metrics::Metrics;

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
    /// What counts ended jobs.
    pub tally: Arc<Tally>,
    /// Whether the daemon is about to end.
    pub stopping: watch::Receiver<bool>,
    /// Whether it has waited long enough for what still runs.
    pub abandoned: watch::Receiver<bool>,
    /// The connections that are open.
    pub connections: Connections,
    /// Places to be scored at once.
    pub places: Places,
}

impl App {
    /// Whether the daemon is about to end.
    pub fn is_stopping(&self) -> bool {
        *self.stopping.borrow()
    }

    /// Does something with the engine on a thread where it may take its time. If the client goes away, it is cancelled.
    pub async fn compute<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self, &Cancel) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        if self.is_stopping() {
            return Err(Problem::stopping());
        }
        let app = self.clone();
        self.places.work(self.abandoned.clone(), move |cancel| work(&app, cancel)).await
    }
}
