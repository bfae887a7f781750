//! How far a library is trusted, and so where it runs.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Where a library comes from, and so how far it is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// Shipped with the host.
    BuiltIn,
    /// Dropped into the folder of custom scorers.
    Custom,
}

/// Whether scorers run in the host's process or in one apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// Built-in scorers in the host, custom ones apart.
    #[default]
    Auto,
    /// All apart.
    Process,
    /// All in the host, but for those whose panics would end it.
    InProcess,
}
