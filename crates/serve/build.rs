//! Embeds the built page, if there is one: all files in one compressed run of bytes, and a table of names and
//! lengths for `page.rs`. Compressed together, the exports' page, which is in two files, takes the space of
//! one.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/dist");
    println!("cargo::rerun-if-changed={}", built.display());
    let mut files = Vec::new();
    // Without `index.html` there is no page.
    if built.join("index.html").is_file() {
        collect_files(&built, "", &mut files)?;
    }
    files.sort();
    let mut bytes = Vec::new();
    let mut table = String::from("&[\n");
    for (name, path) in &files {
        println!("cargo::rerun-if-changed={}", path.display());
        let file = fs::read(path)?;
        writeln!(table, "    ({name:?}, {}),", file.len()).map_err(io::Error::other)?;
        bytes.extend(file);
    }
    table.push(']');
    // Strong compression costs seconds, too long for development builds.
    let level = if env::var("PROFILE").is_ok_and(|profile| profile == "release") { 19 } else { 3 };
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("no OUT_DIR"))?);
    fs::write(out.join("page.zst"), zstd::bulk::compress(&bytes, level)?)?;
    fs::write(out.join("page.rs"), table)
}

fn collect_files(folder: &Path, under: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let name = format!("{under}{name}");
        if entry.file_type()?.is_dir() {
            collect_files(&entry.path(), &format!("{name}/"), files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}
