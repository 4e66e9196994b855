//! The titles of sessions in lists.

use std::path::Path;

use cwl_engine::{Author, BlockKind, Message, MessageForm, ParsedEvent};

/// Returns what a log is called: its name, else what was said first, else its file's name.
pub fn session_title(named: Option<&str>, opening: Option<&str>, path: &Path) -> String {
    let text = named.map(str::trim).filter(|name| !name.is_empty()).or(opening);
    text.map_or_else(
        || path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        first_words,
    )
}

/// How much of a first message makes a title, characters.
const TITLE_CHARS: usize = 80;

/// Returns the first words of a text on one line.
pub fn first_words(text: &str) -> String {
    let line = text.trim_start().lines().next().unwrap_or_default().trim_end();
    match line.char_indices().nth(TITLE_CHARS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}

/// Returns the first words of a record a human wrote.
pub fn opening_of(parsed: &ParsedEvent) -> Option<String> {
    first_text(parsed, |message| message.author == Author::Human && message.form == MessageForm::Plain)
}

/// Returns the first words the caller of a subagent gave to it: no human wrote them.
pub(crate) fn prompt_of(parsed: &ParsedEvent) -> Option<String> {
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
    let mut contents = parsed.contents.iter();
    for message in parsed.event.body.all_messages() {
        for (block, content) in message.blocks.iter().zip(&mut contents) {
            if counts(message) && block.kind == BlockKind::Text && !content.text.trim().is_empty() {
                return Some(first_words(&content.text));
            }
        }
    }
    None
}
