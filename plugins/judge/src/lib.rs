//! Asks OpenAI-compatible servers whether two review comments mean the same.
//!
//! Knows no files of a workspace and no scorers. A [`Plan`] says which pairs of texts may be asked now; [`judge`] keeps as
//! many calls in flight as the [`Settings`] allow, asks no pair of equal texts twice, remembers verdicts on disk, and hands
//! each [`Judgement`] back to the plan. [`embed`] does the same for vectors.
//!
//! A call's way: [`run`] takes a pair from the plan, [`cache`] may know it already, else [`ask`] leads it to a verdict:
//! [`prompt`] writes the question, in the [`dialect`] that the server understands, [`client`] makes the call when [`pace`]
//! lets it, [`answer`] reads what came.
//!
//! Invariants: a failure or an unreadable answer never becomes a yes or a no; a key never leaves [`endpoint`] but in the
//! header of a request.

mod answer;
mod ask;
mod cache;
mod caller;
mod client;
mod dialect;
mod dotenv;
mod embed;
mod endpoint;
mod error;
mod judgement;
mod pace;
mod plan;
mod prompt;
mod run;
mod runtime;
mod settings;
mod usage;
mod vector;
mod words;

pub use embed::{Embeddings, embed};
pub use endpoint::Endpoint;
pub use error::JudgeError;
pub use judgement::{Judgement, Verdict};
pub use plan::Plan;
pub use prompt::estimate_tokens;
pub use run::judge;
pub use settings::Settings;
pub use usage::{Progress, Usage};
pub use vector::cosine;
