//! The doctor: looks at this system and installation, and says what is wrong and how to mend it.
//!
//! A check is a function from an [`Examination`] to findings; a new one is a file here and a line in [`CHECKS`].

mod address;
mod custom;
mod data;
mod finding;
mod folders;
mod models;
mod plugins;
mod queue;
mod system;
mod tokens;

use autoscorer_plugin_api::error::ScoreError;

use crate::daemon::ServeSettings;
use crate::settings::{HostArgs, Settings};
pub use finding::{Finding, Health};

/// What the checks look at.
pub struct Examination<'e> {
    /// The flags and variables.
    pub args: &'e HostArgs,
    /// The settings they lead to.
    pub settings: &'e Settings,
    /// Those of the daemon.
    pub serve: &'e ServeSettings,
}

impl Examination<'_> {
    /// Whether libraries can be copied; without that nothing that is said of them would be about them.
    fn has_store(&self) -> bool {
        folders::store_folder(&self.settings.loader.store).health != Health::Broken
    }

    /// Whether a daemon has ever had its data where it would have them now.
    fn has_data(&self) -> bool {
        self.serve.data.symlink_metadata().is_ok()
    }
}

type Check = fn(&Examination<'_>) -> Vec<Finding>;

/// All checks, in the order they are shown.
const CHECKS: &[Check] = &[
    system::check,
    folders::check,
    plugins::check,
    custom::check,
    models::check,
    data::check,
    queue::check,
    tokens::check,
    address::check,
];

/// Looks at everything. Settings that cannot be read are a finding; what needs none is looked at all the same.
pub fn examine(args: &HostArgs, settings: &Result<(Settings, ServeSettings), ScoreError>) -> Vec<Finding> {
    match settings {
        Ok((settings, serve)) => {
            CHECKS.iter().flat_map(|check| check(&Examination { args, settings, serve })).collect()
        }
        Err(error) => {
            let place = |file: &String| error.details.line.map_or(file.clone(), |line| format!("{file}:{line}"));
            let remedy = match error.details.file.as_ref().map(place) {
                Some(place) => format!("mend {place}"),
                None => error.details.hint.clone().unwrap_or_else(|| "see 'autoscorer help'".to_owned()),
            };
            let broken = Finding::broken("settings", &error.message, remedy);
            std::iter::once(broken).chain(system::look()).collect()
        }
    }
}
