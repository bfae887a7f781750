//! The tally: jobs that have ended, counted from the journal, which knows of every end exactly once: also of jobs that
//! were cancelled while they waited, or failed because their worker died.

use std::sync::Arc;

use tokio::sync::Mutex;

use crate::queue::{EventFilter, QueueError, State, Store};
use crate::telemetry::metrics::Metrics;

/// So many events are looked at in one go.
const SOME: usize = 1000;

/// Counts ends. Whoever shows what is counted lets it catch up first; so does the sweep, since old events go.
pub struct Tally {
    store: Arc<dyn Store>,
    metrics: Arc<Metrics>,
    /// The number of the last event that was counted.
    seen: Mutex<i64>,
}

impl Tally {
    /// Counts what happens from now on.
    pub fn new(store: Arc<dyn Store>, metrics: Arc<Metrics>) -> Self {
        let seen = Mutex::new(*store.last_event().borrow());
        Self { store, metrics, seen }
    }

    /// Counts what has happened since the last time.
    pub async fn catch_up(&self) -> Result<(), QueueError> {
        let mut seen = self.seen.lock().await;
        loop {
            let filter = EventFilter { after: *seen, job: None, kind: Some("job.".to_owned()) };
            let events = self.store.events(filter, SOME).await?;
            for event in &events {
                *seen = event.number;
                if let Some(state) = ended(&event.kind) {
                    self.metrics.job_ended(state);
                }
            }
            if events.len() < SOME {
                return Ok(());
            }
        }
    }
}

fn ended(kind: &str) -> Option<State> {
    let word = kind.strip_prefix("job.")?;
    State::ALL.into_iter().find(|state| state.is_final() && state.as_str() == word)
}
