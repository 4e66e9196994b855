//! Exports: a session as one page to give away.
//!
//! A page with an engine holds the session and computes ([`session`]). The page below has no engine. Each answer that it may need is computed here for every place in time and stored
//! as changes ([`view`], [`track`]); texts of blocks are stored once for all views ([`rows`]). Whatever does
//! not fit is left out and counted, in the page as well. All content of a log is redacted ([`clean`]), and
//! the finished text is searched again: if a learned secret remains, the export fails.

pub(crate) mod clean;
mod marks_report;
mod page;
mod panes;
mod rows;
mod session;
mod track;
mod view;

pub use clean::Cleaner;
pub use marks_report::marks_report;
pub use page::{PageTemplate, allow_engine, escape_html, file_name};
pub use session::{PackedData, SessionExport, export_session};

use cwl_inspect::measure::opened::SessionSnapshot;
use cwl_inspect::progress::ProgressWatch;

use crate::commands::session::session;
use crate::commands::verdict::verdict;
use crate::dto::{
    CacheRulesDto, ExportDto, ExportRequest, ExportedCapturedDto, RedactedDto, SessionRequest, VerdictRequest,
};
use crate::host::inspector::Inspector;
use crate::{ApiError, ErrorCode};

use panes::PaneRoom;
use rows::RowTable;

impl Inspector {
    /// Exports a session as JSON for its page, with progress if it takes long.
    ///
    /// # Errors
    /// If a view is invalid, the export is cancelled, the session cannot be opened, or a secret remains in
    /// the result.
    pub fn export(&self, request: ExportRequest) -> Result<Vec<u8>, ApiError> {
        self.run_watched(request.session, &self.exports, |opened, watch| {
            Ok(exported_watched(opened, &request, watch)?.json)
        })
    }
}

const FORM: u32 = 5;
/// More views would make a page too large to send.
const MOST_VIEWS: usize = 12;

#[derive(Debug, Clone)]
pub struct ExportResult {
    /// JSON for a page. No `<` occurs in it, so no text can end its element.
    pub json: Vec<u8>,
    /// Redactions. `None` if redaction is off.
    pub redacted: Option<RedactedDto>,
    /// Omitted parts, as sentences.
    pub left_out: Vec<String>,
}

/// Makes an export.
///
/// # Errors
/// If a view is invalid, or a secret remains in the result.
pub fn make_export(opened: &SessionSnapshot, request: &ExportRequest) -> Result<ExportResult, ApiError> {
    exported_watched(opened, request, &ProgressWatch::unwatched())
}

/// Like [`make_export`], with progress in places in time and rows.
pub(crate) fn exported_watched(
    opened: &SessionSnapshot,
    request: &ExportRequest,
    watch: &ProgressWatch<'_>,
) -> Result<ExportResult, ApiError> {
    let (export, cleaner) = export_of(opened, request, watch)?;
    let json = serde_json::to_string(&export).map_err(ApiError::from_internal)?;
    cleaner.check_clean(&json)?;
    Ok(ExportResult {
        json: page::embeddable_json(&json),
        redacted: export.redacted,
        left_out: export.left_out,
    })
}

struct ExportProgress<'a> {
    watch: &'a ProgressWatch<'a>,
    done: u64,
    all: u64,
}

impl ExportProgress<'_> {
    /// Reports progress.
    ///
    /// # Errors
    /// If the user has cancelled.
    fn go_on(&mut self, by: u64) -> Result<(), ApiError> {
        if self.watch.is_stopped() {
            return Err(ApiError::new(ErrorCode::Cancelled, "the export was stopped"));
        }
        self.done = (self.done + by).min(self.all);
        (self.watch.progress)(self.done, self.all);
        Ok(())
    }
}

fn n_rows_and_places(opened: &SessionSnapshot, request: &ExportRequest) -> Result<u64, ApiError> {
    let (mut n_rows, mut n_places) = (0, 0);
    for view in &request.views {
        let run = opened.replay_view(view)?;
        n_rows = run.branch.session.blocks.len() as u64;
        n_places += run.replay.n_steps() + run.replay.turns.len() as u64;
    }
    Ok(n_rows + n_places)
}

