//! Edits to a view's marks. Nothing is saved.

use std::collections::HashMap;

use cwl_engine::{EpisodeName, Span, apply_edit, spans_of};
use cwl_inspect::asked::view::MarksKey;
use cwl_inspect::marks::{list_changes, marks_of, place_marks};
use cwl_inspect::measure::opened::SessionSnapshot;

use crate::api::{EditMarksAnswer, EditMarksRequest, MarksFile};
use crate::commands::annotate::{free_name, is_told_by_others};
use crate::commands::edits::read_edit;
use crate::{ApiError, ErrorCode};

/// Applies edits to a view's annotation, all or none. Marks without an episode on the view's branch are
/// preserved.
///
/// # Errors
/// If an edit is impossible.
pub fn edit_marks(opened: &SessionSnapshot, request: &EditMarksRequest) -> Result<EditMarksAnswer, ApiError> {
    let chosen = opened.parse_view(&request.view)?;
    let branch = opened.branch(&chosen.branch)?;
    let session = &branch.session;
    let before = spans_of(session, &branch.growth, &branch.annotation);
    let mut after = before.clone();
    for edit in &request.edits {
        let edit = read_edit(&branch, edit)?;
        after = apply_edit(session, &after, &edit)
            .map_err(|refusal| ApiError::new(ErrorCode::BadRequest, refusal.to_string()))?;
    }
    let written = match &chosen.branch.marks {
        MarksKey::Written(written) => Some(written),
        MarksKey::Declared | MarksKey::Inferred | MarksKey::Filled => None,
    };
    let left_out = written.map_or_else(Vec::new, |written| {
        let left_out = place_marks(&written.marks, &opened.log, session).left_out;
        left_out.into_iter().map(|at| written.marks.episodes[at].clone()).collect()
    });
    let based_on = match &chosen.branch.marks {
        MarksKey::Written(written) => {
            let is_own = !is_told_by_others(written);
            if is_own { written.marks.based_on.clone() } else { Some(written.name.clone()) }
        }
        MarksKey::Declared => Some("declared".to_owned()),
        MarksKey::Inferred => Some("inferred".to_owned()),
        MarksKey::Filled => Some("filled".to_owned()),
    };
    let file = |spans: &[Span]| {
        let mut episodes = marks_of(spans, &opened.log, session);
        episodes.extend(left_out.iter().cloned());
        episodes.sort_by_key(|mark| mark.first);
        MarksFile { based_on: based_on.clone(), episodes, ..MarksFile::default() }
    };
    let known: HashMap<&EpisodeName, &Span> = before.iter().map(|span| (&span.name, span)).collect();
    let touched = after.iter().filter(|span| known.get(&span.name) != Some(span));
    let (before_file, after_file) = (file(&before), file(&after));
    Ok(EditMarksAnswer {
        changes: list_changes(&before_file, &after_file),
        name: free_name(opened, written.map(|written| &**written))?,
        touched: touched.map(|span| span.name.to_string()).collect(),
        before: before_file,
        after: after_file,
    })
}
