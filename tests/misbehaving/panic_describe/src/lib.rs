//! A scorer that panics when it describes itself.

use autoscorer_plugin_api::metadata::Description;
use autoscorer_plugin_api::prelude::*;

struct PanicDescribe;

impl Scorer for PanicDescribe {
    const ABOUT: About = About { id: "good", version: "9.0.0", summary: "Panics in describe", algorithm: "None" };
    type Params = NoParams;

    #[expect(clippy::panic, reason = "that is its sin")]
    fn describe(&self) -> Description {
        panic!("I do not know who I am")
    }

    fn score(&self, _: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
        Ok(Outcome::new("never", 1.0, Direction::Higher))
    }
}

export_scorers!(PanicDescribe);
