//! What the host tells about itself while it works: the narration on stderr, the time, the resources used.

pub mod cause;
pub mod metrics;
pub mod narrate;
pub mod paths;
pub mod resources;
pub mod time;
