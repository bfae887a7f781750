//! The name of a scorer, as `meta.json` and the command line write it: `id`, `id@version` or `id@sha256:…`.

use std::fmt;
use std::str::FromStr;

/// A scorer's id, and where wanted exactly which one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScorerName {
    /// The id.
    pub id: String,
    /// Exactly which one.
    pub pin: Option<Pin>,
}

/// Exactly which scorer of an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pin {
    /// The one of this version.
    Version(String),
    /// The one in the library whose sha256 begins like this.
    Sha256(String),
}

/// The fewest digits of a sha256 that name a library beyond doubt.
const SHORTEST_HASH: usize = 12;

impl FromStr for ScorerName {
    /// What was expected.
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (id, pin) = match text.split_once('@') {
            Some((id, pin)) => (id, Some(pin.parse()?)),
            None => (text, None),
        };
        if id.is_empty() || id.contains(char::is_whitespace) {
            return Err("a scorer's name, such as classification_f1 or classification_f1@2.0.0".to_owned());
        }
        Ok(Self { id: id.to_owned(), pin })
    }
}

impl FromStr for Pin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("sha256:") {
            Some(hash) if hash.len() < SHORTEST_HASH || !hash.chars().all(|c| c.is_ascii_hexdigit()) => {
                Err(format!("at least {SHORTEST_HASH} hexadecimal digits after 'sha256:'"))
            }
            Some(hash) => Ok(Self::Sha256(hash.to_ascii_lowercase())),
            None if text.is_empty() => Err("a version after the '@', or 'sha256:' and a hash".to_owned()),
            None => Ok(Self::Version(text.to_owned())),
        }
    }
}

impl fmt::Display for ScorerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pin {
            None => f.write_str(&self.id),
            Some(Pin::Version(version)) => write!(f, "{}@{version}", self.id),
            Some(Pin::Sha256(hash)) => write!(f, "{}@sha256:{hash}", self.id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_pins() {
        let name = |text: &str| ScorerName::from_str(text);
        assert_eq!(name("f1").unwrap(), ScorerName { id: "f1".to_owned(), pin: None });
        assert_eq!(name("f1@1.2.0").unwrap().pin, Some(Pin::Version("1.2.0".to_owned())));
        assert_eq!(name("f1@sha256:ABCDEF012345").unwrap().to_string(), "f1@sha256:abcdef012345");
        for wrong in ["", "@1", "f 1", "f1@", "f1@sha256:abc", "f1@sha256:zzzzzzzzzzzz"] {
            assert!(name(wrong).is_err(), "{wrong}");
        }
    }
}
