//! The headless shell's program.

use std::process::ExitCode;

fn main() -> ExitCode {
    gatehouse_server::main()
}
