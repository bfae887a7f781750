//! One of two plugins with the same scorer.

use autoscorer_plugin_api::prelude::*;

struct Twin;

impl Scorer for Twin {
    const ABOUT: About = About { id: "twin", version: "1.0.0", summary: "The first twin", algorithm: "Constant" };
    type Params = NoParams;

    fn score(&self, _: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
        Ok(Outcome::new("constant", 1.0, Direction::Higher))
    }
}

export_scorers!(Twin);
