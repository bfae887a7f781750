//! Asks OpenAI-compatible servers whether two review comments mean the same.
//!
//! Knows no files of a workspace and no scorers. A [`Plan`] says which pairs of texts may be asked now; [`judge`] keeps as
//! many calls in flight as the [`Settings`] allow, asks no pair of equal texts twice, remembers verdicts on disk, and hands
//! each [`Judgement`] back to the plan. [`embed()`] does the same for vectors.
//!
//! A pair's way: `run` takes it from the plan, `verdicts` may know it already, else `ask` leads it to a verdict: `prompt` writes
//! the question in the `dialect` that the server understands; `caller` makes the call through `client`, at the endpoint's
//! `pace`, until an answer comes; `answer` reads it, and `words` where it is prose.
//!
//! Invariants: a failure or an answer that says neither never becomes a yes or a no, and is not remembered; a key leaves
//! `endpoint` in the header of a request only.
//!
//! ```
//! use autoscorer_judge::{Judgement, Plan, Settings, judge};
//!
//! struct Pairs {
//!     texts: Vec<(String, String)>,
//!     unasked: std::ops::Range<usize>,
//! }
//!
//! impl Plan for Pairs {
//!     fn next(&mut self) -> Option<usize> {
//!         self.unasked.next()
//!     }
//!     fn texts(&self, pair: usize) -> (&str, &str) {
//!         (&self.texts[pair].0, &self.texts[pair].1)
//!     }
//!     fn take(&mut self, _pair: usize, _judgement: &Judgement) {}
//! }
//!
//! let mut pairs = Pairs { texts: vec![("a leak".into(), "never freed".into())], unasked: 0..1 };
//! let settings = Settings::from_lookup(|_| None)?;
//! let error = judge(&mut pairs, &settings, &|| false, &|_| {}).unwrap_err();
//! assert!(error.to_string().contains("LLM_MODEL_URL and LLM_MODEL"));
//! # Ok::<(), autoscorer_judge::JudgeError>(())
//! ```

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
mod verdicts;
mod words;

pub use embed::{Embeddings, embed, estimate_embeddings};
pub use endpoint::Endpoint;
pub use error::JudgeError;
pub use judgement::{Judgement, Verdict};
pub use plan::Plan;
pub use prompt::estimate_tokens;
pub use run::judge;
pub use settings::Settings;
pub use usage::{Progress, Usage};
pub use vector::cosine;
pub use verdicts::Verdicts;
