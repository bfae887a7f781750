//! The cause of an error that has several.

use std::error::Error;

/// The last of the causes, which says most and knows no address.
pub fn root_cause(error: &dyn Error) -> String {
    error.source().map_or_else(|| error.to_string(), root_cause)
}
