//! Private files: what the program writes is for its user alone.
//!
//! Files are `0600` and folders that the program makes `0700`, whatever the umask lets through. On systems without such
//! modes a new file has what its folder gives it.

use std::fs::{File, OpenOptions};
use std::io::{Result, Write};
use std::path::Path;

/// Makes a folder and those above it that are missing; those that are there stay as they are.
///
/// # Errors
/// Those of the disk.
pub fn make_folder(path: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Returns options with which a file that is made is private.
#[must_use]
pub fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes a file; one that is there is made private before anything is written.
///
/// # Errors
/// Those of the disk.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = private_options().create(true).truncate(true).open(path)?;
    tighten_file(&file)?;
    file.write_all(bytes)
}

/// Takes all rights of others from an open file.
///
/// # Errors
/// Those of the disk, and where the file is of another user.
pub fn tighten_file(file: &File) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mut permissions = file.metadata()?.permissions();
        if permissions.mode() & 0o077 != 0 {
            permissions.set_mode(permissions.mode() & 0o7700);
            file.set_permissions(permissions)?;
        }
    }
    #[cfg(not(unix))]
    let _: &File = file;
    Ok(())
}

/// Takes all rights of others from what an earlier version left in a store's folder: its files, and the folders below it.
/// The folder itself is tightened when nothing else is in it, as a person may have chosen one that others use. A file that
/// may not be changed, because it is of another user or the disk is read-only, stays.
pub(crate) fn tighten_store(dir: &Path) {
    #[cfg(unix)]
    {
        let mut is_ours = false;
        let mut has_others = false;
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if DATABASES.iter().any(|known| name.starts_with(known)) {
                is_ours = true;
                tighten_permissions(&entry.path());
            } else if FOLDERS.contains(&&*name) {
                tighten_all(&entry.path());
            } else {
                has_others = true;
            }
        }
        if is_ours && !has_others {
            tighten_permissions(dir);
        }
    }
    #[cfg(not(unix))]
    let _: &Path = dir;
}

/// The beginnings of the names of a store's files: SQLite keeps some beside each database.
#[cfg(unix)]
const DATABASES: &[&str] = &["sessions.sqlite", "user.sqlite"];
/// The folders made beside them.
#[cfg(unix)]
const FOLDERS: &[&str] = &["opencode", "demo"];

#[cfg(unix)]
fn tighten_all(path: &Path) {
    // A link leads to what is not ours.
    if path.is_symlink() {
        return;
    }
    tighten_permissions(path);
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            tighten_all(&entry.path());
        } else {
            tighten_permissions(&entry.path());
        }
    }
}

#[cfg(unix)]
fn tighten_permissions(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(known) = path.symlink_metadata() else { return };
    let mut permissions = known.permissions();
    if !known.is_symlink() && permissions.mode() & 0o077 != 0 {
        permissions.set_mode(permissions.mode() & 0o7700);
        drop(std::fs::set_permissions(path, permissions));
    }
}