fn export_of(
    opened: &SessionSnapshot,
    request: &ExportRequest,
    watch: &ProgressWatch<'_>,
) -> Result<(ExportDto, Cleaner), ApiError> {
    if request.views.is_empty() || request.views.len() > MOST_VIEWS {
        return Err(ApiError::new(
            ErrorCode::BadRequest,
            format!("an export has 1 to {MOST_VIEWS} views, and not {}", request.views.len()),
        ));
    }
    let first = opened.parse_view(&request.views[0])?.branch;
    let mut table = RowTable::new(opened.branch(&first)?);
    let mut views = Vec::with_capacity(request.views.len());
    let mut left_out = Vec::new();
    let mut episodes = Vec::new();
    let mut work = ExportProgress { watch, done: 0, all: n_rows_and_places(opened, request)? };
    let room = view::ViewLimits::OF_PAGE.shared_by(request.views.len());
    let pane_room = PaneRoom::OF_PAGE.shared_by(request.views.len());
    for (at, view) in request.views.iter().enumerate() {
        if opened.parse_view(view)?.branch != first {
            return Err(ApiError::new(
                ErrorCode::BadRequest,
                "the views of an export are of one branch and one annotation",
            ));
        }
        let (mut of, of_view) = view::export_view(opened, view, room, &mut table, &mut left_out, &mut work)?;
        let beside = request.compared.get(at).map_or(&[][..], Vec::as_slice);
        of.comparison = panes::export_comparison(opened, view, beside, pane_room, &mut left_out, &mut work)?;
        let (regrets, stories) = panes::export_regrets(opened, view, pane_room, &mut left_out)?;
        (of.regrets, of.stories) = (Some(regrets), Some(stories));
        views.push(of);
        episodes = of_view;
    }
    let compactions = panes::audit_compactions(opened, &request.views[0])?;
    let asked = VerdictRequest {
        session: opened.session(),
        view: request.views[0].clone(),
        cache: CacheRulesDto::default(),
    };
    let verdict = verdict(opened, &asked)?;
    work.go_on(0)?;
    let recoveries = match &compactions {
        Some(audit) => panes::recovery_texts(opened, &request.views[0], audit, &mut left_out)?,
        None => Vec::new(),
    };
    let captured = panes::captured_bodies(opened, &request.views[0], &mut left_out, &mut work)?;
    let mut of_session = session(opened, &SessionRequest { session: opened.session() })?;
    of_session.path = file_name(&of_session.path).to_owned();
    of_session.live = false;
    let is_in = |name: &str| request.views.iter().any(|view| view.policy == name);
    of_session.choices.policies.retain(|policy| is_in(&policy.name));
    of_session.choices.providers.clear();
    of_session.branches.truncate(1);

    let mut cleaner = if request.redact {
        // Bodies hold more than the log: a system prompt names people and may have its own secrets.
        Cleaner::learn_from(opened, captured.iter().flat_map(texts_of))
            .map_err(|error| error.with_hint("--no-redact leaves everything in"))?
    } else {
        Cleaner::off()
    };
    let (rows, words) = table.finish_table(opened, &mut cleaner, &mut views, &mut left_out, &mut work)?;
    let of_session = cleaner.all_of(&of_session)?;
    let episodes = cleaner.all_of(&episodes)?;
    let compactions = cleaner.all_of(&compactions)?;
    let recoveries = cleaner.all_of(&recoveries)?;
    let captured = cleaner.all_of(&captured)?;
    for view in &mut views {
        cleaner.clean_view(view)?;
    }
    left_out.sort_unstable();
    left_out.dedup();
    let made_by = format!("CWL Inspector {}", env!("CARGO_PKG_VERSION"));
    let redacted = cleaner.redacted_counts();
    let export = ExportDto {
        form: FORM,
        made_by,
        session: of_session,
        views,
        cut: request.cut,
        episodes,
        rows,
        words,
        verdict,
        compactions,
        recoveries,
        captured,
        redacted,
        left_out,
    };
    Ok((export, cleaner))
}

fn texts_of(captured: &ExportedCapturedDto) -> impl Iterator<Item = &str> {
    let rows = captured.bodies.iter().flat_map(|body| &body.rows);
    captured.parts.iter().map(|part| part.text.as_str()).chain(rows.map(|row| row.text.as_str()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    use super::*;
    use crate::dto::{CutDto, ViewDto};
    use crate::{LogInput, Tools, load_file};

    #[test]
    fn an_export_tells_how_far_it_is_and_can_be_stopped() {
        let log = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/wild.jsonl");
        let opened = load_file(&LogInput::File(log), None, &Tools::builtin_tables()).unwrap();
        let views = ["6k", "9k"].map(|budget| ViewDto { budget: budget.into(), ..ViewDto::counted("o200k") });
        let request = ExportRequest {
            session: 0,
            views: views.into(),
            cut: CutDto::default(),
            redact: true,
            compared: Vec::new(),
        };
        let (told, stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        let progress = |done: u64, all: u64| {
            assert!(done >= told.swap(done, Ordering::Relaxed) && done <= all, "{done} of {all}");
        };
        let watch = ProgressWatch { progress: &progress, stopped: &stopped };
        let exported = exported_watched(&opened, &request, &watch).unwrap();
        assert!(told.load(Ordering::Relaxed) > 0);
        assert_eq!(exported.json, super::make_export(&opened, &request).unwrap().json);
        stopped.store(true, Ordering::Relaxed);
        assert_eq!(exported_watched(&opened, &request, &watch).unwrap_err().code, ErrorCode::Cancelled);
    }
}
