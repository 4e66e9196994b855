//! The store: what was read from the logs of coding agents, and what the engine made of it, in SQLite.
//!
//! A [`Store`] is the write handle of a process, a [`ReadHandle`] a connection for short reads. Several processes may use
//! one store. A batch of a log goes in by [`Store::ingest_batch`] as one transaction, together with how far the log was read, so
//! a process that dies at any moment loses and doubles nothing.
//!
//! - **Ground** tables hold what was read: [`SourceRow`]s, records, messages, blocks, texts, payloads, problems,
//!   token counts. They are kept, because a log may be deleted by the program that wrote it. What people make
//!   ([`Note`]s, pins, [`SavedView`]s, [`Overlay`]s) is ground too and lives in a file of its own, synced at every commit.
//! - **Derived** tables hold episodes, dependencies and diagnostics. They carry the version of the rules that made
//!   them, and are written beside the current ones and put in their place ([`Store::save_derived`]). The words of all
//!   texts are in an index that is made behind, step by step ([`Store::index_step`], [`ReadHandle::search_texts`]).
//!
//! Blocks hold metadata only: a session is replayed without touching its texts. A text is stored once, by its
//! hash, whatever the number of logs that repeat it, and is counted once per tokenizer and implementation.
//!
//! The store knows no format and no tokenizer: both are names. It reads no clock, no file but its own, and no
//! environment. It has no policy.
#![deny(missing_docs)]

mod error;
mod ingest;
mod migrate;
mod open;
mod packed;
pub mod private;
mod read;
mod rebuild;
mod search;
mod shared;
mod sql;
mod table;
mod text;
mod upkeep;
mod user_file;

#[cfg(test)]
mod fault_tests;

pub use error::{Fault, StoreError};
pub use ingest::{BlockCounts, Ingest, IngestedRows};
#[doc(hidden)]
pub use open::WriteRefusal;
pub use open::{ReadHandle, Store};
pub use packed::PackedEvent;
pub use read::{TextId, UncountedTexts};
pub use rebuild::{DerivedRows, RebuildOutcome, SessionFigures};
pub use search::{Hit, IndexProgress, Query, SearchHits, Snippet};
pub use table::block::BlockPlace;
pub use table::count::{Counter, KnownText};
pub use table::episode::{DependencyRow, EpisodeRow};
pub use table::note::{Note, NoteSubject};
pub use table::overlay::Overlay;
pub use table::saved_view::SavedView;
pub use table::source::{SourceCursor, SourceId, SourceRow};
pub use text::{Packer, TextHash};
pub use upkeep::{StoreInconsistency, VacuumOutcome};
pub use user_file::{copies_of_user, restore_user, user_path};
