//! A plugin that needs a library which is not there: the build script makes it for the linker only.

use autoscorer_plugin_api::prelude::*;

#[allow(unsafe_code)]
#[link(name = "autoscorer_absent", kind = "dylib")]
unsafe extern "C" {
    fn absent() -> i32;
}

struct Dependent;

impl Scorer for Dependent {
    const ABOUT: About = About { id: "good", version: "9.0.0", summary: "Needs what is not there", algorithm: "None" };
    type Params = NoParams;

    #[allow(unsafe_code)]
    fn score(&self, _: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
        // SAFETY: never reached; the library cannot be opened.
        let value = unsafe { absent() };
        Ok(Outcome::new("absent", value.into(), Direction::Higher))
    }
}

export_scorers!(Dependent);
