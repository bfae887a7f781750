//! The scorer of code reviews: generated comments against those that people made, by place and by meaning.
//!
//! Data moves forward: [`read`] turns files into comments and references, [`params`], [`filter`] and [`config`] say what is
//! wanted, [`matching`] says which pairs are compared and what follows from it, [`meaning`] compares them, [`result`] counts
//! and writes, [`report`] shows. [`scorer`] is that line in one place; [`dry`] stops before anybody is asked. [`remarks`] and
//! [`warnings`] tell what is odd about the input.

mod config;
mod dry;
mod filter;
mod matching;
mod meaning;
mod params;
mod read;
mod remarks;
mod report;
mod result;
mod scorer;
mod warnings;

use scorer::ReviewMatch;

autoscorer_plugin_api::export_scorers!(ReviewMatch);
