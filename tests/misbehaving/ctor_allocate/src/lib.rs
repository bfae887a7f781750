//! A plugin whose constructor allocates without end.

use autoscorer_plugin_api::prelude::*;

/// Runs when the library is opened, before anything can be asked of it.
#[allow(unsafe_code)]
#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

extern "C" fn constructor() {
    let mut hoard = Vec::new();
    loop {
        hoard.push(std::hint::black_box(vec![1_u8; 1 << 20]));
    }
}

struct Constructed;

impl Scorer for Constructed {
    const ABOUT: About = About { id: "good", version: "9.0.0", summary: "Never gets that far", algorithm: "Constant" };
    type Params = NoParams;

    fn score(&self, _: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
        Ok(Outcome::new("constant", 1.0, Direction::Higher))
    }
}

export_scorers!(Constructed);
