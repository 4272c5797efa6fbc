//! The program behind every figure that is quoted.

use std::process::ExitCode;

fn main() -> ExitCode {
    gatehouse_bench::main()
}
