//! Session titles in lists.

use std::path::Path;

use cwl_engine::{Author, BlockKind, Message, MessageForm, ParsedEvent};

/// A log's name, else its first human words, else its file name, for the list.
pub fn session_title(named: Option<&str>, opening: Option<&str>, path: &Path) -> String {
    let text = named.map(str::trim).filter(|name| !name.is_empty()).or(opening);
    text.map_or_else(
        || path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        first_words,
    )
}

/// Longest title from a first message, in characters.
const TITLE_CHARS: usize = 80;

/// Returns a text's first line, and the next one if the first ends with a colon.
pub fn first_words(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut line = strip_stamp(lines.next().unwrap_or_default()).to_owned();
    if line.ends_with(':')
        && let Some(next) = lines.next()
    {
        line = format!("{line} {}", next.trim_start_matches('#').trim_start());
    }
    match line.char_indices().nth(TITLE_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// Returns a line without the time or the job in brackets that a harness put before it: `[Fri 2026-02-13 14:34 EST]`,
/// `[cron:8b380d56 Review]`.
fn strip_stamp(line: &str) -> &str {
    let Some((stamp, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) else {
        return line;
    };
    let is_date = stamp.split(' ').any(|word| {
        let parts: Vec<&str> = word.split(['-', 'T']).collect();
        matches!(parts[..], [year, month, day, ..] if [year, month, day].iter().zip([4, 2, 2]).all(|(part, n)| {
            part.len() >= n && part.bytes().take(n).all(|byte| byte.is_ascii_digit())
        }))
    });
    let rest = rest.trim_start();
    if (is_date || stamp.starts_with("cron:")) && !rest.is_empty() { rest } else { line }
}

/// Returns the first words of a human request: a typed text, a plan passed on by the harness, or a command
/// with arguments.
pub fn opening_of(parsed: &ParsedEvent) -> Option<String> {
    let is_form = |message: &Message, form: &str| matches!(&message.form, MessageForm::Custom { name } if **name == *form);
    let is_written = |message: &Message| {
        (message.author == Author::Human && message.form == MessageForm::Plain) || is_form(message, "plan")
    };
    let command = || {
        let text = text_of(parsed, |message| is_form(message, "command-message"))?;
        let between = |tag: &str| {
            let (_, behind) = text.split_once(&format!("<{tag}>"))?;
            behind.split_once(&format!("</{tag}>")).map(|(within, _)| within.trim())
        };
        let typed = format!("{} {}", between("command-name")?, between("command-args").unwrap_or_default());
        Some(first_words(&typed))
    };
    first_text(parsed, is_written).or_else(command)
}

/// The first words in a subagent's task, which its caller wrote and no human.
pub fn prompt_of(parsed: &ParsedEvent) -> Option<String> {
    first_text(parsed, |message| {
        let is_prompt = match &message.form {
            MessageForm::Plain => true,
            MessageForm::Custom { name } => &**name == "prompt",
            MessageForm::HumanShell { .. } | MessageForm::Summary => false,
        };
        is_prompt && message.author == Author::Harness
    })
}

fn first_text(parsed: &ParsedEvent, counts: impl Fn(&Message) -> bool) -> Option<String> {
    text_of(parsed, counts).map(first_words)
}

fn text_of(parsed: &ParsedEvent, counts: impl Fn(&Message) -> bool) -> Option<&str> {
    let mut contents = parsed.contents.iter();
    for message in parsed.event.body.all_messages() {
        for (block, content) in message.blocks.iter().zip(&mut contents) {
            if counts(message) && block.kind == BlockKind::Text && !content.text.trim().is_empty() {
                return Some(&content.text);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::{Format, parse_log};

    use super::*;

    #[test]
    fn first_words_are_a_line() {
        let check = |text: &str, expected: &str| assert_eq!(first_words(text), expected, "{text:?}");
        check("  Fix it\nnow", "Fix it");
        check(
            "Implement the following plan:\n\n# Move the gauge\n\nFirst",
            "Implement the following plan: Move the gauge",
        );
        check("[Fri 2026-02-13 14:34 EST] Check the board", "Check the board");
        check("[2026-02-13T14:34:00Z] Check the board", "Check the board");
        check("[cron:8b380d56-7314 Review patrol] Look at the requests", "Look at the requests");
        check("[2026-02-13]", "[2026-02-13]");
        check("[wip] Fix it", "[wip] Fix it");
        check("when running:", "when running:");
        check("", "");
        assert_eq!(first_words(&"x".repeat(100)).chars().count(), TITLE_CHARS + 1);
    }

    #[test]
    fn a_request_is_what_the_human_asks_for() {
        let check = |more: &str, content: &str, expected: Option<&str>| {
            let row = format!(
                r#"{{"parentUuid":null,"isSidechain":false,"sessionId":"s","type":"user"{more},"message":{{"role":"user","content":"{content}"}},"uuid":"u"}}"#
            );
            let found = parse_log(Format::ClaudeCode, row.as_bytes()).0.iter().find_map(opening_of);
            assert_eq!(found.as_deref(), expected, "{content}");
        };
        check("", "Fix it", Some("Fix it"));
        check(
            r#","planContent":"x""#,
            "Implement the following plan:\\n\\n# A",
            Some("Implement the following plan: A"),
        );
        let skill = "<command-message>tide</command-message>\\n<command-name>/tide</command-name>";
        check("", skill, Some("/tide"));
        check("", &format!("{skill}\\n<command-args>for\\nApril</command-args>"), Some("/tide for"));
        check("", "<command-name>/clear</command-name>\\n<command-message>clear</command-message>", None);
        check(r#","isMeta":true"#, "Caveat", None);
    }
}
