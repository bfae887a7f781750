//! The regression scorer: numbers in two CSV files, joined by id, with errors measured as scikit-learn does.
//!
//! Data moves forward: [`input`] reads and joins, [`errors`] sums up, [`rmse`] makes metrics of it, and [`report`]
//! writes what stands beside: rows and [`pictures`].

mod errors;
mod input;
mod pictures;
mod report;
mod rmse;

use rmse::RegressionRmse;

autoscorer_plugin_api::export_scorers!(RegressionRmse);
