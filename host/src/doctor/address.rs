//! The daemon's address, held against its tokens: who could do what.

use super::{Examination, Finding};
use crate::daemon::{Scope, Tokens};

const SUBJECT: &str = "daemon's address";

/// Says who could do what.
pub fn check(seen: &Examination<'_>) -> Vec<Finding> {
    if !seen.has_data() {
        return Vec::new();
    }
    let serve = seen.serve;
    // A file that cannot be read is told of by the check of tokens.
    let Ok(tokens) = Tokens::read(&serve.tokens) else { return Vec::new() };
    let remedy = "make a token with 'autoscorer tokens add', or listen at a loopback address";
    vec![match serve.anonymous_scope(&tokens) {
        Err(reason) => Finding::broken(SUBJECT, reason, remedy),
        Ok(scope) if scope > Scope::None && !serve.is_loopback() => {
            let found = format!("{} can be reached from elsewhere, with the scope {scope} for anybody", serve.bind);
            Finding::warning(SUBJECT, found, remedy)
        }
        Ok(scope) => Finding::fine(SUBJECT, format!("{}; the scope without a token is {scope}", serve.bind)),
    }]
}
