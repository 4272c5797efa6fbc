//! Generates the Tauri context: capabilities live in `src-tauri/capabilities/`, the configuration at the top.
fn main() {}
