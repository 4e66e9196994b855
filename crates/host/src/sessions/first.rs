//! The first look at a machine: its sessions, what is notable about the newest, and commands to inspect them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ApiError;
use crate::api::{GlanceAnswer, GlanceMark, GlanceRequest, SessionListRow};
use crate::host::inspector::Inspector;

#[derive(Debug, Clone)]
pub struct SessionSuggestion {
    pub row: SessionListRow,
    /// If the log is unreadable, the line is the error message.
    pub line: GlanceAnswer,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuggestedCommand {
    pub command: String,
    pub shows: &'static str,
}

#[derive(Debug, Clone)]
pub struct FirstLook {
    /// Sessions per harness, without subagents, largest number first.
    pub harnesses: Vec<(String, usize)>,
    pub folders: Vec<String>,
    /// Newest sessions with an existing log.
    pub newest: Vec<SessionSuggestion>,
    pub commands: Vec<SuggestedCommand>,
}

impl Inspector {
    /// Summarises this machine's sessions, with lines about the newest `n`.
    ///
    /// # Errors
    /// If the list cannot be read.
    pub async fn first_look(self: &Arc<Self>, n: usize) -> Result<FirstLook, ApiError> {
        let list = self.all_sessions().await?;
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for row in &list.rows {
            *counts.entry(row.harness.clone()).or_default() += 1;
        }
        let mut harnesses: Vec<(String, usize)> = counts.into_iter().collect();
        harnesses.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let rows: Vec<SessionListRow> =
            list.rows.into_iter().filter(|row| !row.gone && !row.name.is_empty()).take(n).collect();
        let newest = self
            .run_blocking(move |host| Ok(rows.into_iter().map(|row| host.suggest_session(row)).collect()));
        let newest: Vec<SessionSuggestion> = newest.await?;
        Ok(FirstLook {
            harnesses,
            folders: list.folders,
            commands: suggested_commands(newest.first()),
            newest,
        })
    }

    fn suggest_session(&self, row: SessionListRow) -> SessionSuggestion {
        let line = self.glance(GlanceRequest { target: row.path.clone() });
        // An unreadable log is no reason to hide the others.
        let line = line.unwrap_or_else(|error| GlanceAnswer { says: error.message, marks: Vec::new() });
        SessionSuggestion { row, line }
    }
}

fn suggested_commands(newest: Option<&SessionSuggestion>) -> Vec<SuggestedCommand> {
    let Some(SessionSuggestion { row, line }) = newest else {
        let of = |command: &str, shows| SuggestedCommand { command: command.to_owned(), shows };
        return vec![
            of("cwl serve --demo", "a sample in your browser, as if an agent were writing it now"),
            of("cwl report FILE", "the page about a log that is somewhere else"),
            of("cwl formats", "the formats that are read and the folders that are searched"),
        ];
    };
    let name = quote_for_shell(&row.name);
    let of = |command: &str, shows| SuggestedCommand { command: format!("cwl {command} {name}"), shows };
    let own = match line.marks.first() {
        Some(GlanceMark::Lost | GlanceMark::Compacted) => {
            of("compactions", "what each compaction took, and what was needed again")
        }
        Some(GlanceMark::Hidden) => {
            of("captured", "what was sent, where the harness kept it, beside the log")
        }
        Some(GlanceMark::Over) => of("compare", "what policies would keep of it under a budget"),
        Some(GlanceMark::Unannotated) => of("graph", "its episodes, inferred from what the agent did"),
        None => of("graph", "its episodes and what each draws on"),
    };
    vec![
        of("report", "one page: tokens over time, episodes, the largest evictions"),
        own,
        of("serve", "all of it in your browser, step by step"),
    ]
}

fn quote_for_shell(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':' | '@' | '+');
    if name.chars().all(is_plain) { name.to_owned() } else { format!("'{}'", name.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_follow_from_what_is_interesting() {
        let check = |name: &str, marks: &[GlanceMark], expected: [&str; 3]| {
            let row = SessionListRow { name: name.to_owned(), ..SessionListRow::default() };
            let looked =
                SessionSuggestion { row, line: GlanceAnswer { says: String::new(), marks: marks.to_vec() } };
            let commands: Vec<String> =
                suggested_commands(Some(&looked)).into_iter().map(|one| one.command).collect();
            assert_eq!(commands, expected, "{marks:?}");
        };
        let with = |own: &'static str| ["cwl report 0a78", own, "cwl serve 0a78"];
        check("0a78", &[], with("cwl graph 0a78"));
        check("0a78", &[GlanceMark::Lost, GlanceMark::Over], with("cwl compactions 0a78"));
        check("0a78", &[GlanceMark::Hidden], with("cwl captured 0a78"));
        check("0a78", &[GlanceMark::Over], with("cwl compare 0a78"));
        check("0a78", &[GlanceMark::Unannotated], with("cwl graph 0a78"));
        check(
            "/a b/it's",
            &[],
            [r"cwl report '/a b/it'\''s'", r"cwl graph '/a b/it'\''s'", r"cwl serve '/a b/it'\''s'"],
        );
        assert_eq!(suggested_commands(None).len(), 3);
    }
}
