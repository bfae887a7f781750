//! The suite: every test drives the real binary on real files and real libraries.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that cannot go on has to fail")]

mod arrival;
mod breaker;
mod commands;
mod compatibility;
mod data_errors;
mod detection;
mod generations;
mod isolation;
mod misbehaving;
mod names;
mod not_libraries;
mod odd_moments;
mod provenance;
mod results;
mod review;
mod review_judge;
mod shipped;
mod tabular;
mod tidy;
