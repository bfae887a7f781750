//! The scorer's words in those of the command line: files as they were given, flags instead of parameters.

use std::cmp::Reverse;

use autoscorer_plugin_api::error::ScoreError;
use serde_json::Value;

use crate::entry::review_args::FLAGS;
use crate::save::ResultFile;

/// What stands for what.
pub struct Words(Vec<(String, String)>);

impl Words {
    /// The words for files of the workspace, by the paths that they were copied from.
    pub fn of(copied: &[(String, String)]) -> Self {
        let flags = FLAGS.iter().map(|(param, flag)| (format!("params.{param}"), (*flag).to_owned()));
        let manifest = ("input/manifest.json".to_owned(), "--manifest".to_owned());
        // The first of two for the same is taken, and a manifest that was given has a name.
        Self(copied.iter().cloned().chain(flags).chain([manifest]).collect())
    }

    /// A result as it is shown; the one in the workspace speaks of the workspace.
    pub fn result(&self, mut result: ResultFile) -> ResultFile {
        for warning in &mut result.warnings {
            warning.message = self.text(&warning.message);
        }
        result.error = result.error.map(|error| self.error(error));
        result
    }

    fn error(&self, error: ScoreError) -> ScoreError {
        let value = serde_json::to_value(&error).ok().map(|value| self.value(value));
        value.and_then(|value| serde_json::from_value(value).ok()).unwrap_or(error)
    }

    fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.text(&text).into(),
            Value::Array(values) => values.into_iter().map(|value| self.value(value)).collect(),
            Value::Object(fields) => fields.into_iter().map(|(key, value)| (key, self.value(value))).collect(),
            other => other,
        }
    }

    /// Goes through a text once, so that nothing is replaced in what has replaced something.
    fn text(&self, text: &str) -> String {
        let (mut said, mut rest) = (String::new(), text);
        while let Some((at, (from, to))) = self.next(rest) {
            said.extend([&rest[..at], to]);
            rest = &rest[at + from.len()..];
        }
        said + rest
    }

    fn next(&self, text: &str) -> Option<(usize, &(String, String))> {
        let found = self.0.iter().filter_map(|word| Some((text.find(&word.0)?, word)));
        found.min_by_key(|(at, (from, _))| (*at, Reverse(from.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_looks_like_one_of_the_workspace_is_replaced_once() {
        let copied = [("input/positive_samples.json", "old/input/positive_samples.json")];
        let words = Words::of(&copied.map(|(from, to)| (from.to_owned(), to.to_owned())));
        let said = words.text("input/positive_samples.json: params.votes, or input/manifest.json");
        assert_eq!(said, "old/input/positive_samples.json: --votes, or --manifest");
    }
}
