//! An open library in another language. It is called like one in Rust: JSON text in, JSON text out.

use autoscorer_plugin_api::abi::HostServices;
use autoscorer_plugin_api::context::{Level, Request};
use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::faults::Faults;
use autoscorer_plugin_api::metadata::{Description, Metadata};
use libloading::os::unix::Library;
use serde_json::{Map, Value};

use super::c_call::{Asked, CCall, json};
use super::open_c::{Functions, invoke};
use super::refusal::Finding;
use super::schema;
use crate::isolate::protocol::Entry;

/// An open library with a C table.
pub struct CPlugin {
    functions: Functions,
    /// The schemas of the scorers' parameters.
    schemas: Vec<Value>,
}

impl CPlugin {
    /// Takes the functions of an open library.
    pub fn open(library: &Library, metadata: &Metadata) -> Result<Self, Finding> {
        let schemas = metadata.scorers.iter().map(|scorer| scorer.params.clone()).collect();
        Ok(Self { functions: Functions::of(library)?, schemas })
    }

    /// What a scorer says about itself. Defaults that do not fit their types would fail every job: they are found here.
    pub fn describe(&self, scorer: u32) -> Result<Description, ScoreError> {
        self.completed(scorer, &Map::new())?;
        let request = Request { workspace: "".into(), params: Map::new(), artifacts: None, time_left_ms: None };
        let call = CCall::new(Asked::Describe, Map::new(), None);
        let text = invoke(self.functions.describe, scorer, &request, call, &Nobody)?;
        serde_json::from_str(&text).map_err(|error| ScoreError::new(ErrorCode::UnhandledError, error.to_string()))
    }

    /// Calls a scorer: a request as JSON text in, an answer or an error as JSON text out.
    pub fn call(
        &self,
        entry: Entry,
        scorer: u32,
        request: &str,
        services: &dyn HostServices,
    ) -> Result<String, String> {
        let request = serde_json::from_str(request).map_err(|error| {
            ScoreError::new(ErrorCode::UnhandledError, format!("the host's request does not parse: {error}"))
        });
        let answer = request.and_then(|request| match entry {
            Entry::Validate => self.validate(scorer, request, services),
            Entry::Score => self.score(scorer, request, services),
        });
        answer.map_err(|error| serde_json::to_string(&error).unwrap_or_default())
    }

    /// Without the function, only the parameters can be at fault.
    fn validate(&self, scorer: u32, request: Request, services: &dyn HostServices) -> Result<String, ScoreError> {
        match (self.completed(scorer, &request.params), self.functions.validate) {
            (Err(faults), _) => json(&faults),
            (Ok(_), None) => json(&Faults::none()),
            (Ok(params), Some(validate)) => {
                let call = CCall::new(Asked::Validate, params.clone(), None);
                invoke(validate, scorer, &Request { params, ..request }, call, services)
            }
        }
    }

    fn score(&self, scorer: u32, request: Request, services: &dyn HostServices) -> Result<String, ScoreError> {
        let params = self.completed(scorer, &request.params)?;
        let call = CCall::new(Asked::Score, params.clone(), request.artifacts.clone());
        invoke(self.functions.score, scorer, &Request { params, ..request }, call, services)
    }

    fn completed(&self, scorer: u32, given: &Map<String, Value>) -> Result<Map<String, Value>, Faults> {
        schema::complete(self.schemas.get(scorer as usize).unwrap_or(&Value::Null), given)
    }
}

/// Services while a library is opened: there is no job yet to tell anything about.
struct Nobody;

impl HostServices for Nobody {
    fn log(&self, _level: Level, _message: &str) {}

    fn progress(&self, _done: u64, _total: u64) {}

    fn cancelled(&self) -> bool {
        false
    }
}
