//! Discovery: which sessions there are in the folders where harnesses keep them, and how they belong together.
//!
//! `roots` says where to look (and `pi_settings` where else), `notices` what is there and not shown, `wanted` which names
//! count, `layout` what a name and its place tell, `head` what the first bytes tell (and `task` what a subagent was asked to do);
//! `catalogue` is the list of what is there, `tree` hangs subagents under their callers, and `moved` goes on with
//! a log that got another name. `database` and `storage` are OpenCode's, which keeps no logs.

mod catalogue;
mod cut;
mod database;
mod head;
mod layout;
mod notices;
mod pi_settings;
mod roots;
mod storage;
mod task;
mod title;
mod tree;
mod wanted;

pub(crate) use catalogue::{Catalogue, Found, FoundLog};
pub(crate) use catalogue::{look, real};
pub(crate) use database::{HARNESS as OPENCODE, name_of_row, row_named};
pub(crate) use head::{HEAD, Head, TOGETHER, plain};
pub(crate) use layout::{Caller, caller_of, is_archived, is_deleted};
pub(crate) use roots::{Roots, harness_of};
pub(crate) use storage::{Piece, piece, row_of, rows_of, storage_of};
pub(crate) use task::task_of;
pub(crate) use title::{first_words, opening_of, title};
pub(crate) use tree::{Leaf, grow};
