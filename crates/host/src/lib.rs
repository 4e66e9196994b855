//! Files, the store and the event loop behind the answers of `cwl_inspect`.
//!
//! A [`SessionSnapshot`] is one log at one moment. [`load_file`] makes a snapshot without a store, [`open_once`] from anything a command names. An
//! [`Inspector`] keeps one snapshot per session, follows the logs, and swaps in a new snapshot when a log grows.
//! Most commands are functions of `cwl_inspect`; those here need the store, files or several sessions. One declaration
//! (`router.rs`) generates the router and the TypeScript interface.
//!
//! Nothing here knows a window: the app, the command line and tests use the same functions.

// In layers: code in a folder uses only folders above it in this list (checked by `cargo xtask tidy`).
pub mod api;
mod error;
mod page_report;
mod marks_file;
mod data_dir;
mod reader;
mod stored;
mod machine;
mod force;
mod reading;
mod host;
mod sessions;
pub mod commands;
mod lint_files;
mod export;
mod brief;
mod agent;
pub mod router;

pub use cwl_store::private;

pub use agent::{AgentConfig, AgentMarks, AgentQueries, GoneAsked, RecallAsked, check_mark, root_of_start};
pub use brief::{
    Brief, GUIDE, MarksPrompt, NoMarks, PART_TOKENS, READER_LIMIT, READER_TRIES, READER_WARNING, ReaderMarks,
    ReaderPlan, ReaderTask, ReaderTry, guide_hash, list_problems, merge_marks,
};
pub use cwl_inspect::asked::budget::{AskedOverhead, read_budget, read_overhead};
pub use cwl_inspect::asked::link::read_target;
pub use cwl_inspect::asked::view::check_view;
pub use cwl_inspect::figures::{count_noun, with_commas};
pub use cwl_inspect::lint::{
    Baseline, DenyLevel, LintConfig, lint_log, lint_report, read_code, sarif_report,
};
pub use cwl_inspect::marks::MarksCheck;
pub use cwl_inspect::measure::measured::write_dollars;
pub use cwl_inspect::measure::opened::SessionSnapshot;
pub use cwl_inspect::present::hidden::{reveal_hidden, write_json};
pub use cwl_inspect::present::item::PageExtent;
pub use cwl_inspect::present::pieces::InPieces;
pub use cwl_inspect::present::trace::{ReplayTrace, trace, write_spaced};
pub use cwl_inspect::tables::tools::Tools;
pub use data_dir::default_data_dir;
pub use error::{ApiError, ErrorCode};
pub use export::{
    Cleaner, PackedData, PageTemplate, SessionExport, escape_html, export_session, file_name, find_engine,
    marks_report,
};
pub use force::{tables_in_force, tables_of};
pub use host::control::{
    CONTROL_LINE, ask_live, check_sockets, control_socket, list_live, live_folder, live_name,
    session_of_prompt,
};
pub use host::corpora::{Corpora, is_corpus};
pub use host::gate::file_of_target;
pub use host::inspector::{Inspector, InspectorConfig};
pub use host::once::{OpenOnce, open_once};
pub use host::places::{SessionPlace, places_of_sessions};
pub use host::steer::{live_names, set_live};
pub use lint_files::{find_lint_config, read_baseline, write_baseline};
pub use machine::{config_dir, hash_of_tables, tools_of_folder, tools_of_user};
pub use page_report::report_of_page;
pub use reader::{NoAnswer, ReaderAnswer, ReaderCommand, ReaderSettings};
pub use reading::captured::default_capture_dir;
pub use reading::load::{LogInput, ReadProgress, load_file};
pub use reading::recorded::budget_of;
pub use router::CommandAnswer;
pub use sessions::first::{FirstLook, SessionSuggestion, SuggestedCommand};
pub use sessions::wanted::wanted_sessions;
pub use stored::upkeep::{check_store, restore_notes, store_path, vacuum_store};
