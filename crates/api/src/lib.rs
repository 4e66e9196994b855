//! Composition: from bytes on disk to answers on a wire.
//!
//! A [`SessionSnapshot`] is one log at one moment: its events, where its texts are, and everything that is worked out
//! of them on demand. [`load_file`] makes one of a file without any store,
//! [`open_once`] of whatever a command names; an [`Inspector`] keeps one per
//! session, follows the logs, and swaps a new one in when a log grows. The commands (`commands/`) are
//! functions of an [`SessionSnapshot`] and a request; they are declared once, and the router and the TypeScript
//! interface both come from that declaration.
//!
//! Nothing here knows a window: the app, the command line and tests use the same door.
#![deny(missing_docs)]

// In layers: code in a folder names only the folders above it in this list (`cargo xtask tidy` checks it).
mod error;
mod recent;
mod figures;
pub mod dto;
mod marks;
mod asked;
mod tables;
mod stored;
mod measure;
mod present;
mod reading;
mod host;
mod sessions;
pub mod commands;
mod lint;
mod export;
mod brief;
mod agent;
pub mod router;

pub use cwl_store::private;

pub use agent::{AgentConfig, AgentQueries, GoneAsked, RecallAsked, check_mark, root_of_start};
pub use asked::budget::{AskedOverhead, read_budget, read_overhead};
pub use asked::link::read_target;
pub use asked::view::check_view;
pub use brief::{Brief, GUIDE};
pub use commands::sweep::read_budgets;
pub use error::{ApiError, ErrorCode};
pub use export::{Cleaner, ExportResult, PageTemplate, escape_html, file_name, make_export, marks_report};
pub use figures::{count_noun, report_of_page, with_commas};
pub use host::corpora::{Corpora, is_corpus};
pub use host::inspector::{Inspector, InspectorConfig};
pub use host::once::{OpenOnce, open_once};
pub use host::places::{SessionPlace, places_of_sessions};
pub use lint::{Baseline, DenyLevel, LintConfig, lint_log, lint_report, read_code, sarif_report};
pub use measure::measured::write_dollars;
pub use measure::opened::SessionSnapshot;
pub use present::hidden::{reveal_hidden, write_json};
pub use present::item::PageExtent;
pub use present::pieces::InPieces;
pub use present::trace::{ReplayTrace, trace, write_spaced};
pub use reading::captured::default_capture_dir;
pub use reading::load::{LogInput, ReadProgress, load_file};
pub use reading::recorded::budget_of;
pub use router::CommandAnswer;
pub use sessions::first::{FirstLook, SessionSuggestion, SuggestedCommand};
pub use sessions::wanted::wanted_sessions;
pub use stored::upkeep::{check_store, restore_notes, store_path, vacuum_store};
pub use tables::force::{tables_in_force, tables_of};
pub use tables::tools::{Tools, config_dir, default_data_dir, hash_of_tables};
