//! The documents are true: their commands run, in order, in a clean folder, and print what is said.
//!
//! A block of commands opens with `sh`. `sh exit=3` says how its last command ends; `sh no-run` is run by nobody, and has its
//! reason below. A `text` block behind it says what is printed, with `…` for what varies. A new document in `docs/` is picked up
//! by itself.

use std::fs;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use autoscorer_tests::{Block, Desk, blocks, built, eventually, is_as_said};

/// Blocks that are not run: document, first command, reason.
const NOT_RUN: &[(&str, &str, &str)] = &[];

/// Commands that never end, and what they print when they are ready. They live to the end of their document.
const ENDLESS: &[(&str, &str)] = &[("scorers watch", "watching"), (" serve", "http"), ("scorers dev", "")];

/// A command that never ends, with what it has printed so far.
struct Running {
    child: Child,
    printed: Arc<Mutex<String>>,
    command: String,
}

impl Running {
    fn start(desk: &Desk, command: &str, ready: &str) -> Self {
        let line = format!("exec 2>&1; {command}");
        let mut child = desk.shell(&line).process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let (printed, mut stdout) = (Arc::new(Mutex::new(String::new())), child.stdout.take().unwrap());
        let sink = printed.clone();
        std::thread::spawn(move || {
            let mut block = [0; 4096];
            while let Ok(read @ 1..) = stdout.read(&mut block) {
                sink.lock().unwrap().push_str(&String::from_utf8_lossy(&block[..read]));
            }
        });
        let mut running = Self { child, printed, command: command.to_owned() };
        eventually(&format!("'{command}' is ready"), || {
            let text = running.printed();
            assert!(running.child.try_wait().unwrap().is_none(), "'{command}' ended: {text}");
            (!text.is_empty() && text.contains(ready)).then_some(())
        });
        running
    }

    fn printed(&self) -> String {
        self.printed.lock().unwrap().clone()
    }

    /// Asked to end, it ends.
    fn end(mut self) {
        let group = format!("-{}", self.child.id());
        assert!(Command::new("kill").args(["-TERM", "--", &group]).status().unwrap().success(), "{}", self.command);
        eventually(&format!("'{}' ends", self.command), || self.child.try_wait().unwrap());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Where a test fails before it came to the end.
        if self.child.try_wait().is_ok_and(|ended| ended.is_none()) {
            _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", self.child.id())]).status();
        }
    }
}

/// Runs the commands of a document, and gives what is not as it says.
fn walk(document: &str, desk: &Desk) -> Vec<String> {
    let text = fs::read_to_string(built().root.join(document)).unwrap();
    let (mut faults, mut running) = (Vec::new(), Vec::new());
    for block in blocks(&text) {
        if block.marks.iter().any(|mark| mark == "no-run") {
            let known = NOT_RUN.iter().any(|(file, first, _)| *file == document && block.commands[0] == *first);
            assert!(known, "{document}:{}: why is this not run? NOT_RUN in book.rs has the reasons", block.line);
            continue;
        }
        faults.extend(follow(&block, desk, &mut running).map(|fault| format!("{document}:{}: {fault}", block.line)));
    }
    running.into_iter().for_each(Running::end);
    faults
}

/// Runs a block; the fault is the first one.
fn follow(block: &Block, desk: &Desk, running: &mut Vec<Running>) -> Option<String> {
    let mut printed = String::new();
    let wanted = block.marks.iter().find_map(|mark| mark.strip_prefix("exit=")).map_or(0, |code| code.parse().unwrap());
    for (number, command) in block.commands.iter().enumerate() {
        if let Some((_, ready)) = ENDLESS.iter().find(|(name, _)| command.contains(name)) {
            let endless = Running::start(desk, command.trim_end_matches('&'), ready);
            if let Some(said) = &block.prints {
                eventually(&format!("'{command}' prints what is said"), || {
                    is_as_said(said, &endless.printed()).then_some(())
                });
            }
            running.push(endless);
            continue;
        }
        let output = desk.shell(&format!("exec 2>&1; {command}")).stdin(Stdio::null()).output().unwrap();
        printed.push_str(&String::from_utf8_lossy(&output.stdout));
        let expected = if number + 1 == block.commands.len() { wanted } else { 0 };
        if output.status.code() != Some(expected) {
            return Some(format!("`{command}` ended with {}, not {expected}:\n{printed}", output.status));
        }
    }
    // What a command that never ends prints was waited for above.
    let endless = |command: &String| ENDLESS.iter().any(|(name, _)| command.contains(name));
    let said = block.prints.as_ref().filter(|_| !block.commands.iter().any(endless));
    let said = said.filter(|said| !is_as_said(said, &printed))?;
    Some(format!("`{}` printed\n{printed}\nwhere the document says\n{said}", block.commands.join("; ")))
}

