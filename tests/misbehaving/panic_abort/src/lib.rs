//! A plugin that the tests build with panic = abort.

use autoscorer_plugin_api::prelude::*;

struct PanicAbort;

impl Scorer for PanicAbort {
    const ABOUT: About = About { id: "good", version: "9.0.0", summary: "Would end the host", algorithm: "Constant" };
    type Params = NoParams;

    fn score(&self, _: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
        Ok(Outcome::new("constant", 1.0, Direction::Higher))
    }
}

export_scorers!(PanicAbort);
