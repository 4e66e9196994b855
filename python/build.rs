//! Lets macOS leave Python's functions open until the extension is loaded; elsewhere nothing is needed.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
