//! What a worker does to itself before it runs foreign code, with what the kernel gives an ordinary user.
//!
//! For the process: limits on files, file sizes, memory and core dumps, and a seccomp filter against processes, signals to
//! others and the network. For the thread that runs a call: Landlock, against writing anywhere but to one folder. Threads
//! that the scorer starts inherit both.

use std::collections::BTreeMap;
use std::path::Path;

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetStatus,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

use super::limits::Limits;

/// Write rights as of this version of Landlock; an older kernel enforces those it knows.
const LANDLOCK: ABI = ABI::V5;

/// Confines the process: once, before anything foreign is opened.
pub fn process(limits: &Limits, network: bool) -> Result<(), String> {
    set(Resource::Core, 0)?;
    set(Resource::Nofile, limits.open_files)?;
    call(limits)?;
    for filter in filters(network)? {
        seccompiler::apply_filter(&filter).map_err(|error| format!("seccomp: {error}"))?;
    }
    Ok(())
}

/// Sets what may differ from call to call.
pub fn call(limits: &Limits) -> Result<(), String> {
    set(Resource::Fsize, limits.artifact_bytes)?;
    set(Resource::Data, limits.memory)
}

/// A confinement for one thread, prepared before it is known which folder it may write to.
pub struct ThreadConfinement(RulesetCreated);

impl ThreadConfinement {
    /// Prepares one.
    pub fn prepare() -> Result<Self, String> {
        let prepare = || -> Result<RulesetCreated, Box<dyn std::error::Error>> {
            let rules = Ruleset::default()
                .set_compatibility(CompatLevel::BestEffort)
                .handle_access(AccessFs::from_write(LANDLOCK))?
                .create()?;
            Ok(rules.add_rule(PathBeneath::new(PathFd::new("/dev/null")?, AccessFs::WriteFile))?)
        };
        prepare().map(Self).map_err(|error| format!("landlock: {error}"))
    }

    /// Confines the calling thread, and those it starts, to writing into this folder.
    pub fn apply(self, writable: Option<&Path>) -> Result<(), String> {
        let apply = || -> Result<(), Box<dyn std::error::Error>> {
            let rules = match writable {
                Some(folder) => {
                    self.0.add_rule(PathBeneath::new(PathFd::new(folder)?, AccessFs::from_write(LANDLOCK)))?
                }
                None => self.0,
            };
            rules.restrict_self()?;
            Ok(())
        };
        apply().map_err(|error| format!("landlock: {error}"))
    }
}

/// What this system cannot enforce, in words for whoever starts the host. Tried out on a thread of its own.
pub fn missing() -> Vec<String> {
    let landlock = std::thread::spawn(|| {
        let rules = Ruleset::default().handle_access(AccessFs::from_write(LANDLOCK)).and_then(Ruleset::create);
        rules.and_then(RulesetCreated::restrict_self).map(|status| status.ruleset)
    });
    let mut missing = Vec::new();
    match landlock.join() {
        Ok(Ok(RulesetStatus::FullyEnforced)) => {}
        Ok(Ok(RulesetStatus::PartiallyEnforced)) => {
            missing.push(
                "this kernel's Landlock is older: some ways of changing files outside output/ stay open to scorers"
                    .to_owned(),
            );
        }
        _ => missing.push("this kernel has no Landlock: scorers may write outside output/".to_owned()),
    }
    if !Path::new("/proc/sys/kernel/seccomp/actions_avail").exists() {
        missing.push("this kernel has no seccomp filters: scorers may start processes and use the network".to_owned());
    }
    missing
}

/// Lowers the soft limit, and never raises it above the hard one.
fn set(resource: Resource, value: u64) -> Result<(), String> {
    let maximum = getrlimit(resource).maximum;
    let current = maximum.map_or(value, |maximum| maximum.min(value));
    let hard = if resource == Resource::Core { Some(0) } else { maximum };
    setrlimit(resource, Rlimit { current: Some(current), maximum: hard })
        .map_err(|error| format!("{resource:?}: {error}"))
}

/// Everything is allowed but: new processes (threads are none), other programs, signals and debugging of other processes,
/// and, unless the scorer asked for it, sockets that lead out of the machine.
fn filters(network: bool) -> Result<[BpfProgram; 2], String> {
    let own = u64::from(std::process::id());
    let not_a_thread = condition(0, SeccompCmpOp::MaskedEq(libc::CLONE_THREAD as u64), 0);
    let to_others = || [condition(0, SeccompCmpOp::Ne, own), condition(0, SeccompCmpOp::Ne, 0)];
    let not_local = condition(0, SeccompCmpOp::Ne, libc::AF_UNIX as u64);
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::from([
        (libc::SYS_clone, vec![rule([not_a_thread])?]),
        (libc::SYS_kill, vec![rule(to_others())?]),
        (libc::SYS_tkill, Vec::new()),
        (libc::SYS_tgkill, vec![rule(to_others())?]),
    ]);
    let never = [
        libc::SYS_execve,
        libc::SYS_execveat,
        libc::SYS_ptrace,
        libc::SYS_process_vm_writev,
        libc::SYS_pidfd_send_signal,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_fork,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_vfork,
    ];
    rules.extend(never.map(|call| (call, Vec::new())));
    if !network {
        rules.insert(libc::SYS_socket, vec![rule([not_local])?]);
    }
    // clone3 hides its flags from filters; told that there is none, the C library uses clone.
    let absent = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    Ok([
        compile(rules, SeccompAction::Errno(libc::EPERM as u32))?,
        compile(absent, SeccompAction::Errno(libc::ENOSYS as u32))?,
    ])
}

fn compile(rules: BTreeMap<i64, Vec<SeccompRule>>, action: SeccompAction) -> Result<BpfProgram, String> {
    let architecture = if cfg!(target_arch = "aarch64") { TargetArch::aarch64 } else { TargetArch::x86_64 };
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, architecture);
    filter.and_then(BpfProgram::try_from).map_err(|error| format!("seccomp: {error}"))
}

fn rule(conditions: impl IntoIterator<Item = Result<SeccompCondition, String>>) -> Result<SeccompRule, String> {
    let conditions = conditions.into_iter().collect::<Result<Vec<_>, _>>()?;
    SeccompRule::new(conditions).map_err(|error| format!("seccomp: {error}"))
}

fn condition(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompCondition, String> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
        .map_err(|error| format!("seccomp: {error}"))
}
