//! A cache on disk: a file to which lines of JSON are only ever added.
//!
//! Each record goes out in one write, between two line ends. A process that is killed leaves at most one piece of a line,
//! which is no JSON and is passed over, and several processes can add to the same file.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::JudgeError;

/// What a record is found by: a hash, in hexadecimal, of all that it depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Key(String);

impl Key {
    /// The key of a list of texts; each is hashed with its length, so that no two lists run together.
    pub(crate) fn of(parts: &[&str]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

#[derive(Serialize, Deserialize)]
struct Record<K, V> {
    key: K,
    value: V,
}

/// What earlier runs learnt, and where this one adds to it.
pub(crate) struct Cache<V> {
    known: HashMap<Key, V>,
    file: Option<File>,
    /// The first error of a write; after it nothing more is written.
    error: Option<String>,
}

impl<V: Serialize + DeserializeOwned> Cache<V> {
    /// Opens a file of the cache's folder, which is made if need be; without a folder nothing is known or kept.
    pub(crate) fn open(folder: Option<&Path>, name: &str) -> Result<Self, JudgeError> {
        let Some(folder) = folder else { return Ok(Self { known: HashMap::new(), file: None, error: None }) };
        let path = folder.join(name);
        let opened = fs::create_dir_all(folder).and_then(|()| {
            let file = OpenOptions::new().read(true).append(true).create(true).open(&path)?;
            Ok(Self { known: read(&file)?, file: Some(file), error: None })
        });
        opened.map_err(|error| JudgeError::File { path, message: error.to_string() })
    }

    /// Reads a file of the cache's folder, if it is there; what is put is not kept.
    pub(crate) fn look(folder: Option<&Path>, name: &str) -> Result<Self, JudgeError> {
        let Some(path) = folder.map(|folder| folder.join(name)).filter(|path| path.exists()) else {
            return Self::open(None, name);
        };
        let known = File::open(&path).and_then(|file| read(&file));
        let known = known.map_err(|error| JudgeError::File { path, message: error.to_string() })?;
        Ok(Self { known, file: None, error: None })
    }

    /// What is known under a key.
    pub(crate) fn get(&self, key: &Key) -> Option<&V> {
        self.known.get(key)
    }

    /// Adds a record. A disk that is full must not end a run, so an error is only kept.
    pub(crate) fn put(&mut self, key: &Key, value: &V) {
        let Some(file) = &mut self.file else { return };
        let written = serde_json::to_string(&Record { key, value })
            .map_err(io::Error::from)
            .and_then(|line| file.write_all(format!("\n{line}\n").as_bytes()));
        if let Err(error) = written {
            self.error = Some(error.to_string());
            self.file = None;
        }
    }

    /// Why records could not be kept, if they could not.
    pub(crate) fn error(&self) -> Option<String> {
        self.error.clone()
    }
}

/// All whole records; of two with the same key the later counts.
fn read<V: DeserializeOwned>(file: &File) -> io::Result<HashMap<Key, V>> {
    let mut known = HashMap::new();
    for line in BufReader::with_capacity(1 << 18, file).split(b'\n') {
        if let Ok(record) = serde_json::from_slice::<Record<Key, V>>(&line?) {
            known.insert(record.key, record.value);
        }
    }
    Ok(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &Path) -> Cache<String> {
        Cache::open(Some(folder), "test.jsonl").unwrap()
    }

    #[test]
    fn keys_tell_their_parts_apart() {
        assert_ne!(Key::of(&["a", "bc"]), Key::of(&["ab", "c"]));
        assert_ne!(Key::of(&["a", "b"]), Key::of(&["b", "a"]));
        assert_ne!(Key::of(&["a", ""]), Key::of(&["a"]));
        assert_eq!(Key::of(&["a"]), Key::of(&["a"]));
    }

    #[test]
    fn what_was_put_is_there_after_it_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("deep/er");
        open(&folder).put(&Key::of(&["a"]), &"line\nbreak".to_owned());
        open(&folder).put(&Key::of(&["b"]), &"two".to_owned());
        let cache = open(&folder);
        assert_eq!(cache.get(&Key::of(&["a"])).map(String::as_str), Some("line\nbreak"));
        assert_eq!(cache.get(&Key::of(&["b"])).map(String::as_str), Some("two"));
        assert_eq!(cache.get(&Key::of(&["c"])), None);
    }

    #[test]
    fn looking_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("deep");
        let mut nothing = Cache::<String>::look(Some(&deep), "test.jsonl").unwrap();
        nothing.put(&Key::of(&["a"]), &"one".to_owned());
        assert!(nothing.get(&Key::of(&["a"])).is_none() && !deep.exists());
        open(&deep).put(&Key::of(&["a"]), &"one".to_owned());
        let known = Cache::<String>::look(Some(&deep), "test.jsonl").unwrap();
        assert_eq!(known.get(&Key::of(&["a"])).map(String::as_str), Some("one"));
    }

    #[test]
    fn a_kill_at_any_byte_loses_the_last_record_only_and_invents_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.jsonl");
        open(folder.path()).put(&Key::of(&["first"]), &"1".to_owned());
        let first = fs::read(&path).unwrap().len();
        open(folder.path()).put(&Key::of(&["second"]), &"2".to_owned());
        let whole = fs::read(&path).unwrap();
        for end in first..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            open(folder.path()).put(&Key::of(&["third"]), &"3".to_owned());
            let cache = open(folder.path());
            let get = |name| cache.get(&Key::of(&[name])).map(String::as_str);
            assert_eq!((get("first"), get("third")), (Some("1"), Some("3")), "{end}");
            assert_eq!(get("second"), (end + 1 == whole.len()).then_some("2"), "{end}");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let error = Cache::<String>::open(Some(&file), "x").err().unwrap();
        assert!(matches!(error, JudgeError::File { path, .. } if path.starts_with(&file)));
    }
}
