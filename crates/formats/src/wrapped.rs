//! Texts of the human that a harness sends between tags, with texts of its own around them.

use cwl_engine::{Author, BlockKind, MessageForm, RawPayload, Role};

use crate::blocks::{Blocks, ReadMessage, formed_message, plain_message};
use crate::json::Value;
use crate::notes::Notes;

/// Splits a text at a pair of tags: what stands before the human's words, the words, and what stands behind.
///
/// Tags and the line feeds inside of them belong to the harness.
fn split_tagged<'t>(text: &'t str, tag: &str) -> Option<[&'t str; 3]> {
    let begin = text.find(&format!("<{tag}>"))? + tag.len() + 2;
    let end = begin + text.get(begin..)?.find(&format!("</{tag}>"))?;
    let inside = text.get(begin..end)?;
    let own = inside.trim_matches('\n');
    let own_begin = begin + (inside.len() - inside.trim_start_matches('\n').len()).min(inside.len());
    let own_end = own_begin + own.len();
    Some([text.get(..own_begin)?, text.get(own_begin..own_end)?, text.get(own_end..)?])
}

/// Reads a text as runs by author, each with a name; the human's run has an empty name. `None` without the tags.
pub(crate) fn tagged_runs(
    text: Option<Value<'_>>,
    tag: &str,
    notes: &mut Notes<'_>,
) -> Option<Vec<(&'static str, ReadMessage)>> {
    let text = text.and_then(Value::string)?;
    let [before, own, after] = split_tagged(&text, tag)?;
    let harness =
        || formed_message(Role::User, Author::Harness, MessageForm::Custom { name: "context".into() });
    let runs = [
        ("before", before, harness()),
        ("", own, plain_message(Role::User, Author::Human)),
        ("after", after, harness()),
    ];
    let runs = (0..).zip(runs).map(|(index, (name, text, frame))| {
        let mut blocks = Blocks::new(index, notes);
        // The log has one text for the three.
        let raw = RawPayload::Around { before: String::new(), after: String::new() };
        blocks.push(BlockKind::Text, text.to_owned(), raw);
        (name, blocks.into_message(frame))
    });
    Some(runs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_between_tags() {
        let check = |text: &str, expected: Option<[&str; 3]>| {
            let found = split_tagged(text, "asked");
            assert_eq!(found, expected, "{text:?}");
            assert!(found.is_none_or(|found| found.concat() == text));
        };
        check(
            "<asked>\nWhy?\n</asked>\n<date>x</date>",
            Some(["<asked>\n", "Why?", "\n</asked>\n<date>x</date>"]),
        );
        check("<files/>\n<asked>Why?</asked>", Some(["<files/>\n<asked>", "Why?", "</asked>"]));
        check("<asked></asked>", Some(["<asked>", "", "</asked>"]));
        check("<asked>\n\n</asked>", Some(["<asked>\n\n", "", "</asked>"]));
        check("<asked>Why?", None);
        check("</asked><asked>", None);
        check("Why?", None);
    }
}
