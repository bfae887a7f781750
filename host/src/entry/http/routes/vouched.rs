//! Files whose content is known: a part of a large one is answered without reading all of it again.

use std::collections::VecDeque;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;

use crate::load::sha256_of;

/// So many files are remembered.
const MOST: usize = 1024;

/// A file that changed later than this before it was read might change again without a trace: clocks of file systems are coarse.
const SETTLED: Duration = Duration::from_secs(2);

/// The sha256 of files, as long as they stay as they are.
pub struct Vouched {
    known: Mutex<VecDeque<(Identity, String)>>,
}

/// What changes whenever the content does.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Identity {
    place: (u64, u64),
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Vouched {
    /// Nothing is known yet.
    pub const fn new() -> Self {
        Self { known: Mutex::new(VecDeque::new()) }
    }

    /// The sha256 of an open file.
    pub fn sha256(&self, file: &File, metadata: &Metadata) -> io::Result<String> {
        let identity = Identity::of(metadata);
        if let Some(known) = self.find(&identity) {
            return Ok(known);
        }
        let is_settled = identity.is_settled();
        let sha256 = sha256_of(file)?;
        if is_settled && Identity::of(&file.metadata()?) == identity {
            self.remember(identity, sha256.clone());
        }
        Ok(sha256)
    }

    fn find(&self, identity: &Identity) -> Option<String> {
        self.known.lock().iter().find(|(known, _)| known == identity).map(|(_, sha256)| sha256.clone())
    }

    fn remember(&self, identity: Identity, sha256: String) {
        let mut known = self.known.lock();
        known.truncate(MOST - 1);
        known.push_front((identity, sha256));
    }
}

impl Identity {
    fn of(metadata: &Metadata) -> Self {
        Self {
            place: (metadata.dev(), metadata.ino()),
            size: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    fn is_settled(&self) -> bool {
        let changed = Duration::from_secs(u64::try_from(self.changed.0).unwrap_or(0));
        SystemTime::UNIX_EPOCH.elapsed().is_ok_and(|now| now.saturating_sub(changed) > SETTLED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_known_is_not_read_again_until_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let put = |text: &str| fs::write(&path, text).unwrap();
        let vouched = Vouched::new();
        let ask = || {
            let file = File::open(&path).unwrap();
            let metadata = file.metadata().unwrap();
            (vouched.sha256(&file, &metadata).unwrap(), Identity::of(&metadata))
        };
        put("one");
        let (one, identity) = ask();
        assert!(vouched.find(&identity).is_none(), "it may change again within a tick of the clock");
        vouched.remember(identity, "known".to_owned());
        assert_eq!(ask().0, "known");
        put("four");
        let four = ask().0;
        assert!(four != "known" && four != one);
        let old = Identity { changed: (1, 0), ..ask().1 };
        assert!(old.is_settled());
        (0..2 * MOST).for_each(|_| vouched.remember(old.clone(), String::new()));
        assert_eq!(vouched.known.lock().len(), MOST);
    }
}
