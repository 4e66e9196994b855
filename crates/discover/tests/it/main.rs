//! OpenCode sessions: in a database, and in files as before.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod opencode;
mod opencode_files;
