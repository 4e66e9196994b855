//! The store: everything read from agents' logs and derived by the engine, in SQLite.
//!
//! A [`Store`] is a process's write handle, a [`ReadHandle`] a connection for short reads. Several processes
//! may share a store. [`Store::ingest_batch`] writes a batch together with the read position in one
//! transaction, so a process that dies at any moment neither loses nor duplicates anything.
//!
//! - **Ground** tables hold what was read: [`SourceRow`]s, records, messages, blocks, texts, payloads,
//!   problems, token counts. They are kept, because the log's program may delete the log. The user's own data
//!   ([`Note`]s, pins, [`SavedView`]s, [`Overlay`]s) is ground too, and lives in a separate file that is
//!   synced at every commit.
//! - **Derived** tables hold episodes, dependencies and diagnostics, with the version of their rules. New
//!   rows are written beside the current ones and then replace them ([`Store::save_derived`]). A word index
//!   over all texts is built later in small steps ([`Store::index_step`], [`ReadHandle::search_texts`]).
//!
//! Blocks hold only metadata, so a session is replayed without its texts. A text is stored once under its
//! hash, however many logs repeat it, and counted once per tokenizer and implementation.
//!
//! The store has no formats, tokenizers (both are only names), policies, clock or environment, and reads no
//! files but its own.

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

pub use cwl_engine::BlockPlace;
pub use error::{Fault, StoreError};
pub use ingest::{BlockCounts, Ingest, IngestedRows};
#[doc(hidden)]
pub use open::WriteRefusal;
pub use open::{ReadHandle, Store};
pub use packed::PackedEvent;
pub use read::{TextId, UncountedTexts};
pub use rebuild::{DerivedRows, RebuildOutcome, SessionFigures};
pub use search::{Hit, IndexProgress, Query, SearchHits, Snippet};
pub use table::count::{Counter, KnownText};
pub use table::episode::{DependencyRow, EpisodeRow};
pub use table::note::{Note, NoteSubject};
pub use table::overlay::Overlay;
pub use table::saved_view::SavedView;
pub use table::source::{SourceCursor, SourceId, SourceRow};
pub use text::{Packer, TextHash};
pub use upkeep::{StoreInconsistency, VacuumOutcome};
pub use user_file::{copies_of_user, restore_user, user_path};
