//! The desktop shell's program.

fn main() -> std::process::ExitCode {
    gatehouse_lib::run()
}
