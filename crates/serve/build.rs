//! Puts the built page into the binary, if there is one: a table of names and bytes that `page.rs` includes.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/dist");
    println!("cargo::rerun-if-changed={}", built.display());
    let mut files = Vec::new();
    // Half a page is no page.
    if built.join("index.html").is_file() {
        collect(&built, "", &mut files)?;
    }
    files.sort();
    let mut table = String::from("&[\n");
    for (name, path) in &files {
        println!("cargo::rerun-if-changed={}", path.display());
        let line = format!("    ({name:?}, include_bytes!({:?})),\n", path.canonicalize()?);
        table.push_str(&line);
    }
    table.push(']');
    let mut source = String::new();
    write!(source, "{table}").map_err(io::Error::other)?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("no OUT_DIR"))?);
    fs::write(out.join("page.rs"), source)
}

fn collect(folder: &Path, under: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let name = format!("{under}{name}");
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}
