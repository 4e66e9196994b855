//! Rebuilds the crate when a migration changes; `include_dir!` alone does not notice a new file.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
