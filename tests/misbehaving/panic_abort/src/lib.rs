//! A plugin that the tests build with panic = abort, and that panics.

use autoscorer_plugin_api::prelude::*;

struct PanicAbort;

impl Scorer for PanicAbort {
    const ABOUT: About =
        About { id: "panic_abort", version: "1.0.0", summary: "Would end the host", algorithm: "None" };
    type Params = NoParams;

    #[expect(clippy::panic, reason = "that is its sin")]
    fn score(&self, _: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
        panic!("nobody can catch this")
    }
}

export_scorers!(PanicAbort);
