//! Makes the library that the plugin is linked against, where no loader will look for it.
#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a build script talks to cargo by printing, and stops by panicking"
)]

use std::path::Path;
use std::process::Command;

fn main() {
    let folder = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let source = Path::new(&folder).join("absent.rs");
    std::fs::write(&source, "#[unsafe(no_mangle)] pub extern \"C\" fn absent() -> i32 { 7 }").expect("a source file");
    let built = Command::new(std::env::var("RUSTC").expect("cargo sets RUSTC"))
        .args(["--edition=2024", "--crate-type=cdylib", "-o"])
        .arg(Path::new(&folder).join("libautoscorer_absent.so"))
        .arg(&source)
        .status();
    assert!(built.is_ok_and(|status| status.success()), "the absent library was not built");
    println!("cargo:rustc-link-search=native={folder}");
    println!("cargo:rerun-if-changed=build.rs");
}
