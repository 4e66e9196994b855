//! Overlays: marks made by a reader, which can be checked, saved under a name, compared, listed, exported and removed.

use cwl_inspect::marks::read::read_marks;
use cwl_inspect::marks::{MarksCheck, NamedMarks, TurnLines, UNSAVED, check_draft, read_draft, spans_of};
use cwl_inspect::measure::opened::SessionSnapshot;

use crate::api::{
    BandsBy, CacheRules, CompareColumn, CompareRequest, FrontierMeasure, MarkProblem, MarksFile, ViewCut,
    ViewSettings,
};
use crate::commands::compare;
use crate::error::stdin_path;
use crate::reading::lately::now_ms;
use crate::stored::marks::MarksStore;
use crate::{ApiError, ErrorCode};

/// Longest overlay name, and longest author name, in characters.
const MOST_CHARS: usize = 100;
const OWN: &str = "my marks";
const TAKEN: [&str; 4] = ["auto", "declared", "inferred", "filled"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedMarks {
    pub name: String,
    pub replaced: bool,
    pub n_episodes: usize,
    pub problems: Vec<MarkProblem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptMarks {
    pub name: String,
    pub by: Option<String>,
    pub based_on: Option<String>,
    pub n_marks: usize,
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
    let mut marks: MarksFile = read_marks(json)?;
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

/// Reads marks from a reader's answer, in which prose may surround the JSON, and checks them strictly. Calls after
/// the log line `until` may belong to no episode yet.
///
/// # Errors
/// If the answer holds no marks.
pub fn check_marks(
    opened: &SessionSnapshot,
    answer: &[u8],
    until: Option<u64>,
) -> Result<MarksCheck, ApiError> {
    let session = &opened.current_branch().session;
    let draft = read_draft(answer, &TurnLines::new(&opened.log, session))?;
    Ok(check_draft(draft, &opened.log, session, until))
}

/// Saves marks under `name` that [`check_marks`] has seen, even if they have problems. Without `replace` marks of
/// the same name stay.
///
/// # Errors
/// If there is no episode, the name is not allowed or taken, or the store cannot be written.
pub fn save_checked(
    opened: &SessionSnapshot,
    check: &MarksCheck,
    name: &str,
    by: Option<&str>,
    replace: bool,
) -> Result<SavedMarks, ApiError> {
    let name = check_name(name)?;
    if !replace && kept_marks(opened)?.iter().any(|kept| kept.name == name) {
        let message = format!("marks are stored as `{name}` already");
        return Err(ApiError::new(ErrorCode::BadRequest, message)
            .with_hint("choose another name, or write over them with `replace`"));
    }
    let json = serde_json::to_vec(&check.marks).map_err(ApiError::from_internal)?;
    save_marks(opened, &json, name, by)
}

/// One budget, with what `cwl` still finds there on a reader's marks and on inferred ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarksAtBudget {
    pub budget: u64,
    /// Recall of references by the marks and by inferred ones, per mille; `None` if nothing is used again.
    pub recall: Option<u32>,
    pub recall_inferred: Option<u32>,
    /// Mean request by the marks and by inferred ones, in tokens.
    pub mean: u64,
    pub mean_inferred: u64,
}

/// Compares saved marks with inferred ones at a quarter, half and three quarters of the largest request.
///
/// # Errors
/// If no marks have that name, or the log's texts cannot be read.
pub fn compare_marks(opened: &SessionSnapshot, name: &str) -> Result<Vec<MarksAtBudget>, ApiError> {
    let measure = |views: Vec<ViewSettings>| {
        let request = CompareRequest {
            views,
            cut: ViewCut::default(),
            cache: CacheRules::default(),
            by: FrontierMeasure::default(),
            bands: BandsBy::default(),
        };
        compare(opened, &request).map(|compared| compared.columns)
    };
    let whole = measure(vec![ViewSettings { policy: "none".to_owned(), ..ViewSettings::default() }])?;
    let largest = whole.first().map_or(0, |column| column.measured.max_total);
    let budgets: Vec<u64> =
        (1..4).map(|quarters| largest * quarters / 4).filter(|budget| *budget > 0).collect();
    let views = budgets.iter().flat_map(|budget| {
        [name, "inferred"].map(|annotation| ViewSettings {
            annotation: annotation.to_owned(),
            budget: budget.to_string(),
            ..ViewSettings::default()
        })
    });
    let views: Vec<ViewSettings> = views.collect();
    if views.is_empty() {
        return Ok(Vec::new());
    }
    let columns = measure(views)?;
    let rows = budgets.iter().zip(columns.chunks(2)).filter_map(|(budget, pair)| {
        let [own, inferred] = pair else { return None };
        let recall = |column: &CompareColumn| {
            let found = column.measured.recall;
            (found.uses > 0).then_some(found.hit_per_mille)
        };
        Some(MarksAtBudget {
            budget: *budget,
            recall: recall(own),
            recall_inferred: recall(inferred),
            mean: own.measured.mean_total,
            mean_inferred: inferred.measured.mean_total,
        })
    });
    Ok(rows.collect())
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
    MarksStore::find(opened.texts.stored.as_deref(), &opened.about.path, make)
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
