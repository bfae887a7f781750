//! The report: stored results as one page that needs nothing else.

mod page;
mod picture;
mod section;

pub use page::{Entry, page};
pub use picture::Pictures;
