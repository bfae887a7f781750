//! A scorer that describes itself otherwise than its metadata.

use autoscorer_plugin_api::metadata::Description;
use autoscorer_plugin_api::prelude::*;
use autoscorer_plugin_api::scorer::describe;

struct TwoFaced;

impl Scorer for TwoFaced {
    const ABOUT: About = About { id: "good", version: "9.0.0", summary: "Says one thing", algorithm: "None" };
    type Params = NoParams;

    fn describe(&self) -> Description {
        Description { id: "classification_f1".to_owned(), ..describe::<Self>() }
    }

    fn score(&self, _: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
        Ok(Outcome::new("never", 1.0, Direction::Higher))
    }
}

export_scorers!(TwoFaced);
