//! Opens the log at a place and returns its rows or its problem.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cwl_host::{ApiError, ErrorCode, OpenOnce, SessionPlace, Tools, open_once};

use crate::part::LogIdentity;
use crate::rows::{LogAsked, LogRows, rows_of_log, rows_of_unread};

/// Returns a log's rows in all tables; an unreadable log gives one row with its problem. `name` is the log's
/// name in the tables: for a copy, the original's place.
pub fn rows_of_place(place: &SessionPlace, name: &str, tools: &Tools, asked: &LogAsked) -> LogRows {
    rows_of_identified(place, name, &LogIdentity::read(place), tools, asked)
}

pub(crate) fn rows_of_identified(
    place: &SessionPlace,
    name: &str,
    identity: &LogIdentity,
    tools: &Tools,
    asked: &LogAsked,
) -> LogRows {
    let read = || -> Result<LogRows, ApiError> {
        let once =
            OpenOnce { format: None, tools, data_dir: None, folders: Some(Vec::new()), progress: &|_, _| {} };
        let opened = open_once(&place.name, &once)?;
        let solved = identity.reward.or_else(|| place.outcome_in_log());
        rows_of_log(&opened, name, identity.size.unwrap_or(0), solved, asked)
    };
    // A bug that one log triggers must not stop the others.
    let rows = catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_panic| Err(ApiError::new(ErrorCode::Internal, "the program failed on this log")));
    rows.unwrap_or_else(|problem| rows_of_unread(name, identity.size, &problem, asked))
}
