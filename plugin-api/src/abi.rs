//! The stable ABI: the few types that cross from the host into a library and back. The crate's only unsafe code.
//!
//! It is append-only: prefix types grow at their end, JSON texts grow by members with defaults, and nothing that is
//! here is ever changed or moved within a major version. All calls carry data only; no allocation made on one side is
//! touched on the other except through abi_stable's own types.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};

use abi_stable::StableAbi;
use abi_stable::library::{CheckTypeLayout, LibHeader, RootModule, RootModuleResult};
use abi_stable::prefix_type::{PrefixTypeTrait, WithMetadata};
use abi_stable::sabi_types::VersionStrings;
use abi_stable::std_types::{RResult, RStr, RString};
use serde::Serialize;

use crate::context::{Context, Level, Request};
use crate::error::{ErrorCode, ScoreError};
use crate::panic::guard;
use crate::params::Params;
use crate::scorer::Scorer;

/// JSON text: what was asked for, or a [`ScoreError`].
pub type Reply = RResult<RString, RString>;

/// What a library exports: abi_stable's root module.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = PluginRef, prefix_fields = PluginPrefix)))]
#[sabi(missing_field(option))]
pub struct Plugin {
    /// The text of the metadata section.
    pub metadata: extern "C" fn() -> RStr<'static>,
    /// What the scorer with this index says about itself: [`Description`](crate::metadata::Description) as JSON.
    pub describe: extern "C" fn(u32) -> Reply,
    /// Scores: takes a [`Request`], gives an [`Outcome`](crate::outcome::Outcome), both as JSON.
    #[sabi(last_prefix_field)]
    pub score: extern "C" fn(u32, RStr<'_>, Host<'_>) -> Reply,
    /// Validates: takes a [`Request`], gives [`Faults`](crate::faults::Faults), both as JSON. Since 1.1.
    pub validate: extern "C" fn(u32, RStr<'_>, Host<'_>) -> Reply,
}

impl RootModule for PluginRef {
    abi_stable::declare_root_module_statics! {PluginRef}
    const BASE_NAME: &'static str = "autoscorer_plugin";
    const NAME: &'static str = "autoscorer_plugin";
    const VERSION_STRINGS: VersionStrings = abi_stable::package_version_strings!();
}

/// What a library may ask of the host during a call: a table of functions and the host's own handle.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct Host<'h> {
    services: ServicesRef,
    handle: Handle,
    lent: PhantomData<&'h ()>,
}

/// The table of host functions.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(kind(Prefix(prefix_ref = ServicesRef, prefix_fields = ServicesPrefix)))]
#[sabi(missing_field(option))]
pub struct Services {
    /// Level and message.
    pub log: extern "C" fn(Handle, u8, RStr<'_>),
    /// Done and total.
    pub progress: extern "C" fn(Handle, u64, u64),
    /// Whether the job should stop.
    #[sabi(last_prefix_field)]
    pub cancelled: extern "C" fn(Handle) -> bool,
}

/// The host's own pointer, which a library only hands back.
#[repr(transparent)]
#[derive(StableAbi, Clone, Copy)]
pub struct Handle(*const ());

// SAFETY: a handle is made from a `&&dyn HostServices`, and `HostServices` is `Sync`.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

/// What the host implements to serve a call.
pub trait HostServices: Sync {
    /// Takes a log line.
    fn log(&self, level: Level, message: &str);
    /// Takes a progress report.
    fn progress(&self, done: u64, total: u64);
    /// Whether the job should stop.
    fn cancelled(&self) -> bool;
}

impl<'h> Host<'h> {
    /// Lends the host's services to a library for as long as `'h`.
    pub fn lend(services: &'h &'h dyn HostServices) -> Self {
        Self { services: SERVICES, handle: Handle(std::ptr::from_ref(services).cast()), lent: PhantomData }
    }

    pub(crate) fn log(&self, level: Level, message: &str) {
        self.services.log()(self.handle, level as u8, message.into());
    }

    pub(crate) fn progress(&self, done: u64, total: u64) {
        self.services.progress()(self.handle, done, total);
    }

    pub(crate) fn cancelled(&self) -> bool {
        self.services.cancelled()(self.handle)
    }
}

const SERVICES: ServicesRef = {
    const TABLE: &WithMetadata<Services> = &WithMetadata::new(Services { log, progress, cancelled });
    ServicesRef(TABLE.static_as_prefix())
};

extern "C" fn log(handle: Handle, level: u8, message: RStr<'_>) {
    with_services(handle, (), |services| services.log(Level::from(level), message.as_str()));
}

extern "C" fn progress(handle: Handle, done: u64, total: u64) {
    with_services(handle, (), |services| services.progress(done, total));
}

extern "C" fn cancelled(handle: Handle) -> bool {
    with_services(handle, true, |services| services.cancelled())
}

/// A panic in the host's own services must not unwind into the library, where it would end the process.
fn with_services<T>(handle: Handle, otherwise: T, serve: impl FnOnce(&dyn HostServices) -> T) -> T {
    // SAFETY: the handle comes from `Host::lend`, whose borrow outlives the call it was lent to.
    let services: &dyn HostServices = unsafe { *handle.0.cast::<&dyn HostServices>() };
    catch_unwind(AssertUnwindSafe(|| serve(services))).unwrap_or(otherwise)
}

/// What `export_scorers!` says about a library.
pub trait Exports: 'static {
    /// The scorers, in the order of the metadata.
    const SCORERS: &'static [&'static dyn Entry];
    /// The text of the metadata section.
    const METADATA: &'static [u8];
    /// Whether a panic ends the process.
    const PANIC_ABORTS: bool;
}

