//! From the arguments of a command to requests: which workspaces, which scorer, which parameters.

use std::collections::BTreeSet;
use std::fs;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::{Map, Value};

use crate::entry::cli::JobArgs;
use crate::entry::print;
use crate::job::Request;

/// A request for every workspace; one that is named twice is scored once.
pub fn requests(workspaces: &[String], args: &JobArgs, artifacts: bool) -> Result<Vec<Request>, ScoreError> {
    let template = template(args, artifacts)?;
    let mut seen = BTreeSet::new();
    let mut requests = Vec::new();
    for workspace in workspaces {
        let identity = fs::canonicalize(workspace).unwrap_or_else(|_| workspace.into());
        if seen.insert(identity) {
            requests.push(Request { workspace: workspace.clone(), ..template.clone() });
        } else {
            print::err(print::warning(workspace, "named more than once; it is taken once"));
        }
    }
    Ok(requests)
}

/// A request that lacks only its workspace.
pub fn template(args: &JobArgs, artifacts: bool) -> Result<Request, ScoreError> {
    Ok(Request {
        scorer: args.scorer.clone(),
        params: params(args)?,
        artifacts,
        time_limit: args.timeout,
        memory_limit: args.memory,
        ..Request::default()
    })
}

/// `--params` first, then each `-p` over it.
fn params(args: &JobArgs) -> Result<Map<String, Value>, ScoreError> {
    let mut params = args.params.as_deref().map(object).transpose()?.unwrap_or_default();
    for pair in &args.param {
        let Some((key, value)) = pair.split_once('=').filter(|(key, _)| !key.is_empty()) else {
            return Err(usage(format!("-p {pair}: no KEY=VALUE")).hint("write -p pass_threshold=0.9"));
        };
        // What is no JSON is text, so that nobody has to quote quotes.
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_owned()));
        params.insert(key.to_owned(), value);
    }
    Ok(params)
}

fn object(text: &str) -> Result<Map<String, Value>, ScoreError> {
    let json = match text.strip_prefix('@') {
        Some(file) => fs::read_to_string(file).map_err(|error| wrong_params(text, &error.to_string()))?,
        None => text.to_owned(),
    };
    match serde_json::from_str(&json) {
        Ok(Value::Object(params)) => Ok(params),
        Ok(_) => Err(wrong_params(text, "JSON, but no object")),
        Err(error) => Err(wrong_params(text, &format!("no JSON: {error}"))),
    }
}

fn wrong_params(text: &str, what: &str) -> ScoreError {
    usage(format!("--params {text}: {what}"))
        .hint("write --params '{\"pass_threshold\": 0.9}' or --params @params.json")
}

fn usage(message: String) -> ScoreError {
    ScoreError::new(ErrorCode::InvalidParams, message).at_stage("usage")
}
