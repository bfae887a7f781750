//! The HTTP door: what comes in becomes checked types here, and every answer goes out in one envelope.
//!
//! [`server`] accepts connections; [`watchman`] looks at every request first and last; [`auth`] says who asks; the
//! [`routes`] answer. A handler knows the [`App`] and nothing else.

mod answer;
mod app;
mod auth;
mod body;
mod cors;
mod docs;
mod patience;
mod places;
mod problem;
mod router;
mod routes;
mod server;
mod views;
mod watchman;

pub use app::App;
pub use auth::{ANONYMOUS, Gate};
pub use places::Places;
pub use router::{document, router};
pub use server::{Connections, Server};
