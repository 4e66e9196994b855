//! The authorship of a text in the `user` role, told by the tags Claude Code puts around its own texts.

use cwl_engine::{Author, Message, MessageForm, Role};

use super::row::ClaudeRow;
use crate::blocks::{formed_message, plain_message};
use crate::json::Value;
use crate::known::{is_known, names_of};
use crate::notes::Notes;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TextAuthorship {
    Human,
    /// A shell command the human ran, or its output.
    Shell,
    Harness(String),
    Tool,
    /// Begins with a tag of the harness but continues with other text.
    Unsure,
}

impl TextAuthorship {
    pub(super) fn frame(&self) -> Message {
        match self {
            // A text that the human may have written is never evicted.
            Self::Human | Self::Unsure => plain_message(Role::User, Author::Human),
            Self::Shell => {
                formed_message(Role::User, Author::Human, MessageForm::HumanShell { excluded: false })
            }
            Self::Harness(name) => formed_message(
                Role::User,
                Author::Harness,
                MessageForm::Custom { name: name.as_str().into() },
            ),
            Self::Tool => plain_message(Role::Tool, Author::Tool),
        }
    }
}

pub(super) fn voice_of_row(row: &ClaudeRow<'_>, notes: &mut Notes<'_>) -> Option<TextAuthorship> {
    let named = |name: &str| Some(TextAuthorship::Harness(name.to_owned()));
    let is_there = |value: Option<Value<'_>>| value.is_some_and(|value| !value.is_null());
    if notes.flag(row.get("isMeta"), "isMeta") {
        return named("meta");
    }
    let origin = row.get("origin").and_then(|origin| origin.get("kind")).and_then(Value::string);
    if let Some(kind) = origin.filter(|kind| kind != "human") {
        return named(&kind);
    }
    if is_there(row.get("sourceToolUseID")) {
        return named("tool");
    }
    if is_there(row.get("planContent")) {
        return named("plan");
    }
    // A human cannot type to a subagent: its prompts come from the calling agent.
    row.side.then(|| TextAuthorship::Harness("prompt".to_owned()))
}

pub(super) fn voice_of_text(text: &str) -> TextAuthorship {
    let text = text.trim();
    if text.starts_with("[Request interrupted by user") && text.ends_with(']') {
        return TextAuthorship::Harness("interruption".to_owned());
    }
    let Some(tag) = leading_tag(text) else { return TextAuthorship::Human };
    match tag {
        "bash-input" | "bash-stdout" | "bash-stderr" => TextAuthorship::Shell,
        tag if is_known("claude-code.injected", tag) => {
            if is_all_marked(text, tag) {
                TextAuthorship::Harness(tag.to_owned())
            } else {
                TextAuthorship::Unsure
            }
        }
        _ => TextAuthorship::Human,
    }
}

fn is_all_marked<'a>(mut text: &'a str, mut tag: &'a str) -> bool {
    loop {
        let end = format!("</{tag}>");
        if text.ends_with(&end) {
            return true;
        }
        let Some((_, behind)) = text.split_once(&end) else { return false };
        text = behind.trim_start();
        if names_of("claude-code.trailers").iter().any(|trailer| text.starts_with(trailer)) {
            return !text.contains('\n');
        }
        match leading_tag(text) {
            Some(next) if is_known("claude-code.injected", next) => tag = next,
            _ => return false,
        }
    }
}

fn leading_tag(text: &str) -> Option<&str> {
    let (tag, _) = text.strip_prefix('<')?.split_once('>')?;
    let is_name = |c: char| c.is_ascii_lowercase() || matches!(c, '-' | '_');
    (!tag.is_empty() && tag.chars().all(is_name)).then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: TextAuthorship) {
        assert_eq!(voice_of_text(text), expected, "{text:?}");
    }

    #[test]
    fn texts() {
        let harness = |name: &str| TextAuthorship::Harness(name.to_owned());
        check("Fix the feed.", TextAuthorship::Human);
        check("", TextAuthorship::Human);
        check(
            "<command-name>/model</command-name>\n  <command-args></command-args>",
            harness("command-name"),
        );
        check("<command-message>release</command-message>", harness("command-message"));
        let skill = "<command-message>a</command-message>\n<command-name>/a</command-name>\n<command-args>the <b></command-args>";
        check(skill, harness("command-message"));
        check("<command-name>/model</command-name> is the command, why?", TextAuthorship::Unsure);
        check("<command-name>/model</command-name>\n<div>mine</div>", TextAuthorship::Unsure);
        check("<command-name>/model", TextAuthorship::Unsure);
        check("<bash-input>ls</bash-input>", TextAuthorship::Shell);
        check("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>", TextAuthorship::Shell);
        check("<system-reminder>\nx\n</system-reminder>\n", harness("system-reminder"));
        check("<local-command-stdout></local-command-stdout>", harness("local-command-stdout"));
        check("<task-notification>x</task-notification>", harness("task-notification"));
        let told = "<task-notification>\n<task-id>b7</task-id>\n</task-notification>\nRead the output file to retrieve the result: /tmp/b7.output";
        check(told, harness("task-notification"));
        check(&format!("{told}\nand what do you say?"), TextAuthorship::Unsure);
        check("<ide_opened_file>src/a.rs</ide_opened_file>", harness("ide_opened_file"));
        check("[Request interrupted by user]", harness("interruption"));
        check("[Request interrupted by user for tool use]", harness("interruption"));
        check("[Request interrupted by user] was what it said", TextAuthorship::Human);
        check("<system-reminder>x</system-reminder> and my own words", TextAuthorship::Unsure);
        check("<system-reminder> is what I see, why?", TextAuthorship::Unsure);
        check("<div>html that the human pasted</div>", TextAuthorship::Human);
        check("<system-reminder", TextAuthorship::Human);
        check("<>", TextAuthorship::Human);
    }
}
