//! Opening a library: where foreign code is mapped and called. With `open_c.rs` the host's only unsafe code.
//!
//! Invariants: only private copies that passed the check are opened; a library is never closed, because abi_stable's
//! layout checker keeps references into it.
#![allow(unsafe_code)]

use std::mem::ManuallyDrop;
use std::path::Path;

use abi_stable::StableAbi;
use abi_stable::abi_stability::abi_checking::check_layout_compatibility;
use abi_stable::library::{AbiHeaderRef, LibHeader, ROOT_MODULE_LOADER_NAME_WITH_NUL, RootModule};
use abi_stable::sabi_types::VersionNumber;
use autoscorer_plugin_api::abi::{Host, HostServices, PluginRef, read_reply};
use autoscorer_plugin_api::error::ScoreError;
use autoscorer_plugin_api::metadata::{Abi, Description, Metadata};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::c_plugin::CPlugin;
use super::refusal::Finding;
use crate::isolate::protocol::Entry;

/// An open library, ready to be called.
pub enum Plugin {
    /// Made by `export_scorers!`.
    Rust(PluginRef),
    /// In any language, with the table of `autoscorer_plugin.h`.
    C(CPlugin),
}

impl Plugin {
    /// Maps a private copy, checks that both sides mean the same by what crosses the boundary, and lets every scorer
    /// describe itself.
    pub fn open(path: &Path, metadata: &Metadata) -> Result<Self, Finding> {
        let library = map(path)?;
        let plugin = match metadata.abi {
            Abi::Rust => Self::Rust(root_module(&library)?),
            Abi::C => Self::C(CPlugin::open(&library, metadata)?),
        };
        plugin.verify(metadata)?;
        Ok(plugin)
    }

    /// What the library says about itself when it runs, compared with what its metadata said before.
    fn verify(&self, metadata: &Metadata) -> Result<(), Finding> {
        for (index, expected) in (0..).zip(&metadata.scorers) {
            let described = self.describe(index).map_err(|error| {
                let location = error.details.more.get("location").and_then(|value| value.as_str());
                let place = location.map(|location| format!(" ({location})")).unwrap_or_default();
                Finding::new(
                    format!("scorer '{}' that fails to describe itself: {}{place}", expected.id, error.message),
                    "a description",
                    "mend the scorer's describe or its parameters' defaults, and build it again",
                )
            })?;
            if described != *expected {
                return Err(rebuild(two_faced(expected, &described), "the description of the metadata"));
            }
        }
        Ok(())
    }

    /// See [`autoscorer_plugin_api::abi::Plugin::describe`].
    fn describe(&self, scorer: u32) -> Result<Description, ScoreError> {
        match self {
            Self::Rust(module) => read_reply(module.describe()(scorer).into()),
            Self::C(plugin) => plugin.describe(scorer),
        }
    }

    /// Calls a scorer: a request as JSON text in, an answer or an error as JSON text out.
    pub fn call(
        &self,
        entry: Entry,
        scorer: u32,
        request: &str,
        services: &dyn HostServices,
    ) -> Result<String, String> {
        match self {
            Self::Rust(module) => call_module(*module, entry, scorer, request, services),
            Self::C(plugin) => plugin.call(entry, scorer, request, services),
        }
    }
}

/// Libraries of API 1.0 cannot validate: they find no faults.
fn call_module(
    module: PluginRef,
    entry: Entry,
    scorer: u32,
    request: &str,
    services: &dyn HostServices,
) -> Result<String, String> {
    let entry = match entry {
        Entry::Score => module.score(),
        Entry::Validate => match module.validate() {
            Some(validate) => validate,
            None => return Ok(NO_FAULTS.to_owned()),
        },
    };
    let reply = entry(scorer, request.into(), Host::lend(&services));
    reply.map(String::from).map_err(String::from).into()
}

/// How a scorer's description differs from its metadata.
fn two_faced(expected: &Description, described: &Description) -> String {
    let name = |scorer: &Description| format!("'{} {}'", scorer.id, scorer.version);
    if name(expected) != name(described) {
        return format!("scorer {} that describes itself as {}", name(expected), name(described));
    }
    let differs = [
        ("summary", expected.summary != described.summary),
        ("algorithm", expected.algorithm != described.algorithm),
        ("params", expected.params != described.params),
        ("network", expected.network != described.network),
    ];
    let differing: Vec<&str> = differs.iter().filter(|(_, differs)| *differs).map(|(member, _)| *member).collect();
    format!("scorer {} that describes itself with other {}", name(expected), differing.join(", "))
}

