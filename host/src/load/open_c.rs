//! The boundary to other languages: `autoscorer_plugin.h` from the host's side. With `open.rs` the host's only unsafe code.
//!
//! A library that keeps the host's functions, or a call's number, beyond its call finds the functions where they were and
//! the number gone: a number is looked up, never followed like a pointer.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::mem::size_of;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use autoscorer_plugin_api::abi::HostServices;
use autoscorer_plugin_api::context::{Level, Request};
use autoscorer_plugin_api::error::{ErrorCode, ScoreError};
use libloading::os::unix::Library;
use parking_lot::{Mutex, RwLock};
use serde_json::Value;

use super::c_call::{CCall, MAX_ANSWER};
use super::open::rebuild;
use super::refusal::Finding;

const MAGIC: u64 = u64::from_le_bytes(*b"AUTOSCOR");
const VERSION: u32 = 1;
const OK: i32 = 0;
const ERROR: i32 = -1;

/// A longer text of a log line or a fault is cut.
const LONGEST: usize = 8 << 10;

/// An entry. A C++ exception that leaves one unwinds into Rust, whose runtime then ends the worker.
pub type EntryFunction = unsafe extern "C-unwind" fn(*const CHost, *const CRequest) -> i32;

#[repr(C)]
struct Head {
    magic: u64,
    version: u32,
    struct_size: u32,
}

/// `struct autoscorer_plugin`.
#[repr(C)]
struct Table {
    head: Head,
    describe: Option<EntryFunction>,
    validate: Option<EntryFunction>,
    score: Option<EntryFunction>,
}

/// `struct autoscorer_request`.
#[repr(C)]
pub struct CRequest {
    struct_size: u32,
    scorer: u32,
    call: u64,
    workspace: *const c_char,
    params: *const c_char,
    artifacts: *const c_char,
    time_left_ms: i64,
}

/// `struct autoscorer_host`.
#[repr(C)]
pub struct CHost {
    version: u32,
    struct_size: u32,
    answer: unsafe extern "C" fn(u64, *const c_char, usize) -> i32,
    fault: unsafe extern "C" fn(u64, *const c_char, *const c_char, *const c_char, u64, *const c_char) -> i32,
    artifact: unsafe extern "C" fn(u64, *const c_char, *const c_char, *const c_void, usize) -> i32,
    param: unsafe extern "C" fn(u64, *const c_char, *mut c_char, usize) -> i64,
    log: unsafe extern "C" fn(u64, i32, *const c_char) -> i32,
    progress: extern "C" fn(u64, u64, u64) -> i32,
    cancelled: extern "C" fn(u64) -> i32,
}

static HOST: CHost = CHost {
    version: VERSION,
    struct_size: size_of::<CHost>() as u32,
    answer,
    fault,
    artifact,
    param,
    log,
    progress,
    cancelled,
};

/// The functions of a library.
pub struct Functions {
    /// Says what a scorer is.
    pub describe: EntryFunction,
    /// Finds faults, where the library can.
    pub validate: Option<EntryFunction>,
    /// Scores.
    pub score: EntryFunction,
}

impl Functions {
    /// Takes those of an open library.
    pub fn of(library: &Library) -> Result<Self, Finding> {
        let table = table(library)?;
        match (table.describe, table.score) {
            (Some(describe), Some(score)) => Ok(Self { describe, validate: table.validate, score }),
            (describe, _) => {
                let missing = if describe.is_none() { "describe" } else { "score" };
                Err(rebuild(format!("a table without {missing}"), "the functions describe and score"))
            }
        }
    }
}

fn table(library: &Library) -> Result<Table, Finding> {
    // SAFETY: the header declares the symbol as a function of this type; a library whose symbol is something else
    // breaks in the worker process that tries it out.
    let entry = unsafe { library.get::<unsafe extern "C-unwind" fn() -> *const Table>(b"autoscorer_plugin_v1\0") };
    let entry = entry.map_err(|_| {
        rebuild("a library without the function autoscorer_plugin_v1", "a library made with AUTOSCORER_PLUGIN")
    })?;
    // SAFETY: as above; the function takes nothing.
    let table = unsafe { entry() };
    if table.is_null() || !table.is_aligned() {
        return Err(rebuild("autoscorer_plugin_v1 that gives no table", "a pointer to struct autoscorer_plugin"));
    }
    // SAFETY: not null and aligned; by the header it leads to a table that lives as long as the library, which is never
    // closed. The first 16 bytes have been the same in every version.
    let head = unsafe { table.cast::<Head>().read() };
    check(&head)?;
    // SAFETY: the table says that it is large enough. Every pattern of bits is an `Option` of a function pointer.
    Ok(unsafe { table.read() })
}

