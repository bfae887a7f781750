//! A library that is no plugin.

/// Something to export.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> i32 {
    42
}
