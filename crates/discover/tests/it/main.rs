//! Sessions of OpenCode, which keeps no logs: its database, and the files that it kept before.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod opencode;
mod opencode_files;
