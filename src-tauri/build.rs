//! Generates the Tauri context: capabilities live in `src-tauri/capabilities/`, the configuration at the top.

fn main() {
    println!("cargo:rerun-if-changed=src-tauri/capabilities");
    let attributes = tauri_build::Attributes::new().capabilities_path_pattern("./src-tauri/capabilities/**/*");
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo:error={error:#}");
    }
}