fn check(head: &Head) -> Result<(), Finding> {
    if head.magic != MAGIC {
        return Err(rebuild(format!("a table with the magic number {:#018x}", head.magic), format!("{MAGIC:#018x}")));
    }
    if head.version != VERSION {
        return Err(rebuild(format!("a table of version {}", head.version), format!("version {VERSION}")));
    }
    let needed = size_of::<Table>();
    if (head.struct_size as usize) < needed {
        return Err(rebuild(format!("a table of {} bytes", head.struct_size), format!("at least {needed} bytes")));
    }
    Ok(())
}

/// Calls an entry, and gives what it amounts to.
pub fn invoke(
    entry: EntryFunction,
    scorer: u32,
    request: &Request,
    call: CCall,
    services: &dyn HostServices,
) -> Result<String, ScoreError> {
    let workspace = c_text(request.workspace.as_os_str().as_encoded_bytes())?;
    let params = c_text(Value::Object(request.params.clone()).to_string().as_bytes())?;
    let folder = request.artifacts.as_ref().map(|folder| c_text(folder.as_os_str().as_encoded_bytes())).transpose()?;
    let lent = Lending::new(call, &services);
    let c_request = CRequest {
        struct_size: size_of::<CRequest>() as u32,
        scorer,
        call: lent.number,
        workspace: workspace.as_ptr(),
        params: params.as_ptr(),
        artifacts: folder.as_ref().map_or(ptr::null(), |folder| folder.as_ptr()),
        time_left_ms: request.time_left_ms.and_then(|left| i64::try_from(left).ok()).unwrap_or(-1),
    };
    // SAFETY: the entry comes from a checked table and has this type by the header; both arguments live until it
    // returns. What it does wrong all the same happens in a worker process.
    let returned = unsafe { entry(&raw const HOST, &raw const c_request) };
    let slot = lent.end();
    // SAFETY: flushes the C library's own streams, so that what was printed belongs to this call.
    unsafe { libc::fflush(ptr::null_mut()) };
    slot.call.finish(returned, services.cancelled())
}

fn c_text(bytes: &[u8]) -> Result<CString, ScoreError> {
    CString::new(bytes).map_err(|_| ScoreError::new(ErrorCode::UnhandledError, "a NUL in a text for the scorer"))
}

/// The calls that run.
static CALLS: Mutex<BTreeMap<u64, Arc<Slot>>> = Mutex::new(BTreeMap::new());
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A call, and the host's services for as long as it runs.
struct Slot {
    call: CCall,
    services: RwLock<Option<Services>>,
}

/// A pointer to a `&dyn HostServices`.
struct Services(*const c_void);

// SAFETY: it leads to a shared reference, and `HostServices` is `Sync`.
unsafe impl Send for Services {}
// SAFETY: as above.
unsafe impl Sync for Services {}

/// Services that a call may use until this is dropped.
struct Lending<'s> {
    number: u64,
    slot: Arc<Slot>,
    _services: &'s &'s dyn HostServices,
}

impl<'s> Lending<'s> {
    fn new(call: CCall, services: &'s &'s dyn HostServices) -> Self {
        let lent = Services(ptr::from_ref(services).cast());
        let slot = Arc::new(Slot { call, services: RwLock::new(Some(lent)) });
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        CALLS.lock().insert(number, slot.clone());
        Self { number, slot, _services: services }
    }

    fn end(self) -> Arc<Slot> {
        self.slot.clone()
    }
}

impl Drop for Lending<'_> {
    fn drop(&mut self) {
        CALLS.lock().remove(&self.number);
        // Waits for functions that other threads are in.
        *self.slot.services.write() = None;
    }
}

/// Does something for a call that runs, and nothing for one that does not.
fn with<T>(number: u64, otherwise: T, serve: impl FnOnce(&CCall, &dyn HostServices) -> T) -> T {
    let Some(slot) = CALLS.lock().get(&number).cloned() else { return otherwise };
    let services = slot.services.read();
    let Some(Services(services)) = *services else { return otherwise };
    // SAFETY: made from a reference that `Lending` borrows; the lock held here keeps `Lending` from ending.
    let services: &dyn HostServices = unsafe { *services.cast::<&dyn HostServices>() };
    serve(&slot.call, services)
}

