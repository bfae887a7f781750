//! The workspaces that a scorer is tried on: one that is right, as far as that is known, and the same spoilt in many ways.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::scratch::Scratch;

/// How large the files of the huge workspace are.
const HUGE: usize = 8 << 20;

/// The same for documents: an unoptimised parser takes a second for more.
const HUGE_JSON: usize = 2 << 20;

/// No file is made larger than this.
const MOST: usize = 64 << 20;

/// The same for documents, which take many times their size in memory.
const MOST_JSON: usize = 16 << 20;

/// Files by their names.
type Files = Vec<(String, Vec<u8>)>;

/// What becomes of a file, by its name and content; nothing where it is left out.
type Spoil<'s> = &'s dyn Fn(&str, &[u8]) -> Option<Vec<u8>>;

/// A folder for the workspaces, which goes with them.
pub struct Inputs {
    scratch: Scratch,
    good: Files,
}

/// A workspace that is spoilt: the check it belongs to, how, and where it is.
pub struct Spoilt {
    /// `empty`, `huge`, `unicode` or `malformed`.
    pub kind: &'static str,
    /// How it is spoilt.
    pub how: &'static str,
    /// Its folder.
    pub folder: PathBuf,
}

impl Inputs {
    /// Copies a workspace, or makes one of the usual files.
    pub fn new(workspace: Option<&Path>) -> io::Result<Self> {
        let scratch = Scratch::new("check")?;
        let mut good = Files::new();
        match workspace {
            Some(workspace) => collect(workspace, "", &mut good)?,
            None => good = usual(),
        }
        Ok(Self { scratch, good })
    }

    /// A fresh copy of the workspace as it was given.
    pub fn good(&self, name: &str) -> io::Result<PathBuf> {
        self.write(name, &self.good)
    }

    /// The workspace with files of this size, or as large as they are ever made; and how large the largest is.
    pub fn grown(&self, size: usize) -> io::Result<(PathBuf, usize)> {
        let most = |name: &str| if name.ends_with(".json") { MOST_JSON } else { MOST };
        let width = self.width();
        let files: Files = self.changed(|name, bytes| Some(grown(name, bytes, size.min(most(name)), width)));
        let largest = files.iter().map(|(_, bytes)| bytes.len()).max().unwrap_or_default();
        Ok((self.write("grown", &files)?, largest))
    }

    /// The workspace in all its spoilt forms.
    pub fn spoilt(&self) -> io::Result<Vec<Spoilt>> {
        let width = self.width();
        let huge = |name: &str, bytes: &[u8]| {
            Some(grown(name, bytes, if name.ends_with(".json") { HUGE_JSON } else { HUGE }, width))
        };
        let forms: [(&str, &str, Spoil<'_>); 7] = [
            ("empty", "no files", &|_, _| None),
            ("empty", "empty files", &|_, _| Some(Vec::new())),
            ("huge", "very large files", &huge),
            ("unicode", "text of all scripts", &|name, _| Some(unicode(name).into_bytes())),
            ("malformed", "files cut in the middle", &|_, bytes| Some(bytes[..bytes.len() / 2].to_vec())),
            ("malformed", "bytes that are no text", &|_, _| Some((0..=255).rev().cycle().take(4096).collect())),
            ("malformed", "brackets without end", &|_, _| Some(b"[".repeat(100_000))),
        ];
        let mut all = Vec::new();
        for (number, (kind, how, spoil)) in forms.into_iter().enumerate() {
            let folder = self.write(&format!("{kind}-{number}"), &self.changed(spoil))?;
            all.push(Spoilt { kind, how, folder });
        }
        Ok(all)
    }

    /// How long a row is that is added to a table: as long as the longest needs, so that all grow by as many rows and still
    /// have the same ids.
    fn width(&self) -> usize {
        let tables = self.good.iter().filter(|(name, _)| name.ends_with(".csv"));
        let rows = tables.filter_map(|(_, bytes)| Some(bytes.split(|byte| *byte == b'\n').nth(1)?.len()));
        rows.max().unwrap_or_default() + "huge-1234567,".len()
    }

    /// The files, with those that a scorer reads changed or left out.
    fn changed(&self, change: impl Fn(&str, &[u8]) -> Option<Vec<u8>>) -> Files {
        let is_data = |name: &str| name.starts_with("input/") || name.starts_with("output/");
        let files = self.good.iter().filter_map(|(name, bytes)| {
            Some((name.clone(), if is_data(name) { change(name, bytes)? } else { bytes.clone() }))
        });
        files.collect()
    }

    fn write(&self, name: &str, files: &Files) -> io::Result<PathBuf> {
        let folder = self.scratch.path().join(name);
        for part in ["input", "output"] {
            fs::create_dir_all(folder.join(part))?;
        }
        for (name, bytes) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&folder))?;
            fs::write(path, bytes)?;
        }
        Ok(folder)
    }
}

