//! Marks from an agent that reads a session: checked, saved, listed and removed.

use std::sync::Arc;

use crate::agent::queries::AgentQueries;
use crate::brief::{harmless_text, one_line};
use crate::commands::{check_marks, kept_marks, remove_marks, save_checked};
use crate::export::clean::Cleaner;
use crate::{ApiError, ErrorCode};
use cwl_inspect::figures::count_noun;
use cwl_inspect::marks::describe_problem;

/// Problems that an answer lists, and the longest one, in characters.
const LISTED: usize = 40;
const PROBLEM_CHARS: usize = 240;

#[derive(Debug, Clone)]
pub struct AgentMarks {
    /// JSON with `episodes`.
    pub marks: String,
    pub name: String,
    pub by: String,
    pub only_check: bool,
    /// Saves what can be used of odd marks.
    pub partial: bool,
    pub replace: bool,
}

impl AgentQueries {
    /// Checks marks of `session` and saves them if nothing is odd; candidates if no session is given.
    ///
    /// # Errors
    /// If no allowed session has that name, the marks are odd, badly named or taken, or cannot be saved.
    pub async fn annotate_session(
        self: &Arc<Self>,
        session: Option<&str>,
        asked: AgentMarks,
    ) -> Result<String, ApiError> {
        let Some(session) = session else { return self.list_candidates().await };
        self.with_session(session, move |_, opened, cleaner| {
            let check = check_marks(opened, asked.marks.as_bytes(), None)?;
            let mut clean = |text: &str| one_line(&harmless_text(&cleaner.clean_text(text)), PROBLEM_CHARS);
            let told: Vec<String> =
                check.problems.iter().take(LISTED).map(|one| clean(&describe_problem(one))).collect();
            let mut text = String::new();
            for (number, problem) in (1..).zip(&told) {
                text.push_str(&format!("{number}. {problem}\n"));
            }
            if check.problems.len() > told.len() {
                text.push_str(&format!("and {} more\n", check.problems.len() - told.len()));
            }
            let calls = format!("{} of {}", check.n_covered, count_noun(check.n_calls, "call"));
            let episodes = count_noun(check.n_episodes, "episode");
            if asked.only_check {
                return Ok(format!("{episodes}, with {calls}; nothing was saved\n{text}"));
            }
            if !check.problems.is_empty() && !asked.partial {
                let message = format!("nothing was saved, because\n{}", text.trim_end());
                return Err(ApiError::new(ErrorCode::BadRequest, message).with_hint(
                    "mend them, and hand in all marks again; with `partial` what can be used is saved",
                ));
            }
            let saved = save_checked(opened, &check, &asked.name, Some(&asked.by), asked.replace)?;
            let verb = if saved.replaced { "written over" } else { "saved" };
            Ok(format!("{verb}: {episodes} as {}, with {calls}\n{text}", saved.name))
        })
        .await
    }

    /// Lists the marks that are saved for `session`; candidates if no session is given.
    ///
    /// # Errors
    /// If no allowed session has that name, or the store cannot be read.
    pub async fn list_marks(self: &Arc<Self>, session: Option<&str>) -> Result<String, ApiError> {
        let Some(session) = session else { return self.list_candidates().await };
        self.with_session(session, move |_, opened, cleaner| {
            let kept = kept_marks(opened)?;
            if kept.is_empty() {
                return Ok("no marks are saved for this session\n".to_owned());
            }
            Ok(kept
                .iter()
                .map(|marks| write_row(cleaner, &marks.name, marks.by.as_deref(), marks.n_marks))
                .collect())
        })
        .await
    }

    /// Removes marks of `session`; candidates if no session is given.
    ///
    /// # Errors
    /// If no allowed session or no marks have that name.
    pub async fn delete_marks(
        self: &Arc<Self>,
        session: Option<&str>,
        name: String,
    ) -> Result<String, ApiError> {
        let Some(session) = session else { return self.list_candidates().await };
        self.with_session(session, move |_, opened, _| {
            remove_marks(opened, &name).map_err(|error| match error.code {
                ErrorCode::BadRequest => error.with_hint("cwl_marks lists what is saved"),
                _ => error,
            })?;
            Ok(format!("removed {}\n", one_line(&harmless_text(&name), PROBLEM_CHARS)))
        })
        .await
    }
}

fn write_row(cleaner: &mut Cleaner, name: &str, by: Option<&str>, n_marks: usize) -> String {
    let mut clean = |text: &str| one_line(&harmless_text(&cleaner.clean_text(text)), PROBLEM_CHARS);
    let by = by.map(|by| format!(", by {}", clean(by))).unwrap_or_default();
    format!("    {}: {}{by}\n", clean(name), count_noun(n_marks, "mark"))
}
