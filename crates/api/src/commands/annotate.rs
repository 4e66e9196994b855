//! Marks that a reader made afterwards: checked, saved under a name, listed, written out, removed.

use crate::dto::{MarkProblemDto, MarksFileDto};
use crate::error::stdin_path;
use crate::marks::read::read_marks;
use crate::marks::{NamedMarks, UNSAVED, spans_of};
use crate::measure::opened::SessionSnapshot;
use crate::reading::lately::now_ms;
use crate::stored::marks::MarksStore;
use crate::{ApiError, ErrorCode};

/// The most characters of a name, and of who made marks.
const MOST_CHARS: usize = 100;
/// The name of marks changed in the window, until they get another one.
const OWN: &str = "my marks";
/// The names that mean something else.
const TAKEN: [&str; 4] = ["auto", "declared", "inferred", "filled"];

/// Marks that were saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedMarks {
    /// The name under which they are found.
    pub name: String,
    /// True if marks of that name were written over.
    pub replaced: bool,
    /// The number of episodes they give.
    pub n_episodes: usize,
    /// The oddities of the marks, by line.
    pub problems: Vec<MarkProblemDto>,
}

/// Marks that are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptMarks {
    /// Their name.
    pub name: String,
    /// Who made them, where that is told.
    pub by: Option<String>,
    /// The annotation they were changed from, where that is told.
    pub based_on: Option<String>,
    /// How many they are.
    pub n_marks: usize,
    /// When they were saved, milliseconds since 1970.
    pub saved_ms: i64,
}

/// Checks marks as JSON against a session and saves them under `name`. What is odd about single marks is told, and they are
/// saved all the same: the marks as given can be written out again.
///
/// # Errors
/// If they are of another form, give no episode at all, cannot be named so, or cannot be kept.
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

/// Lists the marks of a log that are kept, by name.
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

/// Returns marks that are kept as JSON, to be saved elsewhere.
///
/// # Errors
/// If there are none of that name.
pub fn marks_of_name(opened: &SessionSnapshot, name: &str) -> Result<String, ApiError> {
    let found = marks_store(opened, false)?.map_or(Ok(None), |shelf| shelf.find_marks(name))?;
    let written = found.ok_or_else(|| unknown_marks(name))?;
    serde_json::to_string_pretty(&written.marks).map_err(ApiError::from_internal)
}

/// Removes marks that are kept.
///
/// # Errors
/// If there are none of that name.
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

/// Tells whether marks are those of another reader, who is named, or are not kept at all: such marks are not written over.
pub(crate) fn is_told_by_others(written: &NamedMarks) -> bool {
    written.author_name().is_some() || check_name(&written.name).is_err() || written.name == UNSAVED
}

/// Returns the name for marks that are changed: that of the user's own, which are kept, else one that is not in use.
pub(crate) fn free_name(opened: &SessionSnapshot, changed: Option<&NamedMarks>) -> Result<String, ApiError> {
    if let Some(own) = changed.filter(|written| !is_told_by_others(written)) {
        return Ok(own.name.clone());
    }
    let kept = match marks_store(opened, false) {
        Ok(shelf) => shelf.map_or(Ok(Vec::new()), |shelf| shelf.all_marks())?,
        // Standard input has no name by which marks are kept; saving them says so.
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
