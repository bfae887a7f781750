//! What a library says about itself in an ELF section, readable without running any of its code.
//!
//! The text is JSON, put together by the compiler ([`Text`](crate::text::Text)).
//! The host parses it into [`Metadata`]; the library's own `describe` answers with the same [`Description`].

use std::collections::HashSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The ELF section that holds the metadata.
pub const SECTION: &str = ".autoscorer";

/// The format of the metadata text itself.
pub const FORMAT: u32 = 1;

/// The version of the API this crate was compiled as.
pub const API_VERSION: &str = env!("CARGO_PKG_VERSION");

/// The compiler that built this crate, and so the plugin around it.
pub const RUSTC: &str = env!("AUTOSCORER_RUSTC");

/// All a library says about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Metadata {
    /// Always [`FORMAT`].
    pub format: u32,
    /// How it is called.
    #[serde(default)]
    pub abi: Abi,
    /// The API version the library was built against.
    pub api: ApiVersion,
    /// The Rust compiler that built it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rustc: Option<String>,
    /// The compiler of another language that built it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// What a panic does in it.
    #[serde(default)]
    pub panic: PanicStrategy,
    /// The package that was built.
    pub package: String,
    /// The scorers inside, in the order of their index.
    pub scorers: Vec<Description>,
}

/// What one scorer says about itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The name in `meta.json`.
    pub id: String,
    /// The version of the scorer.
    pub version: String,
    /// One line for lists.
    pub summary: String,
    /// The name of the method, for the result's `versioning`.
    pub algorithm: String,
    /// A JSON schema of the parameters.
    pub params: Value,
    /// Whether it needs the network.
    #[serde(default)]
    pub network: bool,
}

/// How the functions of a library are called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Abi {
    /// Through abi_stable's root module, made by `export_scorers!`.
    #[default]
    Rust,
    /// Through the table of `autoscorer_plugin.h`, from any language.
    C,
}

/// What a panic does in a library.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PanicStrategy {
    /// It unwinds, and the guard turns it into an error.
    Unwind,
    /// It ends the process, as does whatever comes nearest to it in other languages.
    #[default]
    Abort,
}

/// `major.minor.patch`. Libraries of the same major version load, whichever minor version they have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ApiVersion {
    /// Another one means another ABI.
    pub major: u32,
    /// Grows when something is added at the end.
    pub minor: u32,
    /// Changes nothing that crosses the boundary.
    pub patch: u32,
}

impl Metadata {
    /// Reads the section's bytes; a C compiler may have put a NUL at the end.
    pub fn parse(section: &[u8]) -> Result<Self, String> {
        let text = section.strip_suffix(b"\0").unwrap_or(section);
        let metadata: Self =
            serde_json::from_slice(text).map_err(|error| format!("metadata that does not parse: {error}"))?;
        metadata.check()?;
        Ok(metadata)
    }

    /// The compiler that built the library, as far as it says so.
    pub fn built_with(&self) -> &str {
        self.rustc.as_deref().or(self.compiler.as_deref()).unwrap_or("an unnamed compiler")
    }

    fn check(&self) -> Result<(), String> {
        if self.format != FORMAT {
            return Err(format!("metadata of format {}", self.format));
        }
        if self.scorers.is_empty() {
            return Err("metadata without any scorer".to_owned());
        }
        let mut ids = HashSet::new();
        for scorer in &self.scorers {
            if !is_id(&scorer.id) {
                return Err(format!("a scorer whose id is {:?}", scorer.id));
            }
            if scorer.version.is_empty() || scorer.version.contains(char::is_whitespace) {
                return Err(format!("scorer '{}' whose version is {:?}", scorer.id, scorer.version));
            }
            if !ids.insert(&scorer.id) {
                return Err(format!("two scorers with the id '{}'", scorer.id));
            }
        }
        Ok(())
    }
}

/// Ids appear in file names, pins (`id@version`) and addresses, so they stay plain.
fn is_id(id: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    !id.is_empty() && id.len() <= 100 && id.chars().all(plain)
}

impl ApiVersion {
    /// The version this crate was compiled as.
    pub fn current() -> Self {
        Self::try_from(API_VERSION.to_owned()).unwrap_or(Self { major: 0, minor: 0, patch: 0 })
    }

    /// Whether a host of this version may open a library of the other one.
    pub fn accepts(self, library: Self) -> bool {
        self.major == library.major
    }
}

impl TryFrom<String> for ApiVersion {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut parts = text.splitn(3, '.').map(str::parse::<u32>);
        match (parts.next(), parts.next(), parts.next()) {
            (Some(Ok(major)), Some(Ok(minor)), Some(Ok(patch))) => Ok(Self { major, minor, patch }),
            _ => Err(format!("{text:?} is no API version like {API_VERSION}")),
        }
    }
}

impl From<ApiVersion> for String {
    fn from(version: ApiVersion) -> Self {
        version.to_string()
    }
}

impl fmt::Display for ApiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(scorers: &str) -> Result<Metadata, String> {
        let text =
            format!(r#"{{"format":1,"api":"1.0.0","rustc":"r","panic":"unwind","package":"p","scorers":{scorers}}}"#);
        Metadata::parse(text.as_bytes())
    }

    fn scorer(id: &str, version: &str) -> String {
        format!(r#"{{"id":"{id}","version":"{version}","summary":"","algorithm":"","params":{{}}}}"#)
    }

    #[test]
    fn metadata_is_checked_when_it_is_parsed() {
        assert!(metadata(&format!("[{}]", scorer("good", "1.0.0"))).is_ok());
        let refused = [
            ("[]".to_owned(), "without any scorer"),
            (format!("[{}]", scorer("bad id", "1.0.0")), "whose id is"),
            (format!("[{}]", scorer("good", "1 0")), "whose version is"),
            (format!("[{0},{0}]", scorer("good", "1.0.0")), "two scorers"),
            ("7".to_owned(), "does not parse"),
        ];
        for (scorers, reason) in refused {
            let error = metadata(&scorers).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn the_api_window_is_the_major_version() {
        let version = |text: &str| ApiVersion::try_from(text.to_owned());
        let host = version("1.1.0").unwrap();
        assert!(host.accepts(version("1.0.0").unwrap()) && host.accepts(version("1.9.3").unwrap()));
        assert!(!host.accepts(version("2.0.0").unwrap()));
        assert!(version("1.1").is_err() && version("one").is_err());
    }
}
