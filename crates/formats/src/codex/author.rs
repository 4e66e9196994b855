use std::borrow::Cow;

use cwl_engine::{Author, MessageForm};

use crate::known::lists_of;

/// The beginning of a compaction's summary, which Codex sends in the `user` role.
const SUMMARY: &str = "Another language model started to solve this problem and produced a summary";
const SHELL: [&str; 2] = ["<user_shell_command>", "</user_shell_command>"];

/// Returns the author of a `user` message by the texts of its parts.
///
/// As in Codex, one part with a mark decides for the whole message.
pub(super) fn author_of(texts: &[Cow<'_, str>]) -> (Author, MessageForm) {
    let mut found = texts.iter().filter_map(|text| mark_of(text.trim()));
    found.next().unwrap_or((Author::Human, MessageForm::Plain))
}

fn mark_of(text: &str) -> Option<(Author, MessageForm)> {
    if text.starts_with(SUMMARY) {
        return Some((Author::Harness, MessageForm::Summary));
    }
    if is_between(text, SHELL[0], SHELL[1]) {
        return Some((Author::Human, MessageForm::HumanShell { excluded: false }));
    }
    let is_marked = |marks: &[String]| matches!(marks, [start, end] if is_between(text, start, end));
    let (name, _) = lists_of("codex-injected").find(|(_, marks)| is_marked(marks))?;
    Some((Author::Harness, MessageForm::Custom { name: name.into() }))
}

fn is_between(text: &str, start: &str, end: &str) -> bool {
    let has = |part: Option<&str>, mark: &str| part.is_some_and(|part| part.eq_ignore_ascii_case(mark));
    has(text.get(..start.len()), start)
        && text.len().checked_sub(end.len()).is_some_and(|at| has(text.get(at..), end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], expected: &str) {
        let texts: Vec<Cow<'_, str>> = texts.iter().map(|text| Cow::Borrowed(*text)).collect();
        let (author, form) = author_of(&texts);
        let shown = match form {
            MessageForm::Plain => format!("{author:?}"),
            MessageForm::HumanShell { .. } => format!("{author:?} shell"),
            MessageForm::Summary => format!("{author:?} summary"),
            MessageForm::Custom { name } => format!("{author:?} {name}"),
        };
        assert_eq!(shown, expected, "{texts:?}");
    }

    #[test]
    fn what_codex_marks_is_its_own() {
        check(
            &["<environment_context>\n<cwd>/p</cwd>\n</environment_context>"],
            "Harness environment_context",
        );
        check(
            &["# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>\n"],
            "Harness AGENTS.md",
        );
        check(&["  <User_Instructions>x</user_instructions>"], "Harness user_instructions");
        check(&["<turn_aborted>\nThe user stopped it."], "Harness turn_aborted");
        check(&["<subagent_notification>{}</subagent_notification>"], "Harness subagent_notification");
        check(&["<hook_prompt hook_run_id=\"1\">x</hook_prompt>"], "Harness hook_prompt");
    }

    #[test]
    fn one_marked_part_is_enough() {
        check(&["hello", "<environment_context></environment_context>"], "Harness environment_context");
    }

    #[test]
    fn what_only_begins_like_a_mark_is_the_humans() {
        check(&["<environment_context> is what?"], "Human");
        check(&["# AGENTS.md instructions should be shorter"], "Human");
        check(&["<skill"], "Human");
        check(&["é"], "Human");
        check(&[""], "Human");
        check(&[], "Human");
    }

    #[test]
    fn shell_commands_are_the_humans_and_summaries_are_not() {
        check(&["<user_shell_command>\nls\n</user_shell_command>"], "Human shell");
        check(
            &[
                "Another language model started to solve this problem and produced a summary of its thinking process. x\ny",
            ],
            "Harness summary",
        );
    }
}
