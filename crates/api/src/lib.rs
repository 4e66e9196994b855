//! Composition: from bytes on disk to answers on the wire.
//!
//! A [`SessionSnapshot`] is one log at one moment: its events, the positions of its texts, and everything computed from
//! them on demand. [`load_file`] makes a snapshot without a store, [`open_once`] from anything a command names. An
//! [`Inspector`] keeps one snapshot per session, follows the logs, and swaps in a new snapshot when a log grows.
//! Commands (`commands/`) are functions from a snapshot and a request to an answer; one declaration generates the
//! router and the TypeScript interface.
//!
//! Nothing here knows a window: the app, the command line and tests use the same functions.

// In layers: code in a folder uses only folders above it in this list (checked by `cargo xtask tidy`).
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

pub use agent::{AgentConfig, AgentMarks, AgentQueries, GoneAsked, RecallAsked, check_mark, root_of_start};
pub use asked::budget::{AskedOverhead, read_budget, read_overhead};
pub use asked::link::read_target;
pub use asked::view::check_view;
pub use brief::{Brief, GUIDE, MarksPrompt, guide_hash, list_problems, merge_marks};
pub use commands::sweep::read_budgets;
pub use error::{ApiError, ErrorCode};
pub use export::{Cleaner, ExportResult, PageTemplate, escape_html, file_name, make_export, marks_report};
pub use figures::{count_noun, report_of_page, with_commas};
pub use host::control::{
    CONTROL_LINE, ask_live, check_sockets, control_socket, list_live, live_folder, live_name, session_of_prompt,
};
pub use host::corpora::{Corpora, is_corpus};
pub use host::inspector::{Inspector, InspectorConfig};
pub use host::once::{OpenOnce, open_once};
pub use host::places::{SessionPlace, places_of_sessions};
pub use host::steer::set_live;
pub use lint::{Baseline, DenyLevel, LintConfig, lint_log, lint_report, read_code, sarif_report};
pub use marks::MarksCheck;
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
