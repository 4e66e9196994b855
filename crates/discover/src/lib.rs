//! Finds the sessions of coding agents on this machine, and how they belong together.
//!
//! `harnesses` is the table of programs that write logs; `roots` says where to search (`pi_settings` adds
//! folders), `wanted` which names count, `head` what the first bytes
//! tell, and `task` what a subagent was asked to do. `catalogue` lists everything found and follows changes;
//! `notices` explains what is missing from the list; `tree` nests subagents below their callers. `opencode`
//! and `hermes` read the sessions of harnesses without log files, `database_sessions` those of either.
//!
//! All results are data. No log is written to, and working directories named in logs are not touched.

mod harnesses;
mod roots;
mod pi_settings;
mod notices;
mod wanted;
mod wanted_in_editors;
mod head;
mod cut;
mod task;
mod opencode;
mod database_sessions;
mod hermes;
mod catalogue;
mod tree;

use std::io::Read;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cwl_tail::{TailError, open_log};

pub use catalogue::{Catalogue, FoundLog, SessionSource, look_up_file, real_path};
pub use database_sessions::{ListedSession, SessionRows, database_hint, database_session, database_sessions};
pub use harnesses::{Harness, Harnesses, config_dir, project_dirs};
pub use head::{Head, Heads, TOGETHER};
pub use notices::Notice;
pub use opencode::database::{DatabaseError, opencode_session, opencode_sessions};
pub use opencode::files::{OpencodeFiles, opencode_files};
pub use opencode::listed::{Databases, FoundDatabase};
pub use opencode::storage::{StorageError, StorageFile, Storages, read_storage, storage_file, storage_of};
pub use opencode::{OPENCODE, database_of, folder_of_database, name_of_row, row_named};
pub use roots::{ResolvedFolders, Roots, harness_of};
pub use task::task_of;
pub use tree::{Leaf, TreeNode, TreeSession, build_tree};

fn read_beginning(path: &Path, limit: u64) -> Result<Vec<u8>, TailError> {
    let mut bytes = Vec::new();
    let read = open_log(path)?.take(limit).read_to_end(&mut bytes);
    read.map_err(|source| TailError::Read { path: path.to_owned(), source })?;
    Ok(bytes)
}

/// Locks even after a panic elsewhere: the guarded values are valid at every moment.
fn lock_unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
