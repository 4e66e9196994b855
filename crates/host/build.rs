//! Embeds the engine of exported pages, if `CWL_PAGE_ENGINE` names it.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=CWL_PAGE_ENGINE");
    let engine = match env::var_os("CWL_PAGE_ENGINE").filter(|path| !path.is_empty()) {
        Some(path) => {
            println!("cargo::rerun-if-changed={}", Path::new(&path).display());
            fs::read(path)?
        }
        None => Vec::new(),
    };
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("no OUT_DIR"))?);
    fs::write(out.join("page-engine.wasm.gz"), engine)
}
