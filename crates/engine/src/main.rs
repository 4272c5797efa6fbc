//! `gatehouse-engine`: computes with one model, asked and answering by lines of JSON.

fn main() -> std::process::ExitCode {
    gatehouse_engine::run()
}
