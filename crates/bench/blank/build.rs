//! Generates the Tauri context.

fn main() {
    if let Err(error) = tauri_build::try_build(tauri_build::Attributes::new()) {
        println!("cargo:error={error:#}");
    }
}
