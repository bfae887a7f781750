//! A scorer that never returns from describe.

use autoscorer_plugin_api::metadata::Description;
use autoscorer_plugin_api::prelude::*;

struct DescribeHang;

impl Scorer for DescribeHang {
    const ABOUT: About = About { id: "good", version: "9.0.0", summary: "Thinks about itself", algorithm: "None" };
    type Params = NoParams;

    fn describe(&self) -> Description {
        loop {
            std::thread::park();
        }
    }

    fn score(&self, _: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
        Ok(Outcome::new("never", 1.0, Direction::Higher))
    }
}

export_scorers!(DescribeHang);
