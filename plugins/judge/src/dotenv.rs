//! A `.env` file: lines of `NAME=value`, as shells and their users write them.

use std::fs;
use std::path::Path;

use crate::error::JudgeError;

/// The values of a `.env` file. Lines that are none of its business are passed over.
#[derive(Default)]
pub(crate) struct Dotenv(Vec<(String, String)>);

impl Dotenv {
    /// Reads a file.
    pub(crate) fn read(path: &Path) -> Result<Self, JudgeError> {
        let bytes =
            fs::read(path).map_err(|error| JudgeError::File { path: path.to_owned(), message: error.to_string() })?;
        Ok(Self::parse(&String::from_utf8_lossy(&bytes)))
    }

    /// The last value of a name.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        self.0.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value.clone())
    }

    fn parse(text: &str) -> Self {
        Self(text.trim_start_matches('\u{feff}').lines().filter_map(assignment).collect())
    }
}

fn assignment(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    (!name.is_empty() && !name.starts_with('#')).then(|| (name.to_owned(), unquoted(value.trim())))
}

/// A value without its quotes, or without the comment behind it.
fn unquoted(value: &str) -> String {
    for quote in ['"', '\''] {
        if let Some((inside, _)) = value.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return inside.to_owned();
        }
    }
    if value.starts_with('#') {
        return String::new();
    }
    value.split_once(" #").map_or(value, |(value, _)| value.trim_end()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_shells_and_people_write_them() {
        let text = "\u{feff}# LLM_MODEL=no\r\nexport LLM_MODEL = 'a # b' # c\r\nLLM_API_KEY=sk#1 # mine\nEMPTY=\nNOTE=# x\nodd line\nURL=\"http://h\"\nURL=http://i/v1?x=y";
        let file = Dotenv::parse(text);
        let get = |name| file.get(name);
        assert_eq!(get("LLM_MODEL").as_deref(), Some("a # b"));
        assert_eq!(get("LLM_API_KEY").as_deref(), Some("sk#1"));
        assert_eq!(get("EMPTY").as_deref(), Some(""));
        assert_eq!(get("NOTE").as_deref(), Some(""));
        assert_eq!(get("URL").as_deref(), Some("http://i/v1?x=y"));
        assert_eq!(get("odd line"), None);
    }

    #[test]
    fn a_file_that_is_named_must_be_there() {
        let error = Dotenv::read(Path::new("no/such/.env")).err().unwrap().to_string();
        assert!(error.starts_with("no/such/.env: "), "{error}");
    }
}
