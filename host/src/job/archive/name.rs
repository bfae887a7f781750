//! An entry's name: a path that stays inside the folder, and that every system reads alike.

use autoscorer_plugin_api::error::ScoreError;

use super::bad;

/// The most bytes between two slashes: no file system takes more.
const LONGEST_PART: usize = 255;
/// The most bytes of a whole name, far below what the kernel takes.
const LONGEST_NAME: usize = 1024;
/// The most folders inside each other.
const DEEPEST: usize = 32;
/// An error shows no more of a name than this.
const LONGEST_SHOWN: usize = 120;

/// A relative path of plain parts. The archive's own top folder (`.`) has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EntryName {
    path: String,
    /// Whether it was written with a slash at its end.
    pub(super) is_folder: bool,
}

impl EntryName {
    /// Checks a name as it is in the archive.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, ScoreError> {
        let refuse = |why: &str, hint: &str| refused(bytes, &format!("its name {why}")).hint(hint);
        let text = std::str::from_utf8(bytes)
            .map_err(|_| refuse("is not UTF-8", "rename it, or pack on a system whose names are UTF-8"))?;
        if text.is_empty() {
            return Err(refuse("is empty", "pack the workspace anew with tar or zip"));
        }
        if text.chars().any(char::is_control) {
            return Err(refuse("holds a control character (a line break, a NUL, …)", "rename the file"));
        }
        if text.contains('\\') {
            return Err(refuse("holds a backslash", "separate folders by '/', and keep '\\' out of names"));
        }
        if text.starts_with('/') || has_drive(text) {
            return Err(refuse("is absolute", "pack from inside the workspace: tar -C WORKSPACE ."));
        }
        let is_folder = text.ends_with('/') || text == ".";
        let parts = parts(text);
        for part in &parts {
            match *part {
                ".." => return Err(refuse("leads out of its folder (..)", "pack from inside the workspace")),
                "" | "." => return Err(refuse("holds an empty part (// or /./)", "pack with plain relative names")),
                part if part.len() > LONGEST_PART => {
                    return Err(refuse("has a part of more than 255 bytes", "give it a shorter name"));
                }
                _ => {}
            }
        }
        if parts.len() > DEEPEST || text.len() > LONGEST_NAME {
            return Err(refuse("is too long: at most 32 folders and 1024 bytes", "put the file nearer to the top"));
        }
        Ok(Self { path: parts.join("/"), is_folder })
    }

    /// Relative to the folder; empty for the folder itself.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The folders above it, the outermost first.
    pub(super) fn parents(&self) -> impl Iterator<Item = &str> {
        self.path.match_indices('/').map(|(at, _)| &self.path[..at])
    }
}

/// `./a/b/` is `a`, `b`; dots are common only at the front, and only one slash at the end.
fn parts(text: &str) -> Vec<&str> {
    let text = text.strip_suffix('/').unwrap_or(text);
    let text = text.strip_prefix("./").unwrap_or(text);
    if text == "." { Vec::new() } else { text.split('/').collect() }
}

/// `C:` means a disk to some.
fn has_drive(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic()) && bytes.next() == Some(b':')
}

/// An entry that is not taken, by its name.
pub(super) fn refused(name: &[u8], why: &str) -> ScoreError {
    let shown = shown(name);
    bad(format!("the archive's entry '{shown}' is refused: {why}")).file(shown)
}

/// A name as an error may show it: one line, no control characters, not long.
fn shown(name: &[u8]) -> String {
    let escaped = match std::str::from_utf8(name) {
        Ok(text) => text.escape_debug().to_string(),
        Err(_) => name.escape_ascii().to_string(),
    };
    match escaped.char_indices().nth(LONGEST_SHOWN) {
        Some((cut, _)) => format!("{}…", &escaped[..cut]),
        None => escaped,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names_are_taken() {
        for (name, path, is_folder) in [
            ("meta.json", "meta.json", false),
            ("./meta.json", "meta.json", false),
            ("input/", "input", true),
            ("./", "", true),
            (".", "", true),
            ("input/Größe 1.csv", "input/Größe 1.csv", false),
            ("...", "...", false),
            ("a..b", "a..b", false),
        ] {
            let parsed = EntryName::parse(name.as_bytes()).unwrap();
            assert_eq!((parsed.path(), parsed.is_folder), (path, is_folder), "{name}");
        }
        let deep = EntryName::parse(b"a/b/c").unwrap();
        assert_eq!(deep.parents().collect::<Vec<_>>(), ["a", "a/b"]);
    }

    #[test]
    fn names_that_lead_elsewhere_or_mislead_are_refused() {
        let long = "x".repeat(256);
        let deep = "d/".repeat(32) + "f";
        let names: [&[u8]; 23] = [
            b"",
            b"/",
            b"/etc/passwd",
            b"//x",
            b"..",
            b"../x",
            b"a/../x",
            b"a/..",
            b"a//b",
            b"a/./b",
            b"././x",
            b".//",
            b"a\\b",
            b"..\\x",
            b"C:/x",
            b"c:x",
            b"a\0b",
            b"a\rb",
            b"a\nb",
            b"\x1b[31m",
            b"caf\xe9",
            long.as_bytes(),
            deep.as_bytes(),
        ];
        for name in names {
            let error = EntryName::parse(name).unwrap_err();
            assert!(error.details.hint.is_some(), "{error}");
            assert!(!error.message.chars().any(char::is_control), "{error}");
            assert!(error.message.contains(": its name "), "{error}");
        }
        assert!(EntryName::parse("x".repeat(255).as_bytes()).is_ok());
        assert!(EntryName::parse(("d/".repeat(31) + "f").as_bytes()).is_ok());
    }

    #[test]
    fn a_refusal_shows_a_hostile_name_escaped_and_cut() {
        let error = EntryName::parse(b"a\r\nX-Evil: 1").unwrap_err();
        assert!(error.message.contains("'a\\r\\nX-Evil: 1'"), "{error}");
        let error = EntryName::parse("/".repeat(5000).as_bytes()).unwrap_err();
        assert!(error.message.len() < 300, "{error}");
    }
}
