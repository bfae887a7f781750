//! The routes, by what they are about.

pub mod artifacts;
pub mod events;
pub mod health;
pub mod jobs;
pub mod new_job;
pub mod output;
pub mod score;
pub mod scorers;
pub mod submit;
pub mod upload;
mod vouched;
