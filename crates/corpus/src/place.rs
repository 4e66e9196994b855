//! The log at a place: opened, and its rows or its problem.

use std::panic::{AssertUnwindSafe, catch_unwind};

use cwl_api::{ApiError, ErrorCode, OpenOnce, SessionPlace, Tools, open_once};

use crate::part::LogIdentity;
use crate::rows::{LogAsked, LogRows, rows_of_log, rows_of_unread};

/// Returns the rows of the log at `place`, of all tables; one that cannot be read is a row with its problem. `name` names
/// it in the tables: of a copy of a log it is the place of the original.
pub fn rows_of_place(place: &SessionPlace, name: &str, tools: &Tools, asked: &LogAsked) -> LogRows {
    rows_of_identified(place, name, &LogIdentity::read(place), tools, asked)
}

/// Is [`rows_of_place`] for a log whose content was looked at.
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
        rows_of_log(&opened, name, identity.size.unwrap_or(0), asked)
    };
    // A fault of the program in one log is that log's problem and no other's.
    let rows = catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_panic| Err(ApiError::new(ErrorCode::Internal, "the program failed on this log")));
    rows.unwrap_or_else(|problem| rows_of_unread(name, identity.size, &problem, asked))
}
