//! Lets macOS resolve Python's symbols at load time; other systems need nothing.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
