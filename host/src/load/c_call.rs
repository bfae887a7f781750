//! One call into a library in another language: what the scorer has told the host so far, and what that amounts to.

use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use autoscorer_plugin_api::context::{ARTIFACTS, artifact_path};
use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::faults::Faults;
use autoscorer_plugin_api::metadata::Description;
use autoscorer_plugin_api::outcome::{Artifact, Outcome};
use indexmap::IndexMap;
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::store::sha256_of;

/// The longest answer: with the quotes of its JSON escaped it still fits into a frame.
pub const MAX_ANSWER: usize = 4 << 20;

/// The detail of an error that is about what the scorer told the host, not about the workspace.
pub const AGAINST_RULES: &str = "against_rules";

/// What was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Say what you are.
    Describe,
    /// Find faults.
    Validate,
    /// Score.
    Score,
}

/// One call. Threads of the scorer may tell it things at the same time.
pub struct CCall {
    asked: Asked,
    params: Map<String, Value>,
    artifacts: Option<PathBuf>,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    answer: Option<String>,
    /// The first thing that an entry must not do.
    misuse: Option<String>,
    faults: Faults,
    /// Name -> content type.
    listed: IndexMap<String, String>,
}

impl CCall {
    /// A call with complete parameters, and the folder for artifacts where they are wanted.
    pub fn new(asked: Asked, params: Map<String, Value>, artifacts: Option<PathBuf>) -> Self {
        Self { asked, params, artifacts, told: Mutex::default() }
    }

    /// Takes the answer; whether it is one is seen at the end.
    pub fn answer(&self, bytes: &[u8]) -> bool {
        let mut told = self.told.lock();
        let misuse = match std::str::from_utf8(bytes) {
            _ if self.asked == Asked::Validate => "gave an answer, where faults are named with fault".to_owned(),
            _ if told.answer.is_some() => "answered twice".to_owned(),
            Err(error) => format!("gave an answer that is not UTF-8 from byte {} on", error.valid_up_to()),
            Ok(text) => {
                told.answer = Some(text.to_owned());
                return true;
            }
        };
        told.misuse.get_or_insert(misuse);
        false
    }

    /// Notes what an entry must not do.
    pub fn misuse(&self, what: impl Into<String>) -> bool {
        self.told.lock().misuse.get_or_insert(what.into());
        false
    }

    /// Takes a fault.
    pub fn fault(&self, fault: ScoreError) {
        self.told.lock().faults.push(fault);
    }

    /// Writes an artifact, or takes the file that the scorer has written itself. What fails is a fault.
    pub fn artifact(&self, name: &str, content_type: &str, data: Option<&[u8]>) -> bool {
        let Some(folder) = &self.artifacts else { return true };
        match keep(folder, name, data) {
            Ok(()) => {
                self.told.lock().listed.insert(name.to_owned(), content_type.to_owned());
                true
            }
            Err(error) => {
                self.fault(error);
                false
            }
        }
    }

    /// A parameter: text as it is, everything else as JSON.
    pub fn param(&self, key: &str) -> Option<String> {
        let value = self.params.get(key)?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    }

    /// What the call amounts to, as JSON. One fault, one misuse, one other number than zero, and there is no answer.
    pub fn finish(&self, returned: i32, cancelled: bool) -> Result<String, ScoreError> {
        let told = std::mem::take(&mut *self.told.lock());
        if let Some(misuse) = told.misuse {
            return Err(self.wrong(misuse));
        }
        if self.asked == Asked::Validate && (returned == 0 || !told.faults.is_empty()) {
            return json(&told.faults);
        }
        if !told.faults.is_empty() {
            return Err(told.faults.into());
        }
        if returned != 0 && cancelled {
            return Err(ScoreError::new(ErrorCode::Cancelled, "the job was cancelled"));
        }
        if returned != 0 {
            return Err(self.wrong(format!("returned {returned} without naming a fault")));
        }
        let answer = told.answer.ok_or_else(|| self.wrong("returned without an answer"))?;
        if self.asked != Asked::Score {
            return self.parse::<Description>(&answer).map(|_| answer);
        }
        let mut outcome: Outcome = self.parse(&answer)?;
        outcome.artifacts = self.artifacts.as_deref().map_or(Ok(IndexMap::new()), |folder| {
            refuse_unlisted(folder, folder, &told.listed)?;
            told.listed.iter().map(|(name, content_type)| hashed(folder, name, content_type)).collect()
        })?;
        json(&outcome.checked()?)
    }