/// [`Faults`](autoscorer_plugin_api::faults::Faults) as JSON, when there are none.
const NO_FAULTS: &str = r#"{"list":[],"total":0}"#;

/// Maps a library, for as long as the process lives.
fn map(path: &Path) -> Result<ManuallyDrop<Library>, Finding> {
    // SAFETY: running the library's constructors is what loading a plugin means; the file is a private copy that passed
    // the check, and for foreign files a child process has opened it before.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    library.map(ManuallyDrop::new).map_err(|error| not_opened(path, &error))
}

fn root_module(library: &Library) -> Result<PluginRef, Finding> {
    let header = header(library)?;
    check_layout(header)?;
    // SAFETY: the layouts were compared just above. A field that an older library lacks is seen to be missing by the
    // prefix type's accessor.
    unsafe { header.unchecked_layout::<PluginRef>() }.map_err(|error| {
        rebuild(format!("a library whose root module fails: {}", first_line(&error.to_string())), "a root module")
    })
}

fn header(library: &Library) -> Result<&'static LibHeader, Finding> {
    // SAFETY: the symbol is the static that `export_scorers!` defines, whose address is what the reference wants; its
    // magic bytes are compared by `upgrade` before anything else is read.
    let symbol = unsafe { library.get::<AbiHeaderRef>(ROOT_MODULE_LOADER_NAME_WITH_NUL.as_bytes()) };
    let header = symbol
        .map(|symbol| *symbol)
        .map_err(|_| rebuild("a library without abi_stable's root module", "a library made with export_scorers!"))?;
    header.upgrade().map_err(|error| rebuild(first_line(&error.to_string()), "a library built with abi_stable 0.11"))
}

fn not_opened(path: &Path, error: &libloading::Error) -> Finding {
    // libloading keeps the dynamic loader's own words one level down.
    let text = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    // The user knows the file by its own name, not by that of the private copy.
    let reason = text.replace(&format!("{}: ", path.display()), "");
    let help = if reason.contains("cannot open shared object file") {
        "install the library it needs, or link it statically, and build it again"
    } else if reason.contains("Operation not permitted") {
        "the store may be on a disk mounted with noexec: choose another folder with --store"
    } else {
        "the dynamic loader's own words are above: build the library again on this system"
    };
    Finding::new(
        format!("a library that cannot be opened: {reason}"),
        "a library whose dependencies are all here",
        help,
    )
}

/// An older minor version has fewer fields than ours, so there ours is the implementation of its interface; abi_stable's
/// own entry knows only the other direction.
fn check_layout(header: &LibHeader) -> Result<(), Finding> {
    let version = |strings: abi_stable::sabi_types::VersionStrings| strings.parsed().ok();
    let (ours, theirs) = (version(PluginRef::VERSION_STRINGS), version(header.version_strings()));
    let (Some(ours), Some(theirs)) = (ours, theirs) else {
        return Err(rebuild("a library whose API version does not parse", "a version like 1.0.0"));
    };
    if ours.major != theirs.major {
        return Err(rebuild(format!("a library built against API {theirs}"), format!("API {}.x", ours.major)));
    }
    let Some(layout) = header.layout() else {
        return Err(rebuild("a library without type layouts", "a library made with export_scorers!"));
    };
    let older = |a: VersionNumber, b: VersionNumber| a.minor < b.minor;
    let (interface, implementation) =
        if older(theirs, ours) { (layout, PluginRef::LAYOUT) } else { (PluginRef::LAYOUT, layout) };
    check_layout_compatibility(interface, implementation).map_err(|errors| {
        rebuild(
            format!("types that are not this host's: {}", first_difference(&errors.to_string())),
            format!("the types of API {ours}"),
        )
    })
}

pub(super) fn rebuild(found: impl Into<String>, expected: impl Into<String>) -> Finding {
    Finding::new(found, expected, "build it again with the plugin API of this host, unchanged")
}

/// abi_stable prints whole layouts, tens of kilobytes; what helps is the first thing that differs.
fn first_difference(text: &str) -> String {
    let Some(start) = text.find("Error:") else { return first_line(text) };
    let block = &text[start + "Error:".len()..];
    let end = block.find("\n0 error(s)").or_else(|| block[1..].find("Error:").map(|at| at + 1)).unwrap_or(block.len());
    let words: Vec<&str> = block[..end].split_whitespace().collect();
    let mut line = words.join(" ").replace(" Expected: ", "; expected ").replace(" Found: ", ", found ");
    if line.chars().count() > 300 {
        line = line.chars().take(300).chain(['…']).collect();
    }
    line
}

fn first_line(text: &str) -> String {
    text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned()
}
