//! `explain`: what an error code means and what to do about it.

use std::time::Instant;

use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use autoscorer_plugin_api::suggest;
use serde_json::{Value, json};

use super::meanings::Meaning;
use super::server_codes::{SERVER_CODES, ServerCode};
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::explain_args::ExplainArgs;
use crate::entry::print;

/// Explains one code, or lists all.
pub fn run(args: &ExplainArgs, start: Instant) -> Result<Exit, ScoreError> {
    let Some(name) = &args.code else {
        return Ok(list(args.json, start));
    };
    match (find(name)?, args.json) {
        (Code::Scoring(code), true) => Envelope::new(Some(document(code)), None, start).print(),
        (Code::Scoring(code), false) => show(code),
        (Code::Server(code), true) => Envelope::new(Some(server_document(code)), None, start).print(),
        (Code::Server(code), false) => show_server(code),
    }
    Ok(Exit::Done)
}

/// A code that can be explained.
enum Code {
    Scoring(ErrorCode),
    Server(&'static ServerCode),
}

/// The code of a name, however it is spelt: as printed, in lower case, or with blanks or hyphens.
fn find(name: &str) -> Result<Code, ScoreError> {
    let wanted = name.trim().trim_start_matches("error[").trim_end_matches(']').to_uppercase().replace(['-', ' '], "_");
    if let Some(code) = ErrorCode::ALL.into_iter().find(|code| code.to_string() == wanted) {
        return Ok(Code::Scoring(code));
    }
    if let Some(code) = SERVER_CODES.iter().find(|code| code.code == wanted) {
        return Ok(Code::Server(code));
    }
    let server = SERVER_CODES.iter().map(|code| code.code.to_owned());
    let names: Vec<String> = ErrorCode::ALL.iter().map(ErrorCode::to_string).chain(server).collect();
    let hint = match suggest::nearest(&wanted, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {near}?"),
        None => {
            "'autoscorer explain' lists all codes of errors; if it is the code of a warning, there is a result, and the \
                 message beside the code says all"
                .to_owned()
        }
    };
    Err(ScoreError::new(ErrorCode::InvalidParams, format!("there is no error code '{}'", print::visible(name)))
        .found(name)
        .expected("a code as errors have it, such as MISSING_FILE")
        .hint(hint)
        .at_stage("usage"))
}

fn list(json: bool, start: Instant) -> Exit {
    if json {
        let codes: Vec<Value> = ErrorCode::ALL.into_iter().map(document).collect();
        let server: Vec<Value> = SERVER_CODES.iter().map(server_document).collect();
        Envelope::new(Some(json!({"codes": codes, "server_codes": server})), None, start).print();
        return Exit::Done;
    }
    let mut table = print::table(&["code", "exit", "meaning"]);
    for code in ErrorCode::ALL {
        table.add_row([code.to_string(), exit(code).to_string(), Meaning::of(code).summary.to_owned()]);
    }
    print::out(print::rows(&table));
    let mut table = print::table(&["of the daemon", "status", "meaning"]);
    for code in SERVER_CODES {
        table.add_row([code.code.to_owned(), status(code), code.summary.to_owned()]);
    }
    print::out(format!("\n{}", print::rows(&table)));
    Exit::Done
}

fn status(code: &ServerCode) -> String {
    code.status.map_or_else(|| "-".to_owned(), |status| status.to_string())
}

fn server_document(code: &ServerCode) -> Value {
    json!({"code": code.code, "status": code.status, "summary": code.summary, "remedy": code.remedy})
}

fn show_server(code: &ServerCode) {
    let status = code.status.map_or_else(|| "no answer".to_owned(), |status| format!("HTTP status {status}"));
    print::out(format!("{} ({status})\n  {}\n\nWhat to do:\n  * {}", code.code, code.summary, code.remedy));
}

fn document(code: ErrorCode) -> Value {
    let Meaning { summary, causes, remedies, example } = Meaning::of(code);
    json!({"code": code, "exit": exit(code), "summary": summary, "causes": causes, "remedies": remedies, "example": example})
}

fn show(code: ErrorCode) {
    let Meaning { summary, causes, remedies, example } = Meaning::of(code);
    print::out(format!("{code} (exit code {})\n  {summary}\n", exit(code)));
    for (title, lines) in [("Usual causes", causes), ("What to do", remedies)] {
        print::out(format!("{title}:\n  * {}\n", lines.join("\n  * ")));
    }
    print::out(format!("It looks like this:\n  {}", example.replace('\n', "\n  ")));
}

fn exit(code: ErrorCode) -> u8 {
    Exit::of(&ScoreError::new(code, "")) as u8
}
