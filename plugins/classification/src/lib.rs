//! The classification scorers: labels in two CSV files, joined by id, compared as scikit-learn does.
//!
//! Data moves forward: [`input`] reads and joins, [`confusion`] counts, [`averages`] and [`agreement`] turn counts into numbers,
//! [`f1`] and [`accuracy`] make metrics of them, and [`report`] writes what stands beside: [`matrix`], [`error_cases`] and
//! [`pictures`].

mod accuracy;
mod agreement;
mod averages;
mod confusion;
mod error_cases;
mod f1;
mod input;
mod labels;
mod matrix;
mod pictures;
mod report;

use accuracy::ClassificationAccuracy;
use f1::ClassificationF1;

autoscorer_plugin_api::export_scorers!(ClassificationF1, ClassificationAccuracy);
