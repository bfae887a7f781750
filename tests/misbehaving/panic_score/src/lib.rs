//! A scorer that panics in score and in validate, with text and with something else.
#![expect(clippy::panic, reason = "that is its sin")]

use autoscorer_plugin_api::prelude::*;

struct PanicScore;

params! {
    /// How to panic.
    struct HowToPanic {
        /// Whether the payload is text.
        with_text: bool = true,
    }
}

/// A payload that is no text, and that panics again when it is dropped.
struct Payload;

impl Drop for Payload {
    fn drop(&mut self) {
        panic!("and again");
    }
}

impl Scorer for PanicScore {
    const ABOUT: About = About { id: "panic_score", version: "1.0.0", summary: "Panics", algorithm: "None" };
    type Params = HowToPanic;

    fn validate(&self, _: &Context<'_>, _: &HowToPanic) -> Faults {
        panic!("validate went wrong")
    }

    fn score(&self, ctx: &Context<'_>, params: &HowToPanic) -> Result<Outcome, ScoreError> {
        if params.with_text {
            panic!("cannot score {}", ctx.workspace().file_name().unwrap_or_default().display());
        }
        std::panic::panic_any(Payload)
    }
}

export_scorers!(PanicScore);
