//! Embeds the page and the window's permissions: the page can call only these commands.

fn main() {
    let commands = tauri_build::AppManifest::new().commands(&[
        "call",
        "subscribe",
        "pick_file",
        "save_file",
        "edit_line",
        "report",
    ]);
    if let Err(error) = tauri_build::try_build(tauri_build::Attributes::new().app_manifest(commands)) {
        println!("cargo::error={error:#}");
    }
}
