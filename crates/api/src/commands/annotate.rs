//! Overlays: marks made by a reader, which can be checked, saved under a name, listed, exported and removed.

use crate::dto::{MarkProblemDto, MarksFileDto};
use crate::error::stdin_path;
use crate::marks::read::read_marks;
use crate::marks::{NamedMarks, UNSAVED, spans_of};
use crate::measure::opened::SessionSnapshot;
use crate::reading::lately::now_ms;
use crate::stored::marks::MarksStore;
use crate::{ApiError, ErrorCode};

/// Longest overlay name, and longest author name, in characters.
const MOST_CHARS: usize = 100;
/// Default name for marks edited in the window.
const OWN: &str = "my marks";
/// Reserved names.
const TAKEN: [&str; 4] = ["auto", "declared", "inferred", "filled"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedMarks {
    pub name: String,
    /// `true` if marks with this name were overwritten.
    pub replaced: bool,
    /// Episodes that the marks give on the current branch.
    pub n_episodes: usize,
    /// Problems with single marks, by line.
    pub problems: Vec<MarkProblemDto>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptMarks {
    pub name: String,
    pub by: Option<String>,
    /// Annotation that the marks were edited from, if known.
    pub based_on: Option<String>,
    pub n_marks: usize,
    /// Saved at, in milliseconds since 1970.
    pub saved_ms: i64,
}

/// Checks `marks` (JSON) against a session and saves them under `name`. Odd marks are reported but saved as
/// given, so an export returns the same marks.
///
/// # Errors
/// If the JSON has another form or gives no episode, the name is not allowed, or the store cannot be written.
pub fn save_marks(
    opened: &SessionSnapshot,
    json: &[u8],
    name: &str,
    by: Option<&str>,
) -> Result<SavedMarks, ApiError> {
    let name = check_name(name)?;
    let mut marks: MarksFileDto = read_marks(json)?;
    if let Some(by) = by.map(str::trim).filter(|by| !by.is_empty()) {
        marks.made_by = Some(by.chars().take(MOST_CHARS).collect());
    }
    let branch = opened.current_branch();
    let (annotation, problems) = spans_of(&marks, &opened.log, &branch.session);
    let n_episodes = annotation.spans().map_or(0, <[_]>::len);
    if n_episodes == 0 {
        let first = problems.first().map(|one| format!("; line {}: {}", one.line, one.message));
        let message = format!("these marks give no episode{}", first.unwrap_or_default());
        return Err(ApiError::new(ErrorCode::BadRequest, message)
            .with_hint("`first` and `last` are lines of this log, as `cwl annotate --brief` shows them"));
    }
    let written = NamedMarks { name: name.to_owned(), marks };
    let replaced =
        marks_store(opened, true)?.map_or(Ok(false), |shelf| shelf.save_marks(&written, now_ms()))?;
    Ok(SavedMarks { name: written.name, replaced, n_episodes, problems })
}

/// Lists a log's saved marks, by name.
///
/// # Errors
/// If the store cannot be read.
pub fn kept_marks(opened: &SessionSnapshot) -> Result<Vec<KeptMarks>, ApiError> {
    let all = marks_store(opened, false)?.map_or(Ok(Vec::new()), |shelf| shelf.all_marks())?;
    let kept = |(written, saved_ms): &(NamedMarks, i64)| KeptMarks {
        name: written.name.clone(),
        by: written.author_name().map(str::to_owned),
        based_on: written.marks.based_on.clone(),
        n_marks: written.marks.episodes.len(),
        saved_ms: *saved_ms,
    };
    Ok(all.iter().map(kept).collect())
}

/// Returns saved marks as JSON.
///
/// # Errors
/// If no marks have that name.
pub fn marks_of_name(opened: &SessionSnapshot, name: &str) -> Result<String, ApiError> {
    let found = marks_store(opened, false)?.map_or(Ok(None), |shelf| shelf.find_marks(name))?;
    let written = found.ok_or_else(|| unknown_marks(name))?;
    serde_json::to_string_pretty(&written.marks).map_err(ApiError::from_internal)
}

/// Removes saved marks.
///
/// # Errors
/// If no marks have that name.
pub fn remove_marks(opened: &SessionSnapshot, name: &str) -> Result<(), ApiError> {
    let removed = marks_store(opened, false)?.map_or(Ok(false), |shelf| shelf.remove_marks(name))?;
    if removed { Ok(()) } else { Err(unknown_marks(name)) }
}

fn marks_store(opened: &SessionSnapshot, make: bool) -> Result<Option<MarksStore>, ApiError> {
    if opened.about.path == stdin_path().display().to_string() {
        return Err(ApiError::new(
            ErrorCode::BadRequest,
            "marks are kept by the path of a log, and standard input has none",
        )
        .with_hint("name the log's file"));
    }
    MarksStore::find(&opened.texts, &opened.about.path, make)
}

fn unknown_marks(name: &str) -> ApiError {
    ApiError::new(ErrorCode::BadRequest, format!("no marks are stored as `{name}`"))
        .with_hint("`cwl annotate SESSION --list` lists them")
}

/// Tells whether marks are unsaved, or name another author. Such marks are never overwritten.
pub(crate) fn is_told_by_others(written: &NamedMarks) -> bool {
    written.author_name().is_some() || check_name(&written.name).is_err() || written.name == UNSAVED
}

/// Chooses a name for edited marks: the user's own saved marks keep their name, others get a free one.
pub(crate) fn free_name(opened: &SessionSnapshot, changed: Option<&NamedMarks>) -> Result<String, ApiError> {
    if let Some(own) = changed.filter(|written| !is_told_by_others(written)) {
        return Ok(own.name.clone());
    }
    let kept = match marks_store(opened, false) {
        Ok(shelf) => shelf.map_or(Ok(Vec::new()), |shelf| shelf.all_marks())?,
        // A log from standard input has no name for saved marks; saving reports that.
        Err(_) => Vec::new(),
    };
    let is_free = |name: &str| kept.iter().all(|(written, _)| written.name != name);
    let numbered = (2..=kept.len() + 2).map(|number| format!("{OWN} {number}"));
    let mut names = std::iter::once(OWN.to_owned()).chain(numbered);
    Ok(names.find(|name| is_free(name)).unwrap_or_else(|| OWN.to_owned()))
}

fn check_name(name: &str) -> Result<&str, ApiError> {
    let name = name.trim();
    let is_file = name.contains(['/', '\\']) || name.ends_with(".json");
    let is_odd = name.is_empty() || name.chars().any(char::is_control) || name.chars().count() > MOST_CHARS;
    if is_odd || is_file || TAKEN.contains(&name) {
        return Err(ApiError::new(ErrorCode::BadRequest, format!("marks cannot be called `{name}`"))
            .with_hint("a name is a word or two: no path, not auto, declared or inferred"));
    }
    Ok(name)
}
