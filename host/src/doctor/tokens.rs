//! The file of tokens: readable for the daemon, and for nobody else.

use std::os::unix::fs::MetadataExt;

use super::{Examination, Finding};
use crate::daemon::Tokens;

const SUBJECT: &str = "daemon's tokens";

/// Looks at the file.
pub fn check(seen: &Examination<'_>) -> Vec<Finding> {
    if !seen.has_data() {
        return Vec::new();
    }
    let file = &seen.serve.tokens;
    let name = file.display();
    let Ok(metadata) = file.metadata() else {
        return vec![Finding::fine(SUBJECT, format!("none ({name} is not there)"))];
    };
    let remedy = format!("chmod 600 {name}");
    vec![match Tokens::read(file) {
        Err(error) => {
            Finding::broken(SUBJECT, format!("{name} cannot be read: {error}"), "restore it, or make the tokens anew")
        }
        Ok(_) if metadata.mode() & 0o022 != 0 => {
            Finding::broken(SUBJECT, format!("{name}: others may write to it, and so let themselves in"), remedy)
        }
        Ok(_) if metadata.mode() & 0o044 != 0 => {
            Finding::warning(SUBJECT, format!("{name}: others may read names and hashes in it"), remedy)
        }
        Ok(tokens) => Finding::fine(SUBJECT, format!("{} in {name}, private", tokens.list().len())),
    }]
}