/// What autoscorer itself writes, and what is hidden, is no part of the input.
fn collect(folder: &Path, prefix: &str, files: &mut Files) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        let name = format!("{prefix}{}", name.to_string_lossy());
        let own =
            name == "output/result.json" || name == "output/artifacts" || name.contains("/.") || name.starts_with('.');
        if path.is_dir() && !own {
            collect(&path, &format!("{name}/"), files)?;
        } else if path.is_file() && !own {
            files.push((name, fs::read(&path)?));
        }
    }
    Ok(())
}

fn usual() -> Files {
    let texts = [
        ("csv", "id,label,value\n1,cat,1\n2,dog,2.5\n3,cat,-1\n"),
        ("json", "{\"1\": \"cat\", \"2\": \"dog\", \"3\": \"cat\"}\n"),
        ("txt", "cat\ndog\ncat\n"),
    ];
    let both = texts.iter().flat_map(|(end, text)| {
        [
            (format!("input/gt.{end}"), text.as_bytes().to_vec()),
            (format!("output/pred.{end}"), text.as_bytes().to_vec()),
        ]
    });
    both.collect()
}

/// A table with very many rows of its kind, a document with very many members; else the same text over and over.
fn grown(name: &str, bytes: &[u8], size: usize, width: usize) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    if let (true, Some(row)) = (name.ends_with(".csv"), text.lines().nth(1)) {
        return grown_table(bytes, row, size / width);
    }
    if let Ok(document) = serde_json::from_slice::<Value>(bytes) {
        return grown_document(document, bytes.len(), size);
    }
    let mut grown = bytes.to_vec();
    while !bytes.is_empty() && grown.len() < size {
        grown.extend_from_slice(bytes);
    }
    grown
}

/// Rows like the first one, each with an id of its own.
fn grown_table(bytes: &[u8], row: &str, rows: usize) -> Vec<u8> {
    let rest = row.split_once(',').map_or("", |(_, rest)| rest);
    let mut grown = bytes.to_vec();
    for number in 0..rows {
        grown.extend(format!("huge-{number},{rest}\n").into_bytes());
    }
    grown
}

fn grown_document(mut document: Value, length: usize, size: usize) -> Vec<u8> {
    match &mut document {
        Value::Object(members) => {
            let some = members.values().next().cloned().unwrap_or_default();
            let each = some.to_string().len() + 16;
            members.extend((0..size / each).map(|number| (format!("huge-{number}"), some.clone())));
        }
        Value::Array(items) if !items.is_empty() => {
            let all = items.clone();
            items.extend((0..size / length.max(1)).flat_map(|_| all.clone()));
        }
        _ => {}
    }
    document.to_string().into_bytes()
}

fn unicode(name: &str) -> String {
    let words = ["名前", "e\u{301}", "\u{202e}drow", "𝄞🦀", "İ", "ß", "a\u{0}b"];
    match name.rsplit('.').next() {
        Some("csv") => {
            let rows = words.iter().map(|word| format!("{word},{word},1\n"));
            format!("\u{feff}id,label,value\n{}", rows.collect::<String>())
        }
        Some("json") => {
            let members: Map<_, _> = words.iter().map(|word| ((*word).to_owned(), Value::from(*word))).collect();
            Value::from(members).to_string()
        }
        _ => words.join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_that_belong_together_grow_by_the_same_rows() {
        let scratch = Scratch::new("check-test").unwrap();
        let good = [("input/gt.csv", "id,v\na,1\n"), ("output/pred.csv", "id,v\na,-12.5\n")];
        let good = good.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).to_vec();
        let inputs = Inputs { scratch, good };
        let (folder, largest) = inputs.grown(100_000).unwrap();
        let rows = ["input/gt.csv", "output/pred.csv"].map(|name| {
            let text = fs::read_to_string(folder.join(name)).unwrap();
            text.lines().map(|line| line.split(',').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        });
        assert_eq!(rows[0], rows[1]);
        assert!((70_000..=100_100).contains(&largest), "{largest}");
    }
}
