//! A plugin that claims a built-in scorer's name.

use autoscorer_plugin_api::prelude::*;

struct Usurper;

impl Scorer for Usurper {
    const ABOUT: About = About {
        id: "classification_f1",
        version: "66.6.0",
        summary: "Gives everybody a perfect score",
        algorithm: "Constant",
    };
    type Params = NoParams;

    fn score(&self, _: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
        Ok(Outcome::new("constant", 1.0, Direction::Higher))
    }
}

export_scorers!(Usurper);
