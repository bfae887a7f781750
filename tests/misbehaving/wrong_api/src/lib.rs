//! A library whose metadata names an API version of another time.

#[allow(unsafe_code)]
#[used]
#[unsafe(link_section = ".autoscorer")]
static METADATA: [u8; TEXT.len()] = *TEXT;

const TEXT: &[u8; 195] = br#"{"format":1,"api":"99.0.0","rustc":"rustc 9.9","panic":"unwind","package":"misbehaving-wrong-api 1.0.0","scorers":[{"id":"good","version":"9.0.0","summary":"s","algorithm":"a","params":{"x":0}}]}"#;

/// Without an exported function the linker would drop everything.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn wrong_api_metadata() -> *const u8 {
    METADATA.as_ptr()
}
