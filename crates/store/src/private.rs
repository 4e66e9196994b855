//! Private files, readable by their user only.
//!
//! Files have mode `0600` and created folders `0700`, whatever the umask. On systems without modes, a file
//! has its folder's permissions.

use std::fs::{File, OpenOptions};
use std::io::{Result, Write};
use std::path::Path;

/// Creates a folder and its missing parents; existing folders keep their mode.
///
/// # Errors
/// If the disk fails.
pub fn make_folder(path: &Path) -> Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Opens for writing; created files are private.
#[must_use]
pub fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes a file; an existing one is made private first.
///
/// # Errors
/// If the disk fails.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = private_options().create(true).truncate(true).open(path)?;
    tighten_file(&file)?;
    file.write_all(bytes)
}

/// Removes all permissions of other users from an open file.
///
/// # Errors
/// If the disk fails or the file belongs to another user.
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

/// Removes other users' permissions from a store written by an earlier version: from its files and its
/// subfolders.
///
/// The store's own folder is changed only if it holds nothing else, because a person may have chosen a shared
/// folder. A file that cannot be changed, because of another owner or a read-only disk, is skipped.
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

/// Prefixes of a store's files; SQLite keeps more files beside each database.
#[cfg(unix)]
const DATABASES: &[&str] = &["sessions.sqlite", "user.sqlite"];
#[cfg(unix)]
const FOLDERS: &[&str] = &["opencode", "demo"];

#[cfg(unix)]
fn tighten_all(path: &Path) {
    // A link's target is not the store's.
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
