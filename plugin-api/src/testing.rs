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
    assert!(is_close(*value, expected), "the metric '{name}' is {value}, not {expected}");
}

/// Scores every workspace in a folder and compares it with the `expected.json` in it: metrics by name, to nine digits, or
/// `{"error": "TYPE_ERROR"}` for a case that must fail. The workspaces are copied first, so that they stay as they are.
#[expect(clippy::panic, clippy::expect_used, reason = "an assertion panics")]
pub fn assert_golden<S: Scorer>(scorer: &S, cases: impl AsRef<Path>) {
    let cases = cases.as_ref();
    let entries = fs::read_dir(cases).unwrap_or_else(|error| panic!("no cases in {}: {error}", cases.display()));
    let mut folders: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    assert!(!folders.is_empty(), "no cases in {}", cases.display());
    for folder in folders {
        let (case, json) = (folder.display(), |name: &str| -> Value {
            let text =
                fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{}/{name}: {error}", folder.display()));
            serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}/{name}: {error}", folder.display()))
        });
        let mut workspace = Workspace::new();
        copy(&folder, &workspace.root).expect("a copy of the case");
        workspace.params = json("meta.json")["params"].as_object().cloned().unwrap_or_default();
        let expected = json("expected.json");
        match (workspace.score(scorer), &expected["error"]) {
            (Ok(outcome), Value::Null) => {
                for (name, value) in expected.as_object().into_iter().flatten() {
                    let value = value.as_f64().unwrap_or_else(|| panic!("{case}: '{name}' is no number"));
                    let metric = outcome.metrics.get(name).copied();
                    assert!(
                        metric.is_some_and(|metric| is_close(metric, value)),
                        "{case}: {name} is {metric:?}, not {value}"
                    );
                }
            }
            (Err(error), Value::String(code)) => assert_eq!(error.code.to_string(), *code, "{case}: {error}"),
            (Ok(outcome), code) => panic!("{case}: a score of {} instead of {code}", outcome.summary.score),
            (Err(error), _) => panic!("{case}: {error}"),
        }
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if path.is_dir() {
            copy(&path, &to.join(name))?;
        } else {
            fs::copy(&path, to.join(name))?;
        }
    }
    Ok(())
}

fn is_close(value: f64, expected: f64) -> bool {
    (value - expected).abs() <= 1e-9 * expected.abs().max(1e-3)
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
    fn golden_cases_are_compared_and_left_as_they_are() {
        let case = |expected: &str| {
            Workspace::new()
                .file("one/meta.json", r#"{"params": {"extra": 1}}"#)
                .file("one/output/pred.csv", "id,label\n1,a\n")
                .file("one/expected.json", expected)
        };
        let (right, wrong) = (case(r#"{"rows": 2}"#), case(r#"{"rows": 3}"#));
        for folder in ["input", "output"] {
            fs::remove_dir_all(right.path().join(folder)).unwrap();
            fs::remove_dir_all(wrong.path().join(folder)).unwrap();
        }
        assert_golden(&Sample, right.path());
        assert!(!right.path().join("one/output/artifacts").exists());
        assert!(std::panic::catch_unwind(|| assert_golden(&Sample, wrong.path())).is_err());
        assert!(std::panic::catch_unwind(|| assert_golden(&Sample, wrong.path().join("one/output"))).is_err());
    }

    #[test]
    fn the_metadata_says_what_describe_says() {
        let text = <Sample as crate::scorer::MetadataText>::TEXT.to_text();
        let from_metadata: crate::metadata::Description = serde_json::from_str(&text).unwrap();
        assert_eq!(from_metadata, Scorer::describe(&Sample));
    }
}
