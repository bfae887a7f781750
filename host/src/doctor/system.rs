//! What the kernel gives: confinement, limits, watching.

use std::fs;

use rustix::process::{Resource, getrlimit};

use super::{Examination, Finding};
use crate::isolate::{Limits, confine};

/// Looks at the system.
pub fn check(_: &Examination<'_>) -> Vec<Finding> {
    look()
}

/// The same where there are no settings.
pub fn look() -> Vec<Finding> {
    let mut findings = confinement();
    findings.extend([open_files(), watching()]);
    findings
}

fn confinement() -> Vec<Finding> {
    let remedy = "use a kernel with Landlock and seccomp (5.13 or later, lsm=landlock), or run trusted scorers only";
    let gaps: Vec<_> = confine::missing().into_iter().map(|gap| Finding::warning("confinement", gap, remedy)).collect();
    if gaps.is_empty() {
        return vec![Finding::fine("confinement", "Landlock and seccomp bind custom scorers")];
    }
    gaps
}

fn open_files() -> Finding {
    let wanted = Limits::default().open_files;
    match getrlimit(Resource::Nofile).current {
        Some(limit) if limit < wanted => Finding::warning(
            "open files",
            format!("at most {limit}, fewer than the {wanted} that a scorer may have"),
            format!("raise the limit: ulimit -n {wanted}"),
        ),
        Some(limit) => Finding::fine("open files", format!("at most {limit}")),
        None => Finding::fine("open files", "no limit"),
    }
}

fn watching() -> Finding {
    let limit = |name: &str| {
        let text = fs::read_to_string(format!("/proc/sys/fs/inotify/{name}")).unwrap_or_default();
        if text.trim().is_empty() { "?".to_owned() } else { text.trim().to_owned() }
    };
    let limits = format!("{} instances, {} watches", limit("max_user_instances"), limit("max_user_watches"));
    match notify::recommended_watcher(|_| {}) {
        Ok(_) => Finding::fine("watching folders", limits),
        Err(error) => Finding::warning(
            "watching folders",
            format!("inotify cannot be used ({limits}): {error}; changes are seen a little later"),
            "raise fs.inotify.max_user_instances with sysctl",
        ),
    }
}
