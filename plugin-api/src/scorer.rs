//! The trait that an author implements.

use crate::context::Context;
use crate::error::ScoreError;
use crate::faults::Faults;
use crate::metadata::Description;
use crate::outcome::Outcome;
use crate::params::Params;
use crate::text::Text;

/// What a scorer is called; it goes into the library's metadata, where it can be read without running the library.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// The name in `meta.json`: letters, digits, `_`, `-`, `.`.
    pub id: &'static str,
    /// The scorer's version; raise it when a score may change.
    pub version: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// The name of the method, for the result's `versioning`.
    pub algorithm: &'static str,
}

/// Turns a workspace into a score.
///
/// A scorer has no state of its own between calls, and may be called from several threads at once.
pub trait Scorer: Sync {
    /// What the scorer is called.
    const ABOUT: About;

    /// What it can be told.
    type Params: Params;

    /// Whether it needs the network, which a scorer that runs apart from the host does not have otherwise.
    const NETWORK: bool = false;

    /// What the scorer says about itself when it runs; the host compares it with the metadata.
    fn describe(&self) -> Description {
        describe::<Self>()
    }

    /// Every fault in the workspace that would make `score` fail.
    fn validate(&self, _ctx: &Context<'_>, _params: &Self::Params) -> Faults {
        Faults::none()
    }

    /// The score.
    fn score(&self, ctx: &Context<'_>, params: &Self::Params) -> Result<Outcome, ScoreError>;
}

/// What a scorer's constants say about it.
pub fn describe<S: Scorer + ?Sized>() -> Description {
    let schema = S::Params::SCHEMA.to_text();
    Description {
        id: S::ABOUT.id.to_owned(),
        version: S::ABOUT.version.to_owned(),
        summary: S::ABOUT.summary.to_owned(),
        algorithm: S::ABOUT.algorithm.to_owned(),
        params: serde_json::from_str(&schema).unwrap_or_default(),
        network: S::NETWORK,
    }
}

/// The same as a text that the compiler puts into the metadata.
pub trait MetadataText {
    /// A JSON object.
    const TEXT: Text;
}

impl<S: Scorer> MetadataText for S {
    const TEXT: Text = Text::Joined(&[
        Text::Raw("{\"id\":"),
        Text::Quoted(S::ABOUT.id),
        Text::Raw(",\"version\":"),
        Text::Quoted(S::ABOUT.version),
        Text::Raw(",\"summary\":"),
        Text::Quoted(S::ABOUT.summary),
        Text::Raw(",\"algorithm\":"),
        Text::Quoted(S::ABOUT.algorithm),
        Text::Raw(",\"params\":"),
        S::Params::SCHEMA,
        Text::Raw(",\"network\":"),
        Text::Raw(if S::NETWORK { "true" } else { "false" }),
        Text::Raw("}"),
    ]);
}
