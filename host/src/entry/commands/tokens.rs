//! `tokens`: makes, lists and takes out the tokens of the daemon.

use std::io;
use std::path::Path;
use std::time::Instant;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::{Value, json};

use crate::daemon::{Scope, Token, Tokens};
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::http::ANONYMOUS;
use crate::entry::print;
use crate::entry::serve_args::{TokensArgs, TokensCommand};
use crate::telemetry::time;

/// What came of it, for machines and for people.
type Told = (Value, String);

/// Changes or shows the file of tokens.
pub fn run(args: &TokensArgs, start: Instant) -> Result<Exit, ScoreError> {
    let file = args.file.clone().unwrap_or_else(|| args.data.join("tokens.json"));
    let (data, text) = match &args.command {
        TokensCommand::Add { name, scope } => add(&file, name, *scope)?,
        TokensCommand::List => list(&file)?,
        TokensCommand::Remove { name } => remove(&file, name)?,
    };
    if args.json {
        Envelope::new(Some(data), None, start).print();
    } else {
        print::out(text);
    }
    Ok(Exit::Done)
}

fn add(file: &Path, name: &str, scope: Scope) -> Result<Told, ScoreError> {
    check_name(name)?;
    let _turn = Tokens::turn(file).map_err(unusable(file))?;
    let mut tokens = Tokens::read(file).map_err(unusable(file))?;
    if tokens.list().iter().any(|token| token.name == *name) {
        return Err(usage(format!("there is a token '{name}' already"), "choose another name, or remove it first"));
    }
    let secret = tokens.add(name, scope, time::now()).map_err(unusable(file))?;
    print::err("This is the only time the token is shown. A running daemon takes it in after SIGHUP.");
    Ok((json!({"name": name, "scope": scope, "token": secret}), secret))
}

/// Jobs and lines of the log bear the name.
fn check_name(name: &str) -> Result<(), ScoreError> {
    let is_plain = |c: char| !c.is_control() && !c.is_whitespace();
    if name.is_empty() || name.len() > 100 || !name.chars().all(is_plain) {
        return Err(usage("a token's name has 1 to 100 characters, none of them white space", "choose another name"));
    }
    if name == ANONYMOUS {
        return Err(usage(format!("'{name}' is whoever has no token"), "choose another name"));
    }
    Ok(())
}

fn list(file: &Path) -> Result<Told, ScoreError> {
    let tokens = Tokens::read(file).map_err(unusable(file))?;
    let mut table = print::table(&["name", "scope", "created"]);
    for token in tokens.list() {
        table.add_row([&token.name, &token.scope.to_string(), &token.created]);
    }
    let shown = |token: &Token| json!({"name": token.name, "scope": token.scope, "created": token.created});
    let list: Vec<_> = tokens.list().iter().map(shown).collect();
    Ok((json!({"tokens": list}), print::rows(&table)))
}

fn remove(file: &Path, name: &str) -> Result<Told, ScoreError> {
    let _turn = Tokens::turn(file).map_err(unusable(file))?;
    let mut tokens = Tokens::read(file).map_err(unusable(file))?;
    if !tokens.remove(name).map_err(unusable(file))? {
        return Err(usage(format!("there is no token '{name}'"), "'autoscorer tokens list' shows those there are"));
    }
    Ok((json!({"removed": name}), format!("removed {name}; a running daemon forgets it after SIGHUP")))
}

fn unusable(file: &Path) -> impl Fn(io::Error) -> ScoreError {
    move |error| {
        ScoreError::new(ErrorCode::BadFormat, format!("the file of tokens cannot be used: {error}"))
            .file(file.display().to_string())
            .hint("name the daemon's data folder with --data, or the file with --file")
    }
}

fn usage(message: impl Into<String>, hint: &str) -> ScoreError {
    ScoreError::new(ErrorCode::InvalidParams, message).hint(hint).at_stage("usage")
}
