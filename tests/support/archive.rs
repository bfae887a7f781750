//! Archives as uploads, good ones and hostile ones.

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use tar::EntryType;
use zip::write::SimpleFileOptions;

/// An archive of files by name, with what careful tools would refuse to put into one. A text that begins with `->` is a link,
/// `zeros:` so many zeros; in a tar also `=>` a hard link, `c:` and `b:` a device, `p:` a pipe.
pub fn archive(kind: &str, entries: &Value) -> Vec<u8> {
    let entries = entries.as_object().unwrap().iter().map(|(name, text)| (name.as_str(), text.as_str().unwrap()));
    match kind {
        "zip" => zip(entries),
        "tar" => tar(entries),
        "tgz" => gzip(&tar(entries)),
        other => panic!("no kind of archive: {other}"),
    }
}

fn zip<'e>(entries: impl Iterator<Item = (&'e str, &'e str)>) -> Vec<u8> {
    let mut made = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in entries {
        let options = SimpleFileOptions::default();
        if let Some(target) = text.strip_prefix("->") {
            made.add_symlink(name, target, options).unwrap();
            continue;
        }
        made.start_file(name, options).unwrap();
        made.write_all(&content(text)).unwrap();
    }
    made.finish().unwrap().into_inner()
}

fn tar<'e>(entries: impl Iterator<Item = (&'e str, &'e str)>) -> Vec<u8> {
    let mut made = tar::Builder::new(Vec::new());
    for (name, text) in entries {
        let kind = match text.get(..2) {
            Some("->") => EntryType::Symlink,
            Some("=>") => EntryType::Link,
            Some("c:") => EntryType::Char,
            Some("b:") => EntryType::Block,
            Some("p:") => EntryType::Fifo,
            _ => EntryType::Regular,
        };
        let mut header = tar::Header::new_ustar();
        // The careful ways of the crate refuse the names that are wanted here.
        put(&mut header.as_ustar_mut().unwrap().name, name);
        header.set_entry_type(kind);
        header.set_mode(0o644);
        let body = if kind == EntryType::Regular { content(text) } else { Vec::new() };
        if kind != EntryType::Regular {
            put(&mut header.as_ustar_mut().unwrap().linkname, &text[2..]);
        }
        header.set_size(body.len() as u64);
        header.set_cksum();
        made.append(&header, body.as_slice()).unwrap();
    }
    made.into_inner().unwrap()
}

fn put(field: &mut [u8; 100], text: &str) {
    field[..text.len()].copy_from_slice(text.as_bytes());
}

fn content(text: &str) -> Vec<u8> {
    match text.strip_prefix("zeros:") {
        Some(number) => vec![0; number.parse().unwrap()],
        None => text.as_bytes().to_owned(),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut made = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    made.write_all(bytes).unwrap();
    made.finish().unwrap()
}

/// The files of a workspace with three labelled rows, one of them wrong.
pub fn workspace_files() -> Value {
    json!({
        "meta.json": r#"{"scorer": "classification_f1"}"#,
        "input/gt.csv": "id,label\n1,cat\n2,dog\n3,cat\n",
        "output/pred.csv": "id,label\n1,cat\n2,dog\n3,dog\n",
    })
}
