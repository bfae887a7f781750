//! A refusal: what a daemon that answers no, or not at all, means for the user.

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::Value;

use crate::telemetry::cause::root_cause;

/// The code where there is no connection.
const ABSENT: &str = "SERVER_UNREACHABLE";

/// The code of a connection that brought no answer.
const LOST: &str = "SERVER_LOST";

/// No answer came, or only a part of one.
pub fn unreachable(server: &str, error: &reqwest::Error) -> ScoreError {
    let (code, what) = if error.is_connect() {
        (ABSENT, format!("cannot be reached: {}", root_cause(error)))
    } else if error.is_timeout() {
        (LOST, "does not answer in time".to_owned())
    } else {
        (LOST, format!("broke off the connection: {}", root_cause(error)))
    };
    ScoreError::new(ErrorCode::UnhandledError, format!("the server {server} {what}"))
        .hint("start it with 'autoscorer serve', or name another one with --server or AUTOSCORER_SERVER")
        .detail("server_code", code)
        .at_stage("server")
}

/// Whether there was no connection at all.
pub fn is_absent(error: &ScoreError) -> bool {
    error.details.more.get("server_code").is_some_and(|code| code == ABSENT)
}

/// Whether a later try may find the daemon there.
pub fn is_unreachable(error: &ScoreError) -> bool {
    let status = error.details.more.get("status").and_then(Value::as_u64);
    // 502 and 504 are a proxy's before a daemon that is being restarted; 503 is a daemon that stops.
    error.details.more.get("server_code").is_some_and(|code| code == ABSENT || code == LOST)
        || matches!(status, Some(502..=504))
}

/// What a status and a body without data mean.
pub fn refused(server: &str, status: u16, body: &[u8], retry_after: Option<&str>) -> ScoreError {
    let answer: Option<Value> = serde_json::from_slice(body).ok();
    let told = answer.as_ref().map(|answer| &answer["error"]).filter(|error| error["message"].is_string());
    let Some(told) = told else {
        let message = format!("{server} answers {status}, but not as the daemon does");
        return ScoreError::new(ErrorCode::UnhandledError, message)
            .found(String::from_utf8_lossy(&body[..body.len().min(200)]).trim().to_owned())
            .hint("look at the address; a proxy before the daemon may have answered")
            .detail("server_code", "NOT_THE_DAEMON")
            .detail("status", status)
            .at_stage("server");
    };
    let word = told["code"].as_str().unwrap_or("UNHANDLED_ERROR").to_owned();
    let message = told["message"].as_str().unwrap_or_default();
    let is_refusal = matches!(status, 401 | 403 | 408 | 421 | 429 | 500..);
    let mut error = ScoreError::new(code(&word, is_refusal), message.to_owned());
    if let Ok(details) = serde_json::from_value(told["details"].clone()) {
        error.details = Box::new(details);
    }
    if is_refusal {
        error.message = format!("{server} refuses: {message}");
        error.details.hint = Some(remedy(status, error.details.hint.take(), retry_after));
    }
    if word == "NOT_FOUND" {
        error.details.hint = Some("'autoscorer jobs list' shows the jobs there are".to_owned());
    }
    error.stage = Some(if is_refusal { "server" } else { "request" }.to_owned());
    error.detail("server_code", word).detail("status", status)
}

fn code(word: &str, is_refusal: bool) -> ErrorCode {
    match serde_json::from_value(word.into()).unwrap_or(ErrorCode::UnhandledError) {
        // The interface has codes of its own; what it did not like is what it was given.
        ErrorCode::UnhandledError if !is_refusal => ErrorCode::InvalidParams,
        known => known,
    }
}

fn remedy(status: u16, hint: Option<String>, retry_after: Option<&str>) -> String {
    match (status, retry_after) {
        (401, _) => "give a token with --token or AUTOSCORER_TOKEN; 'autoscorer tokens add' makes one".to_owned(),
        (429 | 503, Some(seconds)) => format!("try again in {seconds} s"),
        _ => hint.unwrap_or_else(|| "look at the log of the daemon".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::exit::Exit;

    fn refusal(status: u16, code: &str) -> ScoreError {
        let body =
            format!(r#"{{"ok": false, "error": {{"code": "{code}", "message": "no", "details": {{"hint": "h"}}}}}}"#);
        refused("http://h", status, body.as_bytes(), None)
    }

    #[test]
    fn what_the_server_refuses_and_what_was_wrong_with_the_request_end_differently() {
        for (status, code) in [(401, "UNAUTHORIZED"), (403, "FORBIDDEN"), (429, "QUEUE_FULL"), (503, "STORE_FAILED")] {
            assert_eq!(Exit::of(&refusal(status, code)), Exit::Server, "{status}");
        }
        for (status, code) in [(404, "WORKSPACE_NOT_FOUND"), (404, "NOT_FOUND"), (409, "CONFLICT"), (422, "KEY_REUSED")]
        {
            assert_eq!(Exit::of(&refusal(status, code)), Exit::BadInput, "{status}");
        }
        let odd = refused("http://h", 200, b"<html>", None);
        assert_eq!((Exit::of(&odd), odd.details.found.as_deref()), (Exit::Server, Some("<html>")));
    }
}
