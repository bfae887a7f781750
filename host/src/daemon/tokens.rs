//! Tokens: who may do what. Only their hashes are kept, and they are compared in constant time.

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use autoscorer_plugin_api::context::hex;
use clap::ValueEnum;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// What somebody may do. Each scope includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Nothing but to ask whether the daemon lives.
    None,
    /// To look.
    Read,
    /// To have workspaces scored.
    Submit,
    /// To load code, and to change other people's jobs.
    Admin,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A token, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Token {
    /// Whose it is; jobs bear this name.
    pub name: String,
    /// What it allows.
    pub scope: Scope,
    /// Of the token itself, which nobody keeps.
    pub sha256: String,
    /// When it was made.
    pub created: String,
}

/// All tokens.
#[derive(Debug, Clone, Default)]
pub struct Tokens {
    file: PathBuf,
    tokens: Vec<Token>,
    made: bool,
}

impl Tokens {
    /// Reads the file; without one there are no tokens.
    pub fn read(file: &Path) -> io::Result<Self> {
        let (tokens, made) = match fs::read_to_string(file) {
            Ok(text) => (serde_json::from_str(&text).map_err(io::Error::other)?, true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (Vec::new(), false),
            Err(error) => return Err(error),
        };
        Ok(Self { file: file.to_owned(), tokens, made })
    }

    /// Makes the file's folder and waits for the turn to change the file: of two changes at once, one would be lost.
    pub fn turn(file: &Path) -> io::Result<File> {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // As the daemon would make it.
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let folder = File::open(folder)?;
        flock(&folder, FlockOperation::LockExclusive)?;
        Ok(folder)
    }

    /// All of them, without the tokens themselves.
    pub fn list(&self) -> &[Token] {
        &self.tokens
    }

    /// Whether there is a file of tokens, even an empty one.
    pub fn were_ever_made(&self) -> bool {
        self.made
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Whose a token is. Every token is compared, so that the time tells nothing.
    pub fn find(&self, secret: &str) -> Option<&Token> {
        let given = hex(&Sha256::digest(secret));
        let mut found = None;
        for token in &self.tokens {
            if bool::from(token.sha256.as_bytes().ct_eq(given.as_bytes())) {
                found = Some(token);
            }
        }
        found
    }

    /// Makes a token and keeps its hash. The answer is the only place where it is ever shown.
    pub fn add(&mut self, name: &str, scope: Scope, created: String) -> io::Result<String> {
        let mut random = [0; 32];
        io::Read::read_exact(&mut File::open("/dev/urandom")?, &mut random)?;
        let secret = format!("as_{}", hex(&random));
        let sha256 = hex(&Sha256::digest(&secret));
        self.tokens.push(Token { name: name.to_owned(), scope, sha256, created });
        self.write()?;
        Ok(secret)
    }

    /// Takes all tokens of this name out; `false` if there are none.
    pub fn remove(&mut self, name: &str) -> io::Result<bool> {
        let before = self.tokens.len();
        self.tokens.retain(|token| token.name != name);
        if self.tokens.len() == before {
            return Ok(false);
        }
        self.write()?;
        Ok(true)
    }

    /// Replaced as a whole, readable by its owner only.
    fn write(&self) -> io::Result<()> {
        let aside = self.file.with_extension("new");
        _ = fs::remove_file(&aside);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&aside)?;
        file.write_all(serde_json::to_string_pretty(&self.tokens)?.as_bytes())?;
        file.sync_all()?;
        fs::rename(aside, &self.file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_by_its_hash_and_never_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens.json");
        let mut tokens = Tokens::read(&file).unwrap();
        let secret = tokens.add("ci", Scope::Submit, "now".to_owned()).unwrap();
        let other = tokens.add("ops", Scope::Admin, "now".to_owned()).unwrap();
        let again = Tokens::read(&file).unwrap();
        assert_eq!(again.find(&secret).map(|token| (token.name.as_str(), token.scope)), Some(("ci", Scope::Submit)));
        assert_eq!(again.find(&other).map(|token| token.scope), Some(Scope::Admin));
        assert_eq!(again.find("as_"), None);
        assert!(!fs::read_to_string(&file).unwrap().contains(&secret));
        assert!(tokens.remove("ci").unwrap() && !tokens.remove("ci").unwrap());
        let rest = Tokens::read(&file).unwrap();
        assert!(rest.find(&secret).is_none() && rest.were_ever_made());
        assert!(!Tokens::read(&folder.path().join("none.json")).unwrap().were_ever_made());
    }

    #[test]
    fn scopes_include_the_smaller_ones() {
        assert!(Scope::Admin > Scope::Submit && Scope::Submit > Scope::Read && Scope::Read > Scope::None);
    }
}
