//! The store's public API: one file per table, and one per guarantee across tables.
#![allow(clippy::unwrap_used)]

mod common;
mod random;

mod batches;
mod crash;
mod damage;
mod packed;
mod processes;
mod round_trip;
mod schema;
mod shell;
mod search;
mod table_block;
mod table_count;
mod table_episode;
mod table_event;
mod table_mark;
mod table_message;
mod table_note;
mod table_overlay;
mod table_payload;
mod table_problem;
mod table_source;
mod table_text;
mod user_file;
mod views;
