//! Paths as text: what is no UTF-8 in them is replaced, where JSON could not hold it.

use std::path::Path;

use serde::Serializer;

/// For serde: a path as it is displayed.
pub fn as_text<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}