    fn parse<T: DeserializeOwned>(&self, answer: &str) -> Result<T, ScoreError> {
        serde_json::from_str(answer).map_err(|error| {
            let why = match (error.line(), error.column()) {
                _ if error.is_data() => format!("gave an answer that is not as it should be: {error}"),
                _ if error.to_string().starts_with("number") => format!("gave an answer that is no JSON: {error}"),
                (line, column) if ["nan", "inf"].iter().any(|word| answer.contains(word)) => {
                    format!(
                        "gave an answer that is no JSON (line {line}, column {column}), which has neither nan nor inf"
                    )
                }
                (line, column) => format!("gave an answer that is no JSON (line {line}, column {column})"),
            };
            self.wrong(why).found(start(answer))
        })
    }

    fn wrong(&self, what: impl fmt::Display) -> ScoreError {
        let asked = format!("{:?}", self.asked).to_lowercase();
        ScoreError::new(ErrorCode::ScoreError, format!("the scorer's {asked} {what}"))
            .hint("this is a fault of the scorer: report it to its author; docs/other_languages.md has the rules")
            .detail(AGAINST_RULES, true)
    }
}

/// So much of a foreign text that its author knows it again.
fn start(text: &str) -> String {
    let mut shown: String = text.chars().take(80).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// A value as JSON text.
pub fn json(value: &impl Serialize) -> Result<String, ScoreError> {
    serde_json::to_string(value)
        .map_err(|error| ScoreError::new(ErrorCode::UnhandledError, format!("no JSON: {error}")))
}

fn keep(folder: &Path, name: &str, data: Option<&[u8]>) -> Result<(), ScoreError> {
    let path = artifact_path(folder, name)?;
    let Some(data) = data else { return regular(&path, name).map(|_| ()) };
    let made = fs::create_dir_all(path.parent().unwrap_or(folder));
    made.and_then(|()| fs::write(&path, data)).map_err(|error| {
        // Half an artifact is none; what cannot be removed is not listed, which is a fault, too.
        _ = fs::remove_file(&path);
        about(name, format!("could not be written: {error}"))
    })
}

/// The size of a file that a scorer has written itself: no link, nothing special.
fn regular(path: &Path, name: &str) -> Result<u64, ScoreError> {
    let metadata = fs::symlink_metadata(path).map_err(|error| about(name, format!("cannot be read: {error}")))?;
    if metadata.is_file() { Ok(metadata.len()) } else { Err(about(name, "is no regular file")) }
}

/// The scorer may have written on after it had listed the file: what counts is what is there at the end.
fn hashed(folder: &Path, name: &str, content_type: &str) -> Result<(String, Artifact), ScoreError> {
    let path = artifact_path(folder, name)?;
    let size = regular(&path, name)?;
    let sha256 =
        File::open(&path).and_then(sha256_of).map_err(|error| about(name, format!("cannot be read: {error}")))?;
    let content_type = content_type.to_owned();
    Ok((name.to_owned(), Artifact { path: format!("{ARTIFACTS}/{name}"), size, sha256, content_type }))
}

/// The folder becomes `output/artifacts/`, which holds exactly what the result lists.
fn refuse_unlisted(root: &Path, folder: &Path, listed: &IndexMap<String, String>) -> Result<(), ScoreError> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            refuse_unlisted(root, &path, listed)?;
            continue;
        }
        let inside = path.strip_prefix(root).unwrap_or(&path);
        if !listed.keys().any(|name| Path::new(name) == inside) {
            let name = inside.display().to_string();
            return Err(about(&name, "was written but not listed").hint("list it with the host's function artifact"));
        }
    }
    Ok(())
}

fn about(name: &str, what: impl fmt::Display) -> ScoreError {
    ScoreError::new(ErrorCode::ScoreError, format!("the artifact {name} {what}")).file(format!("{ARTIFACTS}/{name}"))
}
