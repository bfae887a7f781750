//! A JSON document of the workspace, read so that a long one can be stopped in the middle.

use std::io::{self, BufReader, Read};

use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::context::Watch;
use crate::error::{ErrorCode, ScoreError};

/// So many bytes are parsed between two looks at whether to go on.
const BLOCK: usize = 64 << 10;

/// Hands a text out in blocks, as long as nobody wants it to end.
struct Heard<'t> {
    rest: &'t [u8],
    watch: Watch<'t>,
}

impl Read for Heard<'_> {
    fn read(&mut self, block: &mut [u8]) -> io::Result<usize> {
        self.watch.check().map_err(io::Error::other)?;
        self.rest.read(block)
    }
}

/// What a text says; `name` is the file it is from and appears in errors.
pub(crate) fn parse<T: DeserializeOwned>(name: &str, text: &str, watch: Watch<'_>) -> Result<T, ScoreError> {
    let heard = Heard { rest: text.as_bytes(), watch };
    serde_json::from_reader(BufReader::with_capacity(BLOCK, heard)).map_err(|error| {
        let (code, fault) = match error.classify() {
            // Nothing else fails here than the word to stop, which does not change its mind.
            Category::Io => return watch.check().err().unwrap_or_else(|| stopped(&error)),
            Category::Data => (ErrorCode::BadFormat, "is not as it should be"),
            Category::Syntax | Category::Eof => (ErrorCode::ParseError, "is no JSON"),
        };
        ScoreError::new(code, format!("{name} {fault}: {error}")).file(name).line(error.line() as u64)
    })
}

fn stopped(error: &serde_json::Error) -> ScoreError {
    ScoreError::new(ErrorCode::Cancelled, error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use serde_json::{Map, Value};

    fn read(text: &str, time_left_ms: Option<u64>) -> Result<Map<String, Value>, ScoreError> {
        let workspace = crate::testing::Workspace::new().file("input/gt.json", text);
        Context::idle(workspace.path(), time_left_ms).json("input/gt.json")
    }

    #[test]
    fn a_document_is_read_or_its_fault_has_a_place() {
        assert_eq!(read("\u{feff}{\"a\": 1}", None).unwrap()["a"], 1);
        let cut = read("{\"a\": 1,\n", None).unwrap_err();
        assert_eq!((cut.code, cut.details.line), (ErrorCode::ParseError, Some(2)));
        assert_eq!(read("[1]", None).unwrap_err().code, ErrorCode::BadFormat);
    }

    #[test]
    fn a_job_whose_time_is_over_reads_no_further() {
        let long = format!("{{\"a\": \"{}\"}}", "x".repeat(1 << 20));
        assert_eq!(read(&long, Some(0)).unwrap_err().code, ErrorCode::TimeoutError);
    }
}
