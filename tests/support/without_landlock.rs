//! Runs a command as if the kernel had no Landlock, for the tests of what the host says then.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has to fail")]

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::process::Command;

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

fn main() {
    let rules = BTreeMap::from([(libc::SYS_landlock_create_ruleset, Vec::new())]);
    let architecture = if cfg!(target_arch = "aarch64") { TargetArch::aarch64 } else { TargetArch::x86_64 };
    let absent = SeccompAction::Errno(libc::ENOSYS as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, absent, architecture).unwrap();
    seccompiler::apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
    let mut arguments = std::env::args_os().skip(1);
    let error = Command::new(arguments.next().unwrap()).args(arguments).exec();
    std::process::exit(error.raw_os_error().unwrap_or(1));
}
