//! The `autoscorer` program: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    autoscorer::entry::main()
}
