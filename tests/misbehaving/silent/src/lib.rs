//! A scorer that does not say what it is.

use autoscorer_plugin_api::prelude::*;

struct Silent;

impl Scorer for Silent {
    const ABOUT: About = About { id: "silent", version: "1.0.0", summary: " ", algorithm: "None" };
    type Params = NoParams;

    fn score(&self, _: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
        Ok(Outcome::new("deed", 1.0, Direction::Higher))
    }
}

export_scorers!(Silent);
