//! The classification scorers: labels in two CSV files, joined by id, compared as scikit-learn does.
//!
//! Data moves forward: [`input`] reads and joins, [`confusion`] counts, [`f1`] and [`accuracy`] turn counts into metrics,
//! [`report`] writes the tables beside them.

mod accuracy;
mod confusion;
mod f1;
mod input;
mod report;

use accuracy::ClassificationAccuracy;
use f1::ClassificationF1;

autoscorer_plugin_api::export_scorers!(ClassificationF1, ClassificationAccuracy);
