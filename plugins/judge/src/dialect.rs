//! A dialect: the parts of a chat request that not every server or model accepts.

/// What a server accepts, learnt from its complaints and remembered as long as a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// An answer's JSON schema.
    pub structured: bool,
    /// A temperature; models that think often refuse to be given one.
    pub temperature: bool,
    /// The cap on an answer under its newer name.
    pub completion_tokens: bool,
    /// The model thinks aloud, so that its answers need more room.
    pub thinks: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Self { structured: true, temperature: true, completion_tokens: false, thinks: false }
    }
}

impl Dialect {
    /// What to try after a request was rejected, by the words of the complaint; nothing if all was tried.
    pub(crate) fn after(self, complaint: &str) -> Option<Self> {
        let complaint = complaint.to_lowercase();
        if complaint.contains("max_completion_tokens") && !self.completion_tokens {
            return Some(Self { completion_tokens: true, ..self });
        }
        if complaint.contains("temperature") && self.temperature {
            return Some(Self { temperature: false, ..self });
        }
        self.structured.then_some(Self { structured: false, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_are_answered_one_by_one_until_nothing_is_left() {
        let first = Dialect::default();
        let second = first.after("Unsupported parameter: use 'max_completion_tokens' instead").unwrap();
        assert!(second.completion_tokens && second.structured);
        let third = second.after("`temperature` does not support 0").unwrap();
        assert!(!third.temperature && third.structured);
        let fourth = third.after("bad request").unwrap();
        assert!(!fourth.structured);
        assert_eq!(fourth.after("max_completion_tokens, temperature"), None);
    }
}
