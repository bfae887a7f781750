//! Whether a text is the expected one.

use autoscorer_plugin_api::prelude::*;

/// Whether a text is the expected one.
struct MyScorer;

params! {
    /// What the scorer can be told, in `meta.json` or with `-p key=value`.
    struct MyParams {
        /// Whether blanks around the text count.
        exact: bool = false,
    }
}

impl Scorer for MyScorer {
    const ABOUT: About = About {
        id: "my_scorer",
        version: "0.1.0",
        summary: "Whether a text is the expected one",
        algorithm: "Equality",
    };
    type Params = MyParams;

    fn validate(&self, ctx: &Context<'_>, params: &MyParams) -> Faults {
        self.score(ctx, params).err().map_or_else(Faults::none, Faults::from)
    }

    fn score(&self, ctx: &Context<'_>, params: &MyParams) -> Result<Outcome, ScoreError> {
        let (truth, guess) = (ctx.read_text("input/gt.txt")?, ctx.read_text("output/pred.txt")?);
        let equal = if params.exact { truth == guess } else { truth.trim() == guess.trim() };
        Ok(Outcome::new("equal", f64::from(u8::from(equal)), Direction::Higher))
    }
}

export_scorers!(MyScorer);

#[cfg(test)]
mod tests {
    use super::*;
    use autoscorer_plugin_api::testing::{Workspace, assert_golden, assert_metric};

    #[test]
    fn the_golden_cases_are_right() {
        assert_golden(&MyScorer, concat!(env!("CARGO_MANIFEST_DIR"), "/cases"));
    }

    #[test]
    fn blanks_count_if_wanted() {
        let workspace = Workspace::new().file("input/gt.txt", "yes\n").file("output/pred.txt", "yes");
        assert_metric(&workspace.score(&MyScorer).unwrap(), "equal", 1.0);
        assert_metric(&workspace.param("exact", true).score(&MyScorer).unwrap(), "equal", 0.0);
    }
}
