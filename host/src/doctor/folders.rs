//! The settings file and the folders that the host uses.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use rustix::fs::{Access, access, statvfs};

use super::{Examination, Finding};
use crate::load::private;
use crate::settings::FILE;

/// Less space than this is not enough for a copy of the built-in libraries and a result.
const LITTLE: u64 = 256 << 20;

/// Looks at the folders.
pub fn check(seen: &Examination<'_>) -> Vec<Finding> {
    let store = &seen.settings.loader.store;
    let mut findings = vec![settings_file(seen), custom(&seen.settings.custom_scorers), store_folder(store)];
    findings.extend(space("space for copies", store));
    findings
}

fn settings_file(seen: &Examination<'_>) -> Finding {
    let file = seen.args.config.as_deref().unwrap_or(Path::new(FILE));
    let found = if file.exists() { file.display().to_string() } else { format!("none ({FILE} is not here)") };
    Finding::fine("settings file", found)
}

fn custom(folder: &Path) -> Finding {
    let (subject, name) = ("custom scorers", folder.display());
    if !folder.exists() {
        return Finding::fine(subject, format!("{name}, which is not there; once it is, it is followed"));
    }
    match fs::read_dir(folder) {
        Ok(_) => Finding::fine(subject, name.to_string()),
        Err(error) => Finding::broken(subject, format!("{name} cannot be read: {error}"), "mend its permissions"),
    }
}

/// Whether libraries can be copied to where they are opened.
pub(super) fn store_folder(folder: &Path) -> Finding {
    let (subject, name) = ("store", folder.display());
    let remedy = "make it a folder of your own that nobody else may write to, or choose another with --store";
    let Some(there) = nearest(folder) else {
        return Finding::broken(subject, format!("{name} cannot be made"), remedy);
    };
    if let Err(error) = access(there, Access::WRITE_OK | Access::EXEC_OK) {
        return Finding::broken(subject, format!("{name}: {} cannot be written to: {error}", there.display()), remedy);
    }
    if there != folder {
        // Some folders let nobody make anything in them, whatever their permissions say.
        return match try_out(folder, there) {
            Ok(()) => Finding::fine(subject, format!("{name}, which is made when it is needed")),
            Err(error) => Finding::broken(subject, format!("{name} cannot be made: {error}"), remedy),
        };
    }
    match private(folder) {
        Ok(()) => Finding::fine(subject, format!("{name}, private")),
        Err(error) => Finding::broken(subject, format!("{name} is not used: {error}"), remedy),
    }
}

/// Makes a folder and takes it away again, with those above it that were not there.
fn try_out(folder: &Path, there: &Path) -> io::Result<()> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    for path in folder.ancestors().take_while(|path| *path != there && !path.as_os_str().is_empty()) {
        // Somebody else may have begun to use it meanwhile.
        _ = fs::remove_dir(path);
    }
    made
}

/// How much room is left for a folder.
pub(super) fn space(subject: &str, folder: &Path) -> Option<Finding> {
    let disk = statvfs(nearest(folder)?).ok()?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    let found = format!("{} MiB", free >> 20);
    Some(if free < LITTLE {
        Finding::warning(
            subject,
            format!("only {found} for {}", folder.display()),
            "free some, or choose another folder",
        )
    } else {
        Finding::fine(subject, found)
    })
}

/// The path, or the deepest folder above it that exists.
fn nearest(path: &Path) -> Option<&Path> {
    let here = Path::new(".");
    path.ancestors().map(|path| if path.as_os_str().is_empty() { here } else { path }).find(|path| path.exists())
}
