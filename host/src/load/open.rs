//! Opening a library: the one place of the host where foreign code is mapped and called. Its only unsafe code.
//!
//! Invariants: only private copies that passed the check are opened; a library is never closed, because abi_stable's
//! layout checker keeps references into it.
#![allow(unsafe_code)]

use std::path::Path;

use abi_stable::StableAbi;
use abi_stable::abi_stability::abi_checking::check_layout_compatibility;
use abi_stable::library::{AbiHeaderRef, LibHeader, ROOT_MODULE_LOADER_NAME_WITH_NUL, RootModule};
use abi_stable::sabi_types::VersionNumber;
use autoscorer_plugin_api::abi::{Host, HostServices, PluginRef, read_reply};
use autoscorer_plugin_api::error::ScoreError;
use autoscorer_plugin_api::metadata::{Description, Metadata};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use super::refusal::Finding;
use crate::isolate::protocol::Entry;

/// An open library, ready to be called.
#[derive(Clone, Copy)]
pub struct Plugin {
    module: PluginRef,
}

impl Plugin {
    /// Maps a private copy and checks that both sides mean the same by every type that crosses the boundary.
    pub fn open(path: &Path) -> Result<Self, Finding> {
        let header = header(path)?;
        check_layout(header)?;
        // SAFETY: the layouts were compared just above. A field that an older library lacks is seen to be missing by the
        // prefix type's accessor.
        let module = unsafe { header.unchecked_layout::<PluginRef>() }.map_err(|error| {
            rebuild(format!("a library whose root module fails: {}", first_line(&error.to_string())), "a root module")
        })?;
        Ok(Self { module })
    }

    /// What the library says about itself when it runs, compared with what its metadata said before.
    pub fn verify(&self, metadata: &Metadata) -> Result<(), Finding> {
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
                return Err(rebuild(
                    format!(
                        "scorer '{} {}' that describes itself as '{} {}'",
                        expected.id, expected.version, described.id, described.version
                    ),
                    "the description of the metadata",
                ));
            }
        }
        Ok(())
    }

    /// See [`autoscorer_plugin_api::abi::Plugin::describe`].
    fn describe(&self, scorer: u32) -> Result<Description, ScoreError> {
        read_reply(self.module.describe()(scorer).into())
    }

    /// Calls a scorer: a request as JSON text in, an answer or an error as JSON text out. Libraries of API 1.0 cannot
    /// validate: they find no faults.
    pub fn call(
        &self,
        entry: Entry,
        scorer: u32,
        request: &str,
        services: &dyn HostServices,
    ) -> Result<String, String> {
        let entry = match entry {
            Entry::Score => self.module.score(),
            Entry::Validate => match self.module.validate() {
                Some(validate) => validate,
                None => return Ok(NO_FAULTS.to_owned()),
            },
        };
        let reply = entry(scorer, request.into(), Host::lend(&services));
        reply.map(String::from).map_err(String::from).into()
    }
}

/// [`Faults`](autoscorer_plugin_api::faults::Faults) as JSON, when there are none.
const NO_FAULTS: &str = r#"{"list":[],"total":0}"#;

fn header(path: &Path) -> Result<&'static LibHeader, Finding> {
    // SAFETY: running the library's constructors is what loading a plugin means; the file is a private copy that passed
    // the check, and for foreign files a child process has opened it before.
    let library =
        unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map_err(|error| not_opened(path, &error))?;
    // SAFETY: the symbol is the static that `export_scorers!` defines, whose address is what the reference wants; its
    // magic bytes are compared by `upgrade` before anything else is read.
    let symbol = unsafe { library.get::<AbiHeaderRef>(ROOT_MODULE_LOADER_NAME_WITH_NUL.as_bytes()) };
    let header = symbol.map(|symbol| *symbol);
    std::mem::forget(library);
    let header = header
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

fn rebuild(found: impl Into<String>, expected: impl Into<String>) -> Finding {
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