/// The header that abi_stable looks for in a library.
pub const fn header<E: Exports>() -> LibHeader {
    // SAFETY: `root_module` returns the prefix of a `PluginRef`, the type given here.
    unsafe { LibHeader::from_constructor::<PluginRef>(root_module::<E>, CheckTypeLayout::Yes) }
}

extern "C" fn root_module<E: Exports>() -> RootModuleResult {
    abi_stable::library::__call_root_module_loader(plugin::<E>)
}

fn plugin<E: Exports>() -> PluginRef {
    if E::PANIC_ABORTS {
        crate::panic::keep_default_hook();
    }
    Plugin { metadata: metadata::<E>, describe: describe::<E>, score: score::<E>, validate: validate::<E> }
        .leak_into_prefix()
}

extern "C" fn metadata<E: Exports>() -> RStr<'static> {
    std::str::from_utf8(E::METADATA).unwrap_or_default().into()
}

extern "C" fn describe<E: Exports>(scorer: u32) -> Reply {
    reply(guard("describe", || entry::<E>(scorer)?.describe()))
}

extern "C" fn validate<E: Exports>(scorer: u32, request: RStr<'_>, host: Host<'_>) -> Reply {
    reply(guard("validate", || entry::<E>(scorer)?.validate(request.as_str(), host)))
}

extern "C" fn score<E: Exports>(scorer: u32, request: RStr<'_>, host: Host<'_>) -> Reply {
    reply(guard("score", || entry::<E>(scorer)?.score(request.as_str(), host)))
}

fn entry<E: Exports>(scorer: u32) -> Result<&'static dyn Entry, ScoreError> {
    let entry = E::SCORERS.get(scorer as usize).copied();
    entry.ok_or_else(|| ScoreError::new(ErrorCode::LoadError, format!("this library has no scorer number {scorer}")))
}

fn reply(result: Result<String, ScoreError>) -> Reply {
    match result {
        Ok(text) => RResult::ROk(text.into()),
        Err(error) => RResult::RErr(json(&error).unwrap_or_default().into()),
    }
}

fn json(value: &impl Serialize) -> Result<String, ScoreError> {
    serde_json::to_string(value)
        .map_err(|error| ScoreError::new(ErrorCode::UnhandledError, format!("no JSON: {error}")))
}

/// A scorer with its parameter type erased: JSON in, JSON out.
pub trait Entry: Sync {
    /// See [`Plugin::describe`].
    fn describe(&self) -> Result<String, ScoreError>;
    /// See [`Plugin::validate`].
    fn validate(&self, request: &str, host: Host<'_>) -> Result<String, ScoreError>;
    /// See [`Plugin::score`].
    fn score(&self, request: &str, host: Host<'_>) -> Result<String, ScoreError>;
}

impl<S: Scorer> Entry for S {
    fn describe(&self) -> Result<String, ScoreError> {
        // Defaults that do not fit their types would fail every job: they are found here, when the library is probed.
        S::Params::from_json(serde_json::Map::new())?;
        json(&Scorer::describe(self))
    }

    fn validate(&self, request: &str, host: Host<'_>) -> Result<String, ScoreError> {
        let request = parse(request)?;
        let faults = match S::Params::from_json(request.params.clone()) {
            Ok(params) => Scorer::validate(self, &Context::new(&request, host), &params),
            Err(faults) => faults,
        };
        json(&faults)
    }

    fn score(&self, request: &str, host: Host<'_>) -> Result<String, ScoreError> {
        let request = parse(request)?;
        let params = S::Params::from_json(request.params.clone())?;
        let context = Context::new(&request, host);
        let mut outcome = Scorer::score(self, &context, &params)?;
        outcome.artifacts = context.into_artifacts();
        json(&outcome.checked()?)
    }
}

fn parse(request: &str) -> Result<Request, ScoreError> {
    serde_json::from_str(request).map_err(|error| {
        ScoreError::new(ErrorCode::UnhandledError, format!("the host's request does not parse: {error}"))
    })
}

/// Reads a reply on the host's side.
pub fn read_reply<T: serde::de::DeserializeOwned, S: AsRef<str>>(reply: Result<S, S>) -> Result<T, ScoreError> {
    let unreadable = |error: serde_json::Error| {
        ScoreError::new(ErrorCode::UnhandledError, format!("the library's answer does not parse: {error}"))
    };
    match reply {
        Ok(text) => serde_json::from_str(text.as_ref()).map_err(unreadable),
        Err(text) => Err(serde_json::from_str(text.as_ref()).unwrap_or_else(unreadable)),
    }
}
