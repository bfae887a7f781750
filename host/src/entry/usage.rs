//! A command line that cannot be understood: clap's words, for people or for machines.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue};
use serde_json::Value;

use super::cli::Cli;
use super::envelope::Envelope;
use super::exit::Exit;

/// Says what is wrong. clap prints its own help and usage errors; a machine that asked for JSON gets them as JSON.
pub fn refuse(mut error: clap::Error, arguments: &[OsString], start: Instant) -> ExitCode {
    if let Some(variable) = variable(&error, arguments) {
        let tip = format!("the value comes from the environment variable {variable}");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    let wants_json = arguments.iter().any(|argument| argument == "--json");
    if wants_json && error.use_stderr() {
        Envelope::<Value>::new(None, Some(as_error(&error.to_string())), start).print();
    } else {
        // A closed terminal is no reason to fail differently.
        _ = error.print();
    }
    if error.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() }
}

/// The environment variable that a wrong value comes from. clap names the flag, also where nobody has given it.
fn variable(error: &clap::Error, arguments: &[OsString]) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let flag = text(ContextKind::InvalidArg)?.split_whitespace().next()?;
    let is_flag = |argument: &OsString| {
        argument
            .to_str()
            .and_then(|argument| argument.strip_prefix(flag))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    if arguments.iter().any(is_flag) {
        return None;
    }
    variable_of(&Cli::command(), flag.strip_prefix("--")?, text(ContextKind::InvalidValue)?)
}

fn variable_of(command: &clap::Command, flag: &str, value: &str) -> Option<String> {
    let set = |name: &str| std::env::var(name).is_ok_and(|set| set == value);
    let mut flags = command.get_arguments().filter(|arg| arg.get_long() == Some(flag));
    let own = flags.find_map(|arg| arg.get_env()?.to_str().filter(|name| set(name)));
    own.map(str::to_owned).or_else(|| command.get_subcommands().find_map(|sub| variable_of(sub, flag, value)))
}

/// clap's text, taken apart: what is wrong, what to do, how the command is used.
fn as_error(text: &str) -> ScoreError {
    let paragraphs: Vec<String> = text.split("\n\n").map(in_a_line).collect();
    let after =
        |word: &str| paragraphs.iter().find_map(|paragraph| Some(paragraph.strip_prefix(word)?.trim().to_owned()));
    let message = after("error:").unwrap_or_else(|| in_a_line(text));
    let hint = after("tip:").unwrap_or_else(|| "see 'autoscorer help'".to_owned());
    let error = ScoreError::new(ErrorCode::InvalidParams, message).hint(hint).at_stage("usage");
    match after("Usage:") {
        Some(usage) => error.detail("usage", usage),
        None => error,
    }
}

fn in_a_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_clap_says_is_lost() {
        let text = "error: the following required arguments were not provided:\n  <WORKSPACE>...\n\n  tip: name one\n\n\
                    Usage: autoscorer score --json <WORKSPACE>...\n\nFor more information, try '--help'.\n";
        let error = as_error(text);
        assert_eq!(error.message, "the following required arguments were not provided: <WORKSPACE>...");
        assert_eq!(error.details.hint.as_deref(), Some("name one"));
        assert_eq!(error.details.more["usage"], "autoscorer score --json <WORKSPACE>...");
    }
}
