//! The other of two plugins with the same scorer.

use autoscorer_plugin_api::prelude::*;

struct Twin;

impl Scorer for Twin {
    const ABOUT: About = About { id: "twin", version: "2.0.0", summary: "The second twin", algorithm: "Constant" };
    type Params = NoParams;

    fn score(&self, _: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
        Ok(Outcome::new("constant", 2.0, Direction::Higher))
    }
}

export_scorers!(Twin);
