//! Scorers that seem to work, each with a fault that only a check finds.

use std::fs;
use std::hint::black_box;
use std::time::SystemTime;

use autoscorer_plugin_api::params::Params;
use autoscorer_plugin_api::prelude::*;
use autoscorer_plugin_api::serde_json::{Map, Value};
use autoscorer_plugin_api::text::Text;

/// A scorer from a name and what it does.
macro_rules! careless {
    ($name:ident, $id:literal, $summary:literal, $params:ty, $deed:expr) => {
        struct $name;

        impl Scorer for $name {
            const ABOUT: About = About { id: $id, version: "1.0.0", summary: $summary, algorithm: "None" };
            type Params = $params;

            fn validate(&self, ctx: &Context<'_>, params: &Self::Params) -> Faults {
                self.score(ctx, params).err().map_or_else(Faults::none, Faults::from)
            }

            fn score(&self, ctx: &Context<'_>, _: &Self::Params) -> Result<Outcome, ScoreError> {
                let deed: fn(&Context<'_>) -> Result<f64, ScoreError> = $deed;
                Ok(Outcome::new("deed", deed(ctx)?, Direction::Higher))
            }
        }
    };
}

careless!(Clock, "careless_clock", "Reads the clock", NoParams, |_| {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Ok(now.map_or(0.0, |now| f64::from(now.subsec_nanos())))
});

careless!(Leak, "careless_leak", "Never frees", NoParams, |_| {
    black_box(Box::leak(vec![1_u8; 64 << 10].into_boxed_slice()));
    Ok(1.0)
});

careless!(Index, "careless_index", "Takes the second line for granted", NoParams, |ctx| {
    let text = ctx.read_text("input/gt.csv")?;
    let lines: Vec<&str> = text.lines().collect();
    Ok(lines[1].len() as f64)
});

careless!(Litter, "careless_litter", "Writes what it does not list", NoParams, |ctx| {
    _ = fs::write(ctx.output("notes.txt"), "mine");
    Ok(1.0)
});

careless!(Deaf, "careless_deaf", "Does not hear the word to stop", NoParams, |_| {
    std::thread::sleep(std::time::Duration::from_secs(3));
    Ok(1.0)
});

careless!(Any, "careless_any", "Takes any parameter", AnyParams, |_| Ok(1.0));

careless!(Silent, "careless_silent", " ", NoParams, |_| Ok(1.0));

/// Whatever it is told is fine.
struct AnyParams;

impl Params for AnyParams {
    const SCHEMA: Text = Text::Raw(r#"{"type":"object","properties":{}}"#);

    fn from_json(_: Map<String, Value>) -> Result<Self, Faults> {
        Ok(Self)
    }
}

export_scorers!(Clock, Leak, Index, Litter, Deaf, Any, Silent);
