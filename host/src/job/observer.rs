//! An observer: somebody who wants to know what a scorer logs and how far it is.

use std::fmt;
use std::sync::Arc;

use autoscorer_plugin_api::context::Level;

/// What a scorer tells while it works.
pub trait Observe: Send + Sync {
    /// A line of its log.
    fn log(&self, level: Level, message: &str);
    /// How far it is.
    fn progress(&self, done: u64, total: u64);
}

/// Somebody who observes a job, or nobody.
#[derive(Clone, Default)]
pub struct Observer(Option<Arc<dyn Observe>>);

impl Observer {
    /// This one observes.
    pub fn new(observe: Arc<dyn Observe>) -> Self {
        Self(Some(observe))
    }

    /// Who observes.
    pub fn get(&self) -> Option<&dyn Observe> {
        self.0.as_deref()
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Observer" } else { "nobody" })
    }
}
