//! A kit for the tests of a scorer's author: build a workspace, run a scorer as the host would, look at the outcome.
//!
//! ```
//! # use autoscorer_plugin_api::prelude::*;
//! # struct RowCount;
//! # impl Scorer for RowCount {
//! #     const ABOUT: About = About { id: "row_count", version: "1.0.0", summary: "", algorithm: "" };
//! #     type Params = NoParams;
//! #     fn score(&self, ctx: &Context<'_>, _: &NoParams) -> Result<Outcome, ScoreError> {
//! #         let rows = ctx.table("output/pred.csv", "id", &["label"])?.rows();
//! #         Ok(Outcome::new("rows", rows as f64, Direction::Higher))
//! #     }
//! # }
//! use autoscorer_plugin_api::testing::{Workspace, assert_metric};
//!
//! let outcome = Workspace::new().file("output/pred.csv", "id,label\n1,cat\n").score(&RowCount).unwrap();
//! assert_metric(&outcome, "rows", 1.0);
//! ```

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::abi::{Entry, Host, HostServices};
use crate::context::{ARTIFACTS, Level, Request};
use crate::error::{ErrorCode, ScoreError};
use crate::faults::Faults;
use crate::outcome::Outcome;
use crate::panic::guard;
use crate::scorer::Scorer;

/// A temporary workspace; it is removed when dropped.
pub struct Workspace {
    root: PathBuf,
    params: Map<String, Value>,
    log: Log,
}

impl Workspace {
    /// An empty workspace.
    #[expect(clippy::new_without_default, reason = "making a folder is no default")]
    pub fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let name = format!("autoscorer-test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let workspace = Self { root: std::env::temp_dir().join(name), params: Map::new(), log: Log::default() };
        workspace.file("input/.keep", "").file("output/.keep", "")
    }

    /// Writes a file, such as `input/gt.csv`.
    #[expect(clippy::expect_used, reason = "a test that cannot write its files has to fail")]
    pub fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&self.root)).expect("the folder of a test file");
        fs::write(path, content).expect("a test file");
        self
    }

    /// Sets a parameter.
    pub fn param(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.params.insert(key.to_owned(), value.into());
        self
    }

    /// The workspace's folder.
    pub fn path(&self) -> &Path {
        &self.root
    }

    /// Scores the workspace, over the same boundary as the host: JSON in, JSON out, panics caught.
    pub fn score<S: Scorer>(&self, scorer: &S) -> Result<Outcome, ScoreError> {
        read(guard("score", || Entry::score(scorer, &self.request()?, Host::lend(&(&self.log as _)))))
    }

    /// Validates the workspace in the same way.
    pub fn validate<S: Scorer>(&self, scorer: &S) -> Result<Faults, ScoreError> {
        read(guard("validate", || Entry::validate(scorer, &self.request()?, Host::lend(&(&self.log as _)))))
    }

    /// What the scorer has logged so far.
    pub fn log(&self) -> Vec<String> {
        self.log.0.lock().map(|lines| lines.clone()).unwrap_or_default()
    }

    fn request(&self) -> Result<String, ScoreError> {
        let request = Request {
            workspace: self.root.clone(),
            params: self.params.clone(),
            artifacts: Some(self.root.join(ARTIFACTS)),
            time_left_ms: None,
        };
        serde_json::to_string(&request).map_err(|error| ScoreError::new(ErrorCode::UnhandledError, error.to_string()))
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // A folder left in the temporary directory is no reason to fail a test.
        _ = fs::remove_dir_all(&self.root);
    }
}

/// Asserts that a metric has a value, to nine digits.
#[expect(clippy::panic, reason = "an assertion panics")]
pub fn assert_metric(outcome: &Outcome, name: &str, expected: f64) {
    let Some(value) = outcome.metrics.get(name) else {
        panic!("there is no metric '{name}' among {:?}", outcome.metrics.keys().collect::<Vec<_>>());
    };
    let tolerance = 1e-9 * expected.abs().max(1e-3);
    assert!((value - expected).abs() <= tolerance, "the metric '{name}' is {value}, not {expected}");
}

fn read<T: DeserializeOwned>(reply: Result<String, ScoreError>) -> Result<T, ScoreError> {
    serde_json::from_str(&reply?).map_err(|error| ScoreError::new(ErrorCode::UnhandledError, error.to_string()))
}

/// The host's side of the calls, keeping the log.
#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl HostServices for Log {
    fn log(&self, _level: Level, message: &str) {
        if let Ok(mut lines) = self.0.lock() {
            lines.push(message.to_owned());
        }
    }

    fn progress(&self, _done: u64, _total: u64) {}

    fn cancelled(&self) -> bool {
        false
    }
}

/// A host that hears nothing and stops nothing.
#[cfg(test)]
pub(crate) struct Nobody;

#[cfg(test)]
impl HostServices for Nobody {
    fn log(&self, _level: Level, _message: &str) {}

    fn progress(&self, _done: u64, _total: u64) {}

    fn cancelled(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    params! {
        /// Of the sample.
        struct SampleParams {
            /// Added to the count.
            extra: f64 = 0,
        }
    }

    struct Sample;

    impl Scorer for Sample {
        const ABOUT: About = About { id: "sample", version: "1.2.3", summary: "s", algorithm: "a" };
        type Params = SampleParams;

        fn score(&self, ctx: &Context<'_>, params: &SampleParams) -> Result<Outcome, ScoreError> {
            ctx.check()?;
            ctx.log(Level::Info, "counting");
            let rows = ctx.table("output/pred.csv", "id", &["label"])?.rows() as f64;
            ctx.artifact("notes/rows.txt", "text/plain", |file| write!(file, "{rows}"))?;
            Ok(Outcome::new("rows", rows + params.extra, Direction::Higher))
        }
    }

    #[test]
    fn a_scorer_runs_as_it_would_in_the_host() {
        let workspace = Workspace::new().file("output/pred.csv", "id,label\n1,a\n2,b\n").param("extra", 0.5);
        let outcome = workspace.score(&Sample).unwrap();
        assert_metric(&outcome, "rows", 2.5);
        assert_eq!(workspace.log(), ["counting"]);
        let artifact = &outcome.artifacts["notes/rows.txt"];
        assert_eq!((artifact.path.as_str(), artifact.size), ("output/artifacts/notes/rows.txt", 1));
        // The sha256 of "2".
        assert_eq!(artifact.sha256, "d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35");
    }

    #[test]
    fn faults_come_back_as_errors() {
        assert_eq!(Workspace::new().score(&Sample).unwrap_err().code, ErrorCode::MissingFile);
        let wrong = Workspace::new().param("extro", 1);
        assert_eq!(wrong.validate(&Sample).unwrap().list[0].code, ErrorCode::InvalidParams);
    }

    #[test]
    fn the_metadata_says_what_describe_says() {
        let text = <Sample as crate::scorer::MetadataText>::TEXT.to_text();
        let from_metadata: crate::metadata::Description = serde_json::from_str(&text).unwrap();
        assert_eq!(from_metadata, Scorer::describe(&Sample));
    }
}
