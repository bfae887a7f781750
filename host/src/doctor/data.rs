//! The daemon's data folder: there, its own, and with room.

use std::os::unix::fs::MetadataExt;

use rustix::fs::{Access, access};

use super::{Examination, Finding, folders};
use crate::load::private;

/// Looks at the folder.
pub fn check(seen: &Examination<'_>) -> Vec<Finding> {
    let folder = &seen.serve.data;
    if !seen.has_data() {
        return vec![Finding::fine("daemon", format!("no daemon's data here ({} is not there)", folder.display()))];
    }
    let mut findings = vec![look(seen)];
    findings.extend(folders::space("space for the daemon", folder));
    findings
}

fn look(seen: &Examination<'_>) -> Finding {
    let (subject, folder) = ("daemon's data", &seen.serve.data);
    let name = folder.display();
    if !folder.is_dir() {
        let found = format!("{name} is no folder");
        return Finding::broken(subject, found, "move it away, or choose another folder with --data");
    }
    if let Err(error) = access(folder, Access::READ_OK | Access::WRITE_OK | Access::EXEC_OK) {
        let remedy = "run the daemon, and this, as the user it belongs to, or choose another folder with --data";
        return Finding::broken(subject, format!("{name} cannot be written to: {error}"), remedy);
    }
    if let Err(error) = private(folder) {
        let remedy = format!("make it the daemon's own: chown it to its user, and chmod 700 {name}");
        return Finding::broken(subject, format!("{name}: {error}"), remedy);
    }
    match folder.metadata() {
        Ok(metadata) if metadata.mode() & 0o055 != 0 => Finding::warning(
            subject,
            format!("{name}: others may look into it, and into what was uploaded"),
            format!("chmod 700 {name}"),
        ),
        _ => Finding::fine(subject, format!("{name}, private")),
    }
}