#[test]
fn the_readme_is_true() {
    let readme = fs::read_to_string(built().root.join("README.md")).unwrap();
    let first: Vec<_> = blocks(&readme).into_iter().take(2).flat_map(|block| block.commands).collect();
    assert_eq!(first[0], "cargo build --release && target/release/autoscorer score examples/*/");
    // `.ci/run` runs the second.
    assert_eq!(first[1], "cargo test --workspace");
    let faults = walk("README.md", &Desk::new("readme"));
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn the_quick_start_is_true() {
    let faults = walk("docs/quickstart.md", &Desk::new("quickstart"));
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// Every other document begins where the quick start has made `demo`.
#[test]
fn every_command_of_the_book_runs() {
    let mut documents: Vec<String> = fs::read_dir(built().root.join("docs"))
        .unwrap()
        .map(|entry| format!("docs/{}", entry.unwrap().file_name().to_str().unwrap()))
        .filter(|name| name.ends_with(".md") && name != "docs/quickstart.md")
        .collect();
    documents.sort();
    let mut faults = Vec::new();
    for document in documents {
        let desk = Desk::new(document.trim_start_matches("docs/").trim_end_matches(".md"));
        assert!(desk.shell("autoscorer demo demo >/dev/null").status().unwrap().success());
        faults.extend(walk(&document, &desk));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn a_command_without_a_language_is_no_way_around() {
    // A block that runs our program has to be a shell block, else nobody would run it.
    let documents = fs::read_dir(built().root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    for path in documents.chain([built().root.join("README.md")]).filter(|path| path.is_file()) {
        let text = fs::read_to_string(&path).unwrap();
        let mut opening: Option<&str> = None;
        for line in text.lines() {
            if let Some(info) = line.trim_start().strip_prefix("```") {
                opening = if opening.is_some() { None } else { Some(info) };
            } else if opening.is_some_and(|info| ["", "bash", "shell", "console"].contains(&info.trim())) {
                let command = line.trim_start().trim_start_matches("$ ");
                assert!(!command.starts_with("autoscorer "), "{}: {line}", path.display());
            }
        }
    }
}

#[test]
fn what_varies_may_be_left_open_and_nothing_else() {
    assert!(is_as_said("a … c\n…\nz", "a bb c\n1\n2\nz\n"));
    assert!(is_as_said("a\n…", "a"));
    assert!(!is_as_said("a … c", "a bb d"));
    assert!(!is_as_said("a", "a\nb"));
    assert!(!is_as_said("a\n…\nz", "a\nb"));
    let parsed = blocks("```sh exit=3\na \\\n b\n# c\n```\nsays\n```text\nx\n```\n```sh\nd\n```\n");
    assert_eq!((parsed[0].commands.join("|"), parsed[0].prints.as_deref()), ("a   b".to_owned(), Some("x")));
    assert_eq!((parsed[0].marks[0].as_str(), parsed[1].commands[0].as_str(), parsed.len()), ("exit=3", "d", 2));
}

/// The documents of the scorers, in whose sections the tables stand.
const OF_SCORERS: [&str; 3] = ["docs/scorers.md", "docs/detection.md", "docs/review.md"];

#[test]
fn the_tables_of_parameters_are_those_of_the_schemas() {
    let sandbox = autoscorer_tests::Sandbox::new();
    let listed = sandbox.run(&["scorers", "list", "--json"]).json();
    for scorer in listed["data"]["scorers"].as_array().unwrap() {
        let id = scorer["id"].as_str().unwrap();
        let part = format!("params of {id}");
        let has_it = |document: &&&str| {
            let text = fs::read_to_string(built().root.join(document)).unwrap();
            text.contains(&format!("<!-- {part} -->"))
        };
        let document = OF_SCORERS.iter().find(has_it).unwrap_or_else(|| panic!("no document has the {part}"));
        autoscorer_tests::keep_part(document, &part, &table_of(&sandbox, id));
    }
}

fn table_of(sandbox: &autoscorer_tests::Sandbox, id: &str) -> String {
    let shown = sandbox.run(&["scorers", "show", id]).stdout;
    let types: Vec<&str> = shown.lines().skip_while(|line| !line.starts_with("PARAM")).collect();
    let schema = sandbox.run(&["scorers", "show", id, "--json"]).json();
    let properties = schema["data"]["scorer"]["params"]["properties"].as_object().unwrap().clone();
    assert_eq!(properties.len(), types.len() - 1, "{shown}");
    let at = types[0].find("TYPE").unwrap()..types[0].find("DEFAULT").unwrap();
    let rows = properties.iter().zip(&types[1..]).map(|((name, property), line)| {
        let (kind, cell) = (line[at.clone()].trim(), |text: &str| text.replace('|', "\\|"));
        let default = property.get("default").map(|value| format!("`{value}`")).unwrap_or_default();
        let meaning = property["description"].as_str().unwrap_or_default();
        format!("| `{name}` | {} | {} | {} |\n", cell(kind), cell(&default), cell(meaning))
    });
    // The blank lines keep the markers out of the table.
    format!("\n| parameter | type | default | meaning |\n|---|---|---|---|\n{}\n", rows.collect::<String>())
}
