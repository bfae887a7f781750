//! Libraries in C and C++, compiled by the system's compiler, without a single warning.

use std::fs;
use std::process::Command;

use crate::built::built;

/// The library that a source of the repository makes; more flags may come behind.
pub fn compiled(source: &str, flags: &[&str]) -> Vec<u8> {
    let cpp = source.ends_with(".cpp");
    let (variable, name, standard) = if cpp { ("CXX", "c++", "-std=c++11") } else { ("CC", "cc", "-std=c99") };
    let compiler = std::env::var(variable).unwrap_or_else(|_| name.to_owned());
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("library.so");
    let mut command = Command::new(&compiler);
    command.args([standard, "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-fPIC", "-shared", "-pthread"]);
    command.args(["-I", "plugin-api/include", "-o"]).arg(&library).arg(source).args(flags);
    let output = command.current_dir(&built().root).output().unwrap_or_else(|error| {
        panic!(
            "{compiler} does not run ({error}), and scorers in C and C++ cannot be tried out without it. Install a C and a \
             C++ compiler (Debian and Ubuntu: apt install build-essential; Fedora: dnf install gcc gcc-c++; Alpine: \
             apk add build-base), or name yours in {variable}"
        )
    });
    assert!(output.status.success(), "{compiler} {source}: {}", String::from_utf8_lossy(&output.stderr));
    fs::read(library).unwrap()
}
