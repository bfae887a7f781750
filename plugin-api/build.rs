//! Tells the crate which compiler builds it, so that every plugin can say so in its metadata.
#![allow(clippy::print_stdout, reason = "a build script talks to cargo by printing")]

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .unwrap_or_else(|| "rustc (version unknown)".to_owned());
    println!("cargo:rustc-env=AUTOSCORER_RUSTC={}", version.trim());
    println!("cargo:rerun-if-changed=build.rs");
}