fn status(done: bool) -> i32 {
    if done { OK } else { ERROR }
}

unsafe extern "C" fn answer(call: u64, json: *const c_char, size: usize) -> i32 {
    with(call, ERROR, |call, _| {
        if json.is_null() || size > MAX_ANSWER {
            return status(call.misuse(match json.is_null() {
                true => "gave an answer that is NULL".to_owned(),
                false => format!("gave an answer of {size} bytes, where at most {MAX_ANSWER} are taken"),
            }));
        }
        // SAFETY: the header asks for a pointer to so many bytes; the size was checked above.
        status(call.answer(unsafe { std::slice::from_raw_parts(json.cast(), size) }))
    })
}

unsafe extern "C" fn fault(
    call: u64,
    code: *const c_char,
    message: *const c_char,
    file: *const c_char,
    line: u64,
    hint: *const c_char,
) -> i32 {
    // SAFETY: the header asks for texts that end with a NUL, or NULL.
    let [code, message, file, hint] = [code, message, file, hint].map(|given| unsafe { text(given) });
    with(call, ERROR, |call, _| {
        let code = serde_json::from_value(code.unwrap_or_default().into()).unwrap_or(ErrorCode::UnhandledError);
        let mut error = ScoreError::new(code, message.unwrap_or_else(|| "a fault without a message".to_owned()));
        error.details.file = file;
        error.details.line = (line > 0).then_some(line);
        error.details.hint = hint;
        call.fault(error);
        OK
    })
}

unsafe extern "C" fn artifact(
    call: u64,
    name: *const c_char,
    content_type: *const c_char,
    data: *const c_void,
    size: usize,
) -> i32 {
    // SAFETY: the header asks for texts that end with a NUL, or NULL.
    let [name, content_type] = [name, content_type].map(|given| unsafe { text(given) });
    let content_type = content_type.unwrap_or_else(|| "application/octet-stream".to_owned());
    with(call, ERROR, |call, _| {
        if isize::try_from(size).is_err() {
            return status(call.misuse(format!("gave an artifact of {size} bytes")));
        }
        // SAFETY: not NULL, and the header asks for a pointer to so many bytes, which are no more than can be.
        let data = (!data.is_null()).then(|| unsafe { std::slice::from_raw_parts(data.cast(), size) });
        status(call.artifact(&name.unwrap_or_default(), &content_type, data))
    })
}

unsafe extern "C" fn param(call: u64, key: *const c_char, buffer: *mut c_char, size: usize) -> i64 {
    // SAFETY: the header asks for a text that ends with a NUL, or NULL.
    let key = unsafe { text(key) }.unwrap_or_default();
    with(call, ERROR.into(), |call, _| {
        let Some(value) = call.param(&key) else { return ERROR.into() };
        if !buffer.is_null() && size > 0 {
            let fitting = value.len().min(size - 1);
            // SAFETY: the header asks for a buffer of so many bytes; one is left for the NUL.
            unsafe {
                ptr::copy_nonoverlapping(value.as_ptr().cast(), buffer, fitting);
                buffer.add(fitting).write(0);
            }
        }
        value.len() as i64
    })
}

unsafe extern "C" fn log(call: u64, level: i32, message: *const c_char) -> i32 {
    // SAFETY: the header asks for a text that ends with a NUL, or NULL.
    let Some(message) = (unsafe { text(message) }) else { return ERROR };
    with(call, ERROR, |_, services| {
        services.log(Level::from(u8::try_from(level).unwrap_or(Level::Error as u8)), message.trim_end());
        OK
    })
}

extern "C" fn progress(call: u64, done: u64, total: u64) -> i32 {
    with(call, ERROR, |_, services| {
        services.progress(done, total);
        OK
    })
}

extern "C" fn cancelled(call: u64) -> i32 {
    with(call, 1, |_, services| services.cancelled().into())
}

/// A foreign text, cut where it is endless, with what is no UTF-8 replaced.
///
/// # Safety
/// It is NULL, or it ends with a NUL.
unsafe fn text(given: *const c_char) -> Option<String> {
    if given.is_null() {
        return None;
    }
    // SAFETY: not NULL; the rest is the caller's promise.
    let bytes = unsafe { CStr::from_ptr(given) }.to_bytes();
    Some(String::from_utf8_lossy(&bytes[..bytes.len().min(LONGEST)]).into_owned())
}
