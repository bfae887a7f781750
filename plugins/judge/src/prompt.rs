//! The question put to the judge.

/// An estimate of the tokens that one call about a pair costs, the whole prompt and the answer counted.
pub fn estimate_tokens(left: &str, right: &str) -> u64 {
    (left.len() + right.len()) as u64 / 4 + 400
}
