//! `tokens`: makes, lists and takes out the tokens of the daemon.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::time::Instant;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use serde_json::json;

use crate::daemon::Tokens;
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;
use crate::entry::serve_args::{TokensArgs, TokensCommand};
use crate::telemetry::time;

/// Changes or shows the file of tokens.
pub fn run(args: &TokensArgs, start: Instant) -> Result<Exit, ScoreError> {
    let file = args.file.clone().unwrap_or_else(|| args.data.join("tokens.json"));
    let failed = |error: std::io::Error| {
        ScoreError::new(ErrorCode::BadFormat, format!("the file of tokens cannot be used: {error}"))
            .file(file.display().to_string())
            .hint("name the daemon's data folder with --data, or the file with --file")
    };
    let mut tokens = Tokens::read(&file).map_err(failed)?;
    let (data, text) = match &args.command {
        TokensCommand::Add { name, scope } => {
            if tokens.list().iter().any(|token| token.name == *name) {
                return Err(ScoreError::new(ErrorCode::InvalidParams, format!("there is a token '{name}' already"))
                    .hint("choose another name, or remove it first")
                    .at_stage("usage"));
            }
            if let Some(folder) = file.parent() {
                // As the daemon would make it.
                DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed)?;
            }
            let secret = tokens.add(name, *scope, time::now()).map_err(failed)?;
            print::err("This is the only time the token is shown. A running daemon takes it in after SIGHUP.");
            (json!({"name": name, "scope": scope, "token": secret}), secret)
        }
        TokensCommand::List => {
            let mut table = print::table(&["name", "scope", "created"]);
            for token in tokens.list() {
                table.add_row([&token.name, &format!("{:?}", token.scope).to_lowercase(), &token.created]);
            }
            let list: Vec<_> =
                tokens.list().iter().map(|t| json!({"name": t.name, "scope": t.scope, "created": t.created})).collect();
            (json!({"tokens": list}), print::rows(&table))
        }
        TokensCommand::Remove { name } => {
            if !tokens.remove(name).map_err(failed)? {
                return Err(ScoreError::new(ErrorCode::InvalidParams, format!("there is no token '{name}'"))
                    .hint("'autoscorer tokens list' shows those there are")
                    .at_stage("usage"));
            }
            (json!({"removed": name}), format!("removed {name}; a running daemon forgets it after SIGHUP"))
        }
    };
    if args.json {
        Envelope::new(Some(data), None, start).print();
    } else {
        print::out(text);
    }
    Ok(Exit::Done)
}
