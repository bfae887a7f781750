//! `demo`: a folder to play with, and what to try in it.

use std::path::Path;
use std::time::Instant;

use autoscorer_plugin_api::error::ScoreError;
use serde_json::{Value, json};

use crate::demo;
use crate::entry::demo_args::DemoArgs;
use crate::entry::envelope::Envelope;
use crate::entry::exit::Exit;
use crate::entry::print;

/// What to try, in this order; `{host}` and `{dir}` are filled in.
const NEXT: [(&str, &str); 7] = [
    ("Score a workspace of every scorer", "{host} score {dir}/workspaces/*/"),
    ("See what is wrong with a broken one", "{host} validate {dir}/broken"),
    ("Have one of its errors explained", "{host} explain MISMATCH"),
    (
        "Judge a careful code reviewer",
        "{host} review --comments {dir}/review/careful --references {dir}/review/references.json -o {dir}/judged/careful",
    ),
    (
        "Judge a noisy one",
        "{host} review --comments {dir}/review/noisy --references {dir}/review/references.json -o {dir}/judged/noisy",
    ),
    ("See what a scorer can be told", "{host} scorers show classification_f1"),
    ("See what this system can enforce", "{host} doctor"),
];

/// Writes the demo and says what to try next.
pub fn run(args: &DemoArgs, start: Instant) -> Result<Exit, ScoreError> {
    let kept = demo::write(&args.folder, args.force)?;
    let (host, folder) = (host(), quoted(&args.folder.display().to_string()));
    let command = |pattern: &str| pattern.replace("{host}", &host).replace("{dir}", &folder);
    if args.json {
        let next: Vec<Value> =
            NEXT.iter().map(|(what, pattern)| json!({"what": what, "command": command(pattern)})).collect();
        let data = json!({"folder": args.folder.display().to_string(), "files": demo::FILES.len(), "kept": kept, "next": next});
        Envelope::new(Some(data), None, start).print();
        return Ok(Exit::Done);
    }
    if !kept.is_empty() {
        let message = format!("changed, and left as it is: {}; --force puts it back", kept.join(", "));
        print::err(print::warning(&args.folder.display().to_string(), &message));
    }
    print::out(format!("{} files in {}. Try:", demo::FILES.len(), args.folder.display()));
    for (what, pattern) in NEXT {
        print::out(format!("\n  # {what}\n  {}", command(pattern)));
    }
    Ok(Exit::Done)
}

/// The program as it was called, so that the commands work when they are pasted.
fn host() -> String {
    let called = std::env::args().next().unwrap_or_default();
    if Path::new(&called).components().count() > 1 { quoted(&called) } else { "autoscorer".to_owned() }
}

/// A path as a shell takes it for one word. One that looks like a flag is made to look like a path.
fn quoted(path: &str) -> String {
    let path = path.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(path);
    let path = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%".contains(c);
    if !path.is_empty() && path.chars().all(plain) { path } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_path_is_one_word_for_a_shell() {
        assert_eq!(quoted("demo/"), "demo");
        assert_eq!(quoted("/"), "/");
        assert_eq!(quoted("my demo"), "'my demo'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("-x"), "./-x");
    }
}
