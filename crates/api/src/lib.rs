//! Composition: from bytes on disk to answers on a wire.
//!
//! A [`Opened`] is one log at one moment: its events, where its texts are, and everything that is worked out
//! of them on demand. [`load_file`] makes one of a file without any store; an [`Inspector`] keeps one per
//! session, follows the logs, and swaps a new one in when a log grows. The commands (`commands/`) are
//! functions of an [`Opened`] and a request; they are declared once, and the router and the TypeScript
//! interface both come from that declaration.
//!
//! Nothing here knows a window: the app, the command line and tests use the same door.
#![deny(missing_docs)]

pub mod dto;

pub mod commands;

mod advice;
mod behind;
mod budget;
mod counts;
mod demo;
mod derive;
mod diff;
mod discover;
mod drift;
mod error;
mod export;
mod findings;
mod ingest;
mod inspector;
mod item;
mod library;
mod link;
mod list;
mod live;
mod load;
mod made;
mod material;
mod measured;
mod moment;
mod named;
mod needle;
mod opened;
mod overhead;
mod packed;
mod picture;
mod position;
mod prices;
mod recent;
mod recorded;
mod run;
mod sentence;
mod stores;
mod texts;
mod tools;
mod trace;
mod underway;
mod upkeep;
mod view;
mod watch;

pub use budget::{Overhead, read_budget, read_overhead};
pub use commands::sweep::read_budgets;
pub use error::{ApiError, ErrorCode};
pub use export::{Exported, PageTemplate, exported, file_name};
pub use inspector::{Answer, Inspector, InspectorConfig};
pub use link::read_target;
pub use load::{LogInput, load_file};
pub use measured::dollars;
pub use opened::Opened;
pub use recorded::{BudgetSource, budget_of};
pub use sentence::{grouped, level_name};
pub use tools::{Tools, default_data_dir};
pub use trace::{trace, write_spaced};
pub use upkeep::{check_store, store_path, vacuum_store};
pub use view::check_view;
