//! autoscorer's host: finds the scorer that a workspace names in a registry of hot-loaded plugins, runs it, and writes a
//! standard result.
//!
//! The folders are the stages, in the order data moves through them: [`entry`] (the doors) -> [`job`] (a checked request)
//! -> [`registry`] (which generation of which library, loaded by [`load`]) -> [`run`] (one call, here or in a process of [`isolate`]) -> [`save`] (what stays in
//! the workspace). [`engine`] is that line in one place; [`settings`] tell it where to look;
//! [`results`] reads back what was saved, for [`compare`] and [`report`]; [`telemetry`] sees all.

pub mod callback;
pub mod compare;
pub mod daemon;
pub mod demo;
pub mod doctor;
pub mod engine;
pub mod entry;
pub mod isolate;
pub mod job;
pub mod load;
pub mod origin;
pub mod queue;
pub mod registry;
pub mod report;
pub mod results;
pub mod run;
pub mod save;
pub mod scratch;
pub mod settings;
pub mod telemetry;
