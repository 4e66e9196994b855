//! The human's words in tool results: answers, comments on a refusal, edited plans.
//!
//! `tools.toml` lists the formats. A format with tools is for successful results, and the engine accepts its
//! words as the human's only if the call is one of these tools. A format without tools is for refused calls
//! of any tool.

use std::sync::LazyLock;

use cwl_engine::{Holds, HumanWords};
use toml::Table;

use crate::tools::BUILTIN;

/// How many bytes from the start a format may begin: some harnesses put an error's name before it.
const FARTHEST: usize = 64;

/// A format in which a harness writes what the human said.
struct WordsForm {
    /// True if the format is for successful results.
    of_answers: bool,
    begins: String,
    /// Text before the human's words, if it differs from `begins`.
    after: Option<String>,
    /// Text behind the human's words; its last occurrence counts.
    until: Option<String>,
}

static FORMS: LazyLock<Vec<WordsForm>> = LazyLock::new(|| {
    let document: Table = BUILTIN.parse().unwrap_or_default();
    let of_harness = |lists: &toml::Value| lists.get("words").and_then(toml::Value::as_array).cloned();
    let rows = document.values().filter_map(of_harness).flatten();
    rows.filter_map(|row| {
        let text = |key: &str| row.get(key).and_then(toml::Value::as_str).map(str::to_owned);
        Some(WordsForm {
            of_answers: row.get("tools").is_some(),
            begins: text("begins")?,
            after: text("after"),
            until: text("until"),
        })
    })
    .collect()
});

pub(crate) fn words_in(text: &str, ok: bool) -> Holds {
    let forms = FORMS.iter().filter(|form| form.of_answers == ok);
    let found = forms.filter_map(|form| form.find_words(text)).next();
    let length = |at: usize| u32::try_from(at).ok();
    let words = found.and_then(|(start, end)| {
        let range = length(start)?..length(end)?;
        let ranges = std::iter::once(range).collect();
        Some(HumanWords { ranges, text_len: length(text.len())? })
    });
    words.map_or(Holds::Nothing, |words| Holds::Words(words.into()))
}

impl WordsForm {
    fn find_words(&self, text: &str) -> Option<(usize, usize)> {
        let head = &text[..text.floor_char_boundary(FARTHEST + self.begins.len())];
        let behind = head.find(&self.begins)? + self.begins.len();
        let start = match &self.after {
            Some(after) => behind + text[behind..].find(after)? + after.len(),
            None => behind,
        };
        let end = self.until.as_ref().and_then(|until| text[start..].rfind(until));
        let words = text[start..end.map_or(text.len(), |end| start + end)].trim_end();
        let start = start + words.len() - words.trim_start().len();
        (!words.trim().is_empty()).then_some((start, start + words.trim_start().len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, ok: bool, expected: Option<&str>) {
        let found = match words_in(text, ok) {
            Holds::Words(words) => {
                words.ranges.first().map(|one| &text[one.start as usize..one.end as usize])
            }
            Holds::Nothing | Holds::Signature | Holds::UnsentReasoning | Holds::ToolDefinition(_) => None,
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_humans_words_are_found_in_what_the_harness_writes() {
        let refused = "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a \
                       file edit, the new_string was NOT written to the file).";
        let told = format!("{refused} To tell you how to proceed, the user said:\nUse port 5433.\n");
        check(&told, false, Some("Use port 5433."));
        check(&told, true, None);
        check(&format!("{refused} To tell you how to proceed, the user said:\n  "), false, None);
        check(&format!("{refused} STOP what you are doing and wait."), false, None);
        check("No such file", false, None);
        check(
            "User has answered your questions: \"Which?\"=\"Only staging.\". You can now continue with the user's \
             answers in mind.",
            true,
            Some("\"Which?\"=\"Only staging.\""),
        );
        check(
            "Error: The user rejected permission to use this specific tool call with the following feedback: not in é",
            false,
            Some("not in é"),
        );
        let plan = "User has approved your plan. You can now start coding.\n\n## Approved Plan";
        check(&format!("{plan} (edited by user):\n1. Test first\n"), true, Some("1. Test first"));
        check(&format!("{plan}:\n1. Test first\n"), true, None);
    }
}
